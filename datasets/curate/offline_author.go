package curate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"infbench/datasets"
)

// OfflineAuthor writes texts of a generated world by rules, without a model: the meaning of its
// words is known. A complete corpus can thus be made, tested and shown without downloads. The texts
// are synthetic; results with them do not carry over to real text.
type OfflineAuthor struct {
	name        string
	errors      float64
	world, seed uint64
	language    *datasets.MiniLanguage
}

var _ Author = (*OfflineAuthor)(nil)

// NewOfflineAuthor returns an author for pairs of a world. errors is the share of records that it
// spoils in one of the ways of language models.
func NewOfflineAuthor(name string, errors float64, world, seed uint64) *OfflineAuthor {
	return &OfflineAuthor{name, errors, world, seed, datasets.NewMiniLanguage(world)}
}

// Name, Identity, Synthetic and Forecast implement curate.Author.
func (a *OfflineAuthor) Name() string { return a.name }
func (a *OfflineAuthor) Identity() string {
	return fmt.Sprintf("offline author %s, world %d, errors %v, seed %d", a.name, a.world, a.errors, a.seed)
}
func (a *OfflineAuthor) Synthetic() bool { return true }
func (a *OfflineAuthor) Forecast(*Record, Part) Forecast {
	return Forecast{Questions: 1}
}

// facetOf is the facet that a poison changes; "" means any.
var facetOf = map[Poison]string{
	Scope: "region", Time: "period", Audience: "audience", Format: "genre",
}

// Sentences that limit the length of a passage, by its number of sentences.
var bounds = [...]string{1: " One sentence at most.", 2: " Two sentences at least."}

// Fits implements curate.Author: the passage must show the facet that the poison changes.
func (a *OfflineAuthor) Fits(r *Record, p Poison) bool {
	shown := a.language.Shown(r.Positive)
	return r.Kind == Text && len(a.language.Topics(r.QueryPositive)) == 1 && len(shown) == 2 &&
		(facetOf[p] == "" || slices.ContainsFunc(shown, func(m datasets.MiniMark) bool { return m.Facet == facetOf[p] }))
}

// Write implements curate.Author.
func (a *OfflineAuthor) Write(_ context.Context, r *Record, part Part) (Reply, error) {
	if !a.Fits(r, r.Poison) {
		return Reply{}, fmt.Errorf("%s cannot write for record %s: it is not a record of the generated world %d", a.name, r.ID, a.world)
	}
	text := a.text(r, part, Random(a.seed, string(part), r.ID))
	return Reply{Text: text, Step: Step{Part: part, By: a.name, Model: "offline", Request: Hash(a.Identity(), part, r.ID, r.Poison), Response: Hash(text)}}, nil
}

func (a *OfflineAuthor) text(r *Record, part Part, random *rand.Rand) string {
	if text, spoilt := a.spoilt(r, part, random); spoilt {
		return text
	}
	switch part {
	case Instruction:
		return a.remarked(a.instruction(r, random), random)
	case NegativeInstruction:
		return a.remarked(a.poisoned(r, random), random)
	case NegativeQuery:
		return a.language.Query(random, a.otherTopic(r, random))
	case Passage1:
		return a.passage(r, r.InstructionNegative, r.QueryPositive, random)
	}
	return a.passage(r, r.InstructionPositive, r.QueryNegative, random)
}

// remarked adds a line to some texts, as models do against their instructions.
func (a *OfflineAuthor) remarked(text string, random *rand.Rand) string {
	if random.Float64() < a.errors/10 {
		text += "\n\nThis instruction has the same topic and asks for something else."
	}
	return text
}

// marks returns the two marks that a record's passage shows: first the one that the instruction
// will ask for, then the other.
func (a *OfflineAuthor) marks(r *Record) (asked, other datasets.MiniMark) {
	shown := a.language.Shown(r.Positive)
	asked, other = shown[0], shown[1]
	switch facet := facetOf[r.Poison]; {
	case facet == other.Facet, facet == "" && Random(a.seed, "facet", r.ID).IntN(2) == 0:
		asked, other = other, asked
	}
	return asked, other
}

// instruction asks for the mark that the passage shows, sometimes for either of two values.
func (a *OfflineAuthor) instruction(r *Record, random *rand.Rand) string {
	asked, _ := a.marks(r)
	values, but := []string{asked.Value}, []string(nil)
	other := a.another(asked.Facet, values, random)
	switch {
	case r.Poison == Exclusion:
		but = append(but, other)
	case facetOf[r.Poison] != "" && random.IntN(5) < 2:
		values = append(values, other)
	}
	text := a.language.Instruct(random, "", asked.Facet, values, but)
	if r.Poison == Bound {
		text += bounds[sentences(r.Positive)]
	}
	return text
}

func sentences(passage string) int { return min(2, max(1, datasets.MiniSentences(passage))) }

// another draws a value of a facet that is not in a list.
func (a *OfflineAuthor) another(facet string, beside []string, random *rand.Rand) string {
	rest := slices.DeleteFunc(a.language.Values(facet), func(v string) bool { return slices.Contains(beside, v) })
	return rest[random.IntN(len(rest))]
}

// poisoned opposes the instruction.
func (a *OfflineAuthor) poisoned(r *Record, random *rand.Rand) string {
	d := read(a.language, r.InstructionPositive)
	switch r.Poison {
	case Negation:
		return a.language.Instruct(random, "not ", d.facet, d.values, nil)
	case Exclusion:
		return a.language.Instruct(random, "", d.facet, d.none, d.values)
	case Bound:
		return a.language.Instruct(random, "", d.facet, d.values, nil) + bounds[3-sentences(r.Positive)]
	}
	return a.language.Instruct(random, "", d.facet, []string{a.another(d.facet, d.values, random)}, nil)
}

// otherTopic draws a topic near that of the query.
func (a *OfflineAuthor) otherTopic(r *Record, random *rand.Rand) string {
	asked, other := a.marks(r)
	near := a.language.Near(a.language.Topics(r.QueryPositive)[0], asked.Facet, other.Facet)
	return near[random.IntN(len(near))]
}

// passage writes a passage that answers an instruction and a query; otherwise it is like the
// record's.
func (a *OfflineAuthor) passage(r *Record, instruction, query string, random *rand.Rand) string {
	d := read(a.language, instruction)
	asked, other := a.marks(r)
	if asked.Facet != d.facet {
		asked, other = other, asked
	}
	var fitting []string
	for _, v := range a.language.Values(d.facet) {
		if d.wants(v) {
			fitting = append(fitting, v)
		}
	}
	if topics := a.language.Topics(query); len(fitting) > 0 && len(topics) > 0 {
		length := d.sentences
		if length == 0 {
			length = 1 + random.IntN(2)
		}
		mark := datasets.MiniMark{Facet: d.facet, Value: fitting[random.IntN(len(fitting))]}
		return a.language.Document(random, topics[0], length, [2]datasets.MiniMark{mark, other})
	}
	return r.Positive // no other reading is possible
}

// spoilt writes a part of a record that this author spoils: passages that miss the instruction or
// the topic, a merely reworded instruction, or a text that breaks a rule.
func (a *OfflineAuthor) spoilt(r *Record, part Part, random *rand.Rand) (string, bool) {
	way := Random(a.seed, "errors", r.ID)
	if way.Float64() >= a.errors {
		return "", false
	}
	far := func(query string) string {
		near := a.language.Near(a.language.Topics(query)[0])
		return a.language.Query(random, near[random.IntN(len(near))])
	}
	n := way.IntN(10)
	switch {
	case n < 3 && part == Passage1: // the instruction is misunderstood
		return a.passage(r, r.InstructionPositive, r.QueryPositive, random), true
	case n == 3 && part == Passage1:
		return a.passage(r, r.InstructionNegative, far(r.QueryPositive), random), true
	case (n == 4 || n == 5) && part == Passage2:
		return a.passage(r, r.InstructionPositive, far(r.QueryNegative), random), true
	case n == 6 && part == NegativeInstruction:
		d := read(a.language, r.InstructionPositive)
		return a.language.Instruct(random, "", d.facet, d.values, nil) + bounds[sentences(r.Positive)], true
	case n == 7 && part == Passage2:
		return "See above.", true
	case n == 8 && part == NegativeQuery:
		return "Was ist das und wie ist es mit " + strings.Join(a.language.Topics(r.QueryPositive), " und "), true
	case n == 9 && part == Passage1:
		return r.Positive, true
	}
	return "", false
}
