package datasets

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// MiniInfIR generates the MiniRecords training records of a world.
func MiniInfIR(world uint64) []Triplet { return MiniInfIRSized(world, MiniRecords) }

// MiniInfIRSized generates the first records training records of a world.
func MiniInfIRSized(world uint64, records int) []Triplet {
	w := newMiniWorld(world)
	return w.records(MiniTraining, records, func(_ int, r *rand.Rand, topic, round int) Triplet { return w.record(r, topic, round) })
}

// records makes a training set of a name, whose topics come round in another order each
// time. Fewer records are the first of more.
func (w *miniWorld) records(name string, records int, write func(i int, r *rand.Rand, topic, round int) Triplet) []Triplet {
	r := w.random(name)
	all := make([]Triplet, 0, max(records, 0))
	var order []int
	for i := range records {
		if i%len(w.topics) == 0 {
			order = r.Perm(len(w.topics))
		}
		record := write(i, r, order[i%len(w.topics)], i/len(w.topics))
		record.ID = fmt.Sprintf("%s-%05d", name, i+1)
		all = append(all, record)
	}
	return all
}

// record writes one training record on a topic. Rounds go through the facets
// the topic may show. A quarter of the instructions ask for a value in each of
// two facets; of the rest two in five accept either of two values.
func (w *miniWorld) record(r *rand.Rand, topic, round int) Triplet {
	t := &w.topics[topic]
	f := t.seen[round%len(t.seen)]
	g := pick(r, without(t.seen, f))
	values := r.Perm(miniValues) // of f: P+ shows values[0], P1- values[1]
	second := r.IntN(miniValues) // of g: all three documents show it
	accepted, rejected := values[:1], values[1:2]
	var positive, negative string
	if r.IntN(4) == 0 {
		positive = w.both(r, miniTrait{f, values[0]}, miniTrait{g, second})
		negative = w.both(r, miniTrait{f, values[1]}, miniTrait{g, second})
	} else {
		if r.IntN(5) < 2 {
			accepted = []int{values[0], values[2]}
		}
		if r.IntN(5) < 2 {
			rejected = values[1:]
		}
		positive, negative = w.anyValue(r, f, accepted), w.anyValue(r, f, rejected)
	}
	other := w.otherTopic(r, topic, f, g)
	return Triplet{
		InstructionPositive: positive,
		InstructionNegative: negative,
		QueryPositive:       w.query(r, "query train", t, pick(r, t.trainSets)),
		QueryNegative:       w.query(r, "query train", other, pick(r, other.trainSets)),
		Positive:            w.trainDocument(r, t, miniTrait{f, values[0]}, miniTrait{g, second}),
		HardNegative1:       w.trainDocument(r, t, miniTrait{f, values[1]}, miniTrait{g, second}),
		HardNegative2:       w.trainDocument(r, other, miniTrait{f, pick(r, accepted)}, miniTrait{g, second}),
	}
}

// anyValue writes a training instruction that accepts one or two values.
func (w *miniWorld) anyValue(r *rand.Rand, facet int, values []int) string {
	section := "instruction one train"
	if len(values) == 2 {
		section = "instruction either train"
	}
	var words []string
	for _, v := range deal(r, values) {
		words = append(words, w.valueWords(r, miniTrait{facet, v}, 2)...)
	}
	return instruction(pick(r, w.templates[section]), pick(r, w.fillers["items"]), "",
		w.ask(miniTrain, r.IntN(miniAsks), facet, words))
}

// both writes a training instruction that asks for a value in each of two
// facets; the second in one word, to stay within 32 tokens.
func (w *miniWorld) both(r *rand.Rand, first, second miniTrait) string {
	return instruction(pick(r, w.templates["instruction both train"]), pick(r, w.fillers["items"]), "",
		w.ask(miniTrain, 0, first.facet, w.valueWords(r, first, 2)),
		w.ask(miniTrain, 0, second.facet, w.valueWords(r, second, 1)))
}

func (w *miniWorld) trainDocument(r *rand.Rand, t *miniTopic, a, b miniTrait) string {
	return w.document(r, pick(r, w.templates["document train"]), miniTrain, t.words(), [2]miniTrait{a, b})
}

// otherTopic draws another topic whose training texts may show both facets.
func (w *miniWorld) otherTopic(r *rand.Rand, topic, f, g int) *miniTopic {
	for {
		other := r.IntN(len(w.topics))
		t := &w.topics[other]
		if other != topic && slices.Contains(t.seen, f) && slices.Contains(t.seen, g) {
			return t
		}
	}
}

// without returns s less one element.
func without(s []int, drop int) []int {
	return slices.DeleteFunc(slices.Clone(s), func(x int) bool { return x == drop })
}
