package curate

import (
	"cmp"
	"strings"

	"infbench/internal/nearest"
)

// Poison is the kind of change that makes an instruction ask for something else. Each record of a
// corpus names its poison.
type Poison string

// The poisons.
const (
	Negation  Poison = "negation"  // the wanted property becomes unwanted
	Exclusion Poison = "exclusion" // the exclusion and the wanted property are exchanged
	Scope     Poison = "scope"     // another place, group or part of the matter
	Time      Poison = "time"      // another time
	Audience  Poison = "audience"  // for other readers
	Format    Poison = "format"    // another form or genre
	Bound     Poison = "bound"     // another number: at most instead of at least
)

// Poisons lists them in a fixed order.
func Poisons() []Poison { return []Poison{Negation, Exclusion, Scope, Time, Audience, Format, Bound} }

// Title returns the name of a poison in tables.
func (p Poison) Title() string { return cmp.Or(string(p), "untyped") }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Poison) UnmarshalText(text []byte) error {
	*p = Poison(text)
	return nearest.OneOf("poison", *p, Poisons()...)
}

// Kind is the kind of a pair of a query and a passage.
type Kind string

// The kinds of pairs.
const (
	Text Kind = "text" // a question and its answer
	Code Kind = "code" // a programming problem and its solution
	Math Kind = "math" // a problem and its worked solution
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(text []byte) error {
	*k = Kind(text)
	return nearest.OneOf("kind", *k, Text, Code, Math)
}

// sentence collapses the spaces of a text.
func sentence(text string) string { return strings.Join(strings.Fields(text), " ") }
