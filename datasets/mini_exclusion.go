package datasets

import (
	"slices"
	"strings"

	"infbench/internal/words"
)

// Training sets that teach the meaning of "but not". MiniInfIR has no negation, and a model trained
// only on it prefers documents with the excluded value.
const (
	// MiniExclusion has two records of MiniComplement for each of MiniReversal.
	MiniExclusion = "mini-exclusion"
	// MiniReversal has "A but not B" together with "B but not A": the same words, so that the order
	// matters. It teaches to ignore the excluded value.
	MiniReversal = "mini-reversal"
	// MiniComplement has "A but not C" together with "A but not D", where C and D are of another
	// facet than A. Both ask for the same, so that a model has to avoid the excluded value.
	MiniComplement = "mini-complement"
)

// exclusions returns the generator of a set: reversed reports whether a record is a reversal.
func exclusions(name string, reversed func(record int) bool) func(world uint64, records int) []Triplet {
	return func(world uint64, records int) []Triplet {
		w := newMiniWorld(world)
		return w.records(name, records, func(t *miniTeacher, i, topic, round int) Triplet {
			if reversed(i) {
				return t.reversal(topic, round)
			}
			return t.complement(topic, round)
		})
	}
}

// reversal writes a record whose two instructions exchange the wanted and the excluded value.
func (w *miniTeacher) reversal(topic, round int) Triplet {
	t := &w.topics[topic]
	f := t.seen[round%len(t.seen)]
	g := pick(w.r, without(t.seen, f))
	values := w.r.Perm(miniValues)
	a, b, c := miniTrait{f, values[0]}, miniTrait{f, values[1]}, miniTrait{g, w.r.IntN(miniValues)}
	lists := [2]string{words.AnyOf(w.valueWords(a, 2)), words.AnyOf(w.valueWords(b, 2))}
	say, n := w.excluding(), w.r.IntN(miniAsks)
	return w.exclusion(topic, [2]string{
		say(w.askList(miniTrain, n, f, lists[0]), lists[1]),
		say(w.askList(miniTrain, n, f, lists[1]), lists[0]),
	}, [2]miniTrait{a, c}, [2]miniTrait{b, c})
}

// complement writes a record whose two instructions ask for the same and each exclude one value of
// another facet: the value that the other's passage shows. Both use the short asks and one word for
// the excluded value, to stay within 32 tokens.
func (w *miniTeacher) complement(topic, round int) Triplet {
	t := &w.topics[topic]
	f := t.seen[round%len(t.seen)]
	g := pick(w.r, without(t.seen, f))
	values := w.r.Perm(miniValues)
	a, c, d := miniTrait{f, w.r.IntN(miniValues)}, miniTrait{g, values[0]}, miniTrait{g, values[1]}
	asked := w.ask(miniTrain, 0, f, w.valueWords(a, 2))
	excluded := func(m miniTrait) string { return w.ask(miniTrain, 0, g, w.valueWords(m, 1)) }
	say := w.excluding()
	return w.exclusion(topic, [2]string{say(asked, excluded(c)), say(asked, excluded(d))},
		[2]miniTrait{a, d}, [2]miniTrait{a, c})
}

// excluding draws a sentence that asks for one thing but not for another. Sentences that begin
// "Given this post, ..." would exceed 32 tokens.
func (w *miniTeacher) excluding() func(asked, excluded string) string {
	short := slices.DeleteFunc(slices.Concat(w.templates["instruction one train"], w.templates["instruction either train"]),
		func(template string) bool { return strings.HasPrefix(template, "Given ") })
	template, item := pick(w.r, short), pick(w.r, w.fillers["items"])
	return func(asked, excluded string) string {
		return instruction(template, item, "", asked+" but not "+excluded)
	}
}

// exclusion writes the queries and passages of a record, from its two instructions and the traits
// that their passages show.
func (w *miniTeacher) exclusion(topic int, instructions [2]string, first, second [2]miniTrait) Triplet {
	t, other := &w.topics[topic], w.otherTopic(topic, first[0].facet, first[1].facet)
	return Triplet{
		InstructionPositive: instructions[0],
		InstructionNegative: instructions[1],
		QueryPositive:       w.query("query train", t, pick(w.r, t.trainSets)),
		QueryNegative:       w.query("query train", other, pick(w.r, other.trainSets)),
		Positive:            w.trainDocument(t, first[0], first[1]),
		HardNegative1:       w.trainDocument(t, second[0], second[1]),
		HardNegative2:       w.trainDocument(other, first[0], first[1]),
	}
}
