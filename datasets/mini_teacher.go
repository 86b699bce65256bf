package datasets

import "slices"

// miniTeacher writes training records on the topics of a world.
type miniTeacher struct {
	miniWriter
	topics []miniTopic
}

// record writes one training record on a topic. Rounds cycle through the facets that the topic may
// show. A quarter of the instructions ask for a value in each of two facets; two in five of the
// others accept either of two values.
func (w *miniTeacher) record(topic, round int) Triplet {
	t := &w.topics[topic]
	f := t.seen[round%len(t.seen)]
	g := pick(w.r, without(t.seen, f))
	values := w.r.Perm(miniValues) // of f: P+ shows values[0], P1- values[1]
	second := w.r.IntN(miniValues) // of g: all three documents show it
	accepted, rejected := values[:1], values[1:2]
	var positive, negative string
	if w.r.IntN(4) == 0 {
		positive = w.both(miniTrait{f, values[0]}, miniTrait{g, second})
		negative = w.both(miniTrait{f, values[1]}, miniTrait{g, second})
	} else {
		if w.r.IntN(5) < 2 {
			accepted = []int{values[0], values[2]}
		}
		if w.r.IntN(5) < 2 {
			rejected = values[1:]
		}
		positive, negative = w.anyValue(f, accepted), w.anyValue(f, rejected)
	}
	other := w.otherTopic(topic, f, g)
	return Triplet{
		InstructionPositive: positive,
		InstructionNegative: negative,
		QueryPositive:       w.query("query train", t, pick(w.r, t.trainSets)),
		QueryNegative:       w.query("query train", other, pick(w.r, other.trainSets)),
		Positive:            w.trainDocument(t, miniTrait{f, values[0]}, miniTrait{g, second}),
		HardNegative1:       w.trainDocument(t, miniTrait{f, values[1]}, miniTrait{g, second}),
		HardNegative2:       w.trainDocument(other, miniTrait{f, pick(w.r, accepted)}, miniTrait{g, second}),
	}
}

// anyValue writes a training instruction that accepts one or two values.
func (w *miniTeacher) anyValue(facet int, values []int) string {
	section := "instruction one train"
	if len(values) == 2 {
		section = "instruction either train"
	}
	var words []string
	for _, v := range deal(w.r, values) {
		words = append(words, w.valueWords(miniTrait{facet, v}, 2)...)
	}
	return instruction(pick(w.r, w.templates[section]), pick(w.r, w.fillers["items"]), "",
		w.ask(miniTrain, w.r.IntN(miniAsks), facet, words))
}

// both writes a training instruction that asks for a value in each of two facets. The second has
// one word, to stay within 32 tokens.
func (w *miniTeacher) both(first, second miniTrait) string {
	return instruction(pick(w.r, w.templates["instruction both train"]), pick(w.r, w.fillers["items"]), "",
		w.ask(miniTrain, 0, first.facet, w.valueWords(first, 2)),
		w.ask(miniTrain, 0, second.facet, w.valueWords(second, 1)))
}

func (w *miniTeacher) trainDocument(t *miniTopic, a, b miniTrait) string {
	return w.document(pick(w.r, w.templates["document train"]), miniTrain, t.words(), [2]miniTrait{a, b})
}

// otherTopic draws another topic whose training texts may show both facets.
func (w *miniTeacher) otherTopic(topic, f, g int) *miniTopic {
	for {
		other := w.r.IntN(len(w.topics))
		t := &w.topics[other]
		if other != topic && slices.Contains(t.seen, f) && slices.Contains(t.seen, g) {
			return t
		}
	}
}

// without returns s without one element.
func without(s []int, drop int) []int {
	return slices.DeleteFunc(slices.Clone(s), func(x int) bool { return x == drop })
}
