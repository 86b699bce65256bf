package curate

import (
	"cmp"
	"strings"

	"infbench/internal/nearest"
)

// Poison is the kind of change that makes an instruction ask for something else. A
// corpus says of each record which it teaches.
type Poison string

// The poisons.
const (
	Negation  Poison = "negation"  // what was asked for must not be
	Exclusion Poison = "exclusion" // what was excluded is asked for, what was asked for is excluded
	Scope     Poison = "scope"     // another place, group or part of the matter
	Time      Poison = "time"      // another time
	Audience  Poison = "audience"  // for other readers
	Format    Poison = "format"    // another form or genre
	Bound     Poison = "bound"     // another number: at most instead of at least
)

// Poisons lists them in a fixed order.
func Poisons() []Poison { return []Poison{Negation, Exclusion, Scope, Time, Audience, Format, Bound} }

// Title is what tables call a poison.
func (p Poison) Title() string { return cmp.Or(string(p), "untyped") }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Poison) UnmarshalText(text []byte) error {
	*p = Poison(text)
	return nearest.OneOf("poison", *p, Poisons()...)
}

// Kind is what a pair of a query and a passage is.
type Kind string

// The kinds of pairs.
const (
	Text Kind = "text" // a question and what answers it
	Code Kind = "code" // a programming problem and its solution
	Math Kind = "math" // a problem and its worked solution
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(text []byte) error {
	*k = Kind(text)
	return nearest.OneOf("kind", *k, Text, Code, Math)
}

// sentence is a text without the blanks around it and doubled in it.
func sentence(text string) string { return strings.Join(strings.Fields(text), " ") }
