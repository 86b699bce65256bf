package datasets

import (
	"math/rand/v2"
	"slices"
)

// Sizes of a world that tests and generators share.
const (
	miniValues   = 3  // values of a facet
	miniHeld     = 2  // facets held out per topic
	miniSetSize  = 3  // topic words of a query
	miniTestSets = 12 // sets of topic words per topic that only tests use
	miniAsks     = 2  // asks of a facet in each split
)

// miniWorld is one generated world: the chosen topics and values, and those held out of training.
type miniWorld struct {
	*miniLists
	seed   uint64
	topics []miniTopic
}

// newMiniWorld draws the world of a seed.
func newMiniWorld(seed uint64) *miniWorld {
	w := &miniWorld{miniLists: readMiniLists(), seed: seed}
	r := w.random("world")
	for i := range w.facets {
		w.facets[i].values = deal(r, w.facets[i].values)[:miniValues]
	}
	for _, d := range w.domains {
		w.topics = append(w.topics, deal(r, d.topics)[:MiniTopics/len(w.domains)]...)
	}
	w.topics = deal(r, w.topics)
	// Pairs of facets are distributed evenly: each is held out for the same number of topics, and
	// so is each facet.
	pairs := subsets(facetIndices(len(w.facets)), miniHeld)
	for i := range w.topics {
		t := &w.topics[i]
		t.held = pairs[i%len(pairs)]
		for f := range w.facets {
			if !slices.Contains(t.held, f) {
				t.seen = append(t.seen, f)
			}
		}
		t.splitWordSets(r)
	}
	return w
}

// splitWordSets distributes the sets of three topic words among training queries, test queries and
// test queries in lay words.
func (t *miniTopic) splitWordSets(r *rand.Rand) {
	t.laySets = subsets(t.lay, miniSetSize)
	var mixed [][]string
	for _, set := range subsets(t.words(), miniSetSize) {
		if slices.ContainsFunc(set, func(w string) bool { return slices.Contains(t.technical, w) }) {
			mixed = append(mixed, set)
		}
	}
	mixed = deal(r, mixed)
	t.testSets, t.trainSets = mixed[:miniTestSets], mixed[miniTestSets:]
}

// writer returns the writer of one part of the world. It has its own random source, so that a
// change in one part does not affect the others.
func (w *miniWorld) writer(part string) miniWriter { return miniWriter{w.miniLists, w.random(part)} }

// random returns the random source of one part of the world.
func (w *miniWorld) random(part string) *rand.Rand {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(part) {
		h = (h ^ uint64(part[i])) * 1099511628211
	}
	return rand.New(rand.NewPCG(w.seed, h))
}

// deal returns a shuffled copy of s.
func deal[T any](r *rand.Rand, s []T) []T {
	s = slices.Clone(s)
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}

// pick returns one element of s.
func pick[T any](r *rand.Rand, s []T) T { return s[r.IntN(len(s))] }

// subsets lists the subsets of s with n elements, in the order of s.
func subsets[T any](s []T, n int) [][]T {
	if n == 0 {
		return [][]T{nil}
	}
	var all [][]T
	for i := range s {
		for _, rest := range subsets(s[i+1:], n-1) {
			all = append(all, append([]T{s[i]}, rest...))
		}
	}
	return all
}

func facetIndices(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}
