package suites

import (
	"cmp"
	"math"
	"slices"
)

// Aspect is one point that an answer to a query should cover, and the documents that cover
// it.
type Aspect struct {
	ID     string
	Weight float64 // raw, or a share of the query after Normalise
	Docs   []string
}

// Normalise returns the aspects of one query with weights that add up to 1, or that are all 0
// if the raw weights add up to 0.
func Normalise(aspects []Aspect) []Aspect {
	total := 0.0
	for _, a := range aspects {
		total += a.Weight
	}
	normal := slices.Clone(aspects)
	for i := range normal {
		normal[i].Weight = share(normal[i].Weight, total)
	}
	return normal
}

// aspectOf maps documents to their aspects, by index. A document in several aspects belongs
// to the last, as in the authors' dictionaries.
func aspectOf(aspects []Aspect) map[string]int {
	of := map[string]int{}
	for i, a := range aspects {
		for _, doc := range a.Docs {
			of[doc] = i
		}
	}
	return of
}

// AlphaNDCG is BRIGHT-Pro's weighted alpha-nDCG of the first k documents (all for k = 0) of a
// ranking. A gold document with an aspect gains the weight of the aspect times
// (1-alpha)^(documents with that aspect above), discounted by 1/log2(rank+1); other documents
// gain nothing and have no effect. The ideal is the best order of the gold documents. ok is
// false if the ideal is 0: such a query is left out.
//
// Zhao et al. 2026 (arXiv 2605.04018), alpha_ndcg.py.
func AlphaNDCG(ranking, gold []string, aspects []Aspect, k int, alpha float64) (value float64, ok bool) {
	of, isGold := aspectOf(aspects), setOf(gold)
	ideal := idealAlphaDCG(distinct(gold), of, aspects, k, alpha)
	if ideal <= 0 {
		return 0, false
	}
	met := make([]int, len(aspects))
	sum := 0.0
	for i, doc := range top(ranking, k) {
		if a, has := of[doc]; has && isGold[doc] {
			sum += marginal(aspects[a], met[a], alpha) * discount(i+1)
			met[a]++
		}
	}
	return sum / ideal, true
}

// idealAlphaDCG returns the sum for the best order. The gain of an aspect never grows, so the
// best order is that of all gains of documents, sorted.
func idealAlphaDCG(gold []string, of map[string]int, aspects []Aspect, k int, alpha float64) float64 {
	docs := make([]int, len(aspects))
	var gains []float64
	for _, doc := range gold {
		if a, has := of[doc]; has {
			gains = append(gains, marginal(aspects[a], docs[a], alpha))
			docs[a]++
		}
	}
	slices.SortFunc(gains, func(a, b float64) int { return cmp.Compare(b, a) })
	sum := 0.0
	for i, g := range top(gains, k) {
		sum += g * discount(i+1)
	}
	return sum
}

// marginal returns the gain of one more document of an aspect that was met n times; 0^0 is 1.
func marginal(a Aspect, n int, alpha float64) float64 {
	return a.Weight * math.Pow(1-alpha, float64(n))
}

// AspectRecall is BRIGHT-Pro's A-Recall of the first k documents (all for k = 0): the sum of
// the weights, normalised as by Normalise, of the aspects that have a gold document and that
// any of these documents covers, gold or not. An aspect without gold documents lowers the
// best value below 1. ok is false without gold documents; the value is 0 if none of them has
// an aspect.
//
// Zhao et al. 2026, weighted_aspect_recall.py.
func AspectRecall(ranking, gold []string, aspects []Aspect, k int) (value float64, ok bool) {
	if len(gold) == 0 {
		return 0, false
	}
	of := aspectOf(aspects)
	asked, covered := make([]bool, len(aspects)), make([]bool, len(aspects))
	for _, doc := range gold {
		if a, has := of[doc]; has {
			asked[a] = true
		}
	}
	for _, doc := range top(ranking, k) {
		if a, has := of[doc]; has {
			covered[a] = true
		}
	}
	for i, a := range aspects {
		if asked[i] && covered[i] {
			value += a.Weight
		}
	}
	return value, true
}

// top returns the first k elements of a list, or all for k = 0.
func top[T any](list []T, k int) []T {
	if k > 0 && k < len(list) {
		return list[:k]
	}
	return list
}

// Round holds the documents that an agent retrieved in one round, counted from 1.
type Round struct {
	Number int
	Docs   []string
}

// Rounds computes BRIGHT-Pro's measures of an agent with three rounds: alpha-nDCG@5 after the
// first, @10 after the second and @15 after the third, each over all documents so far without
// repeats. If a round has several lists, the last counts. A value is nil if nothing was
// retrieved yet or the query is left out.
func Rounds(rounds []Round, gold []string, aspects []Aspect, alpha float64) [3]*float64 {
	last := map[int][]string{}
	for _, r := range rounds {
		last[r.Number] = r.Docs
	}
	var values [3]*float64
	var all []string
	for i := range values {
		all = distinct(append(all, last[i+1]...))
		if len(all) == 0 {
			continue
		}
		if v, ok := AlphaNDCG(all, gold, aspects, 5*(i+1), alpha); ok {
			values[i] = &v
		}
	}
	return values
}
