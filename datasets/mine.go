package datasets

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// MiningScored is a passage, by its index in the corpus, with its score for a query.
type MiningScored struct {
	Passage int
	Score   float64
}

// MiningQuery is a query with the passages retrieved for it.
type MiningQuery struct {
	Positives []MiningScored
	Found     []MiningScored // passages of the corpus in any order, with or without the positives

	// Negatives are passages that the data marks as wrong answers: no margin excludes them. A model
	// that ignores instructions scores them as high as the positive.
	Negatives []int
}

// MiningOptions select hard negatives among the retrieved passages: passages that a model scores
// like answers but that are not, as far as scores can show. The zero value of a bound means none;
// scores are compared strictly.
//
// The negatives equal those of mine_hard_negatives of Sentence Transformers (losses_extended.json),
// except for ties, which are undefined there, and as described at the fields.
type MiningOptions struct {
	Count int // maximum number of negatives per query
	Skip  int // best eligible passages to skip
	Depth int // eligible passages to consider, including skipped ones; 0: usual

	Margin   *float64 // the score of a negative is at most the positive's minus this,
	Relative bool     // or minus this share of the positive's
	Max, Min *float64

	Random *rand.Rand // draws among the eligible; nil: the best are taken
}

// Within returns the effective Depth if no query has more than the given number of positives.
func (o MiningOptions) Within(positives int) int {
	if o.Depth > 0 {
		return o.Depth
	}
	if o.Margin != nil || o.Max != nil {
		return o.Skip + 10*o.Count + positives
	}
	return o.Skip + o.Count + positives
}

// Retrieve returns the number of passages to retrieve for each query.
func (o MiningOptions) Retrieve(positives int) int { return o.Within(positives) + positives }

// Eligible returns the passages that may be picked, best first, ties in the order of the corpus.
// positives is the maximum number of positives per query.
func (o MiningOptions) Eligible(q MiningQuery, positives int) []MiningScored {
	kept := slices.DeleteFunc(slices.Clone(q.Found), func(s MiningScored) bool {
		return slices.ContainsFunc(q.Positives, func(p MiningScored) bool { return p.Passage == s.Passage }) || o.refuses(s, q)
	})
	order(kept)
	kept = kept[:min(len(kept), o.Within(positives))]
	return kept[min(len(kept), o.Skip):]
}

// refuses reports whether a bound excludes a passage. If there are several positives the lowest
// score counts.
func (o MiningOptions) refuses(s MiningScored, q MiningQuery) bool {
	if o.Max != nil && s.Score > *o.Max || o.Min != nil && s.Score < *o.Min {
		return true
	}
	if o.Margin == nil || slices.Contains(q.Negatives, s.Passage) {
		return false
	}
	lowest := math.Inf(1)
	for _, p := range q.Positives {
		lowest = min(lowest, p.Score)
	}
	if o.Relative {
		return s.Score > lowest-math.Abs(lowest)**o.Margin
	}
	return s.Score+*o.Margin > lowest
}

// Pick returns the negatives of a query, best first; fewer than Count if no more are eligible.
func (o MiningOptions) Pick(q MiningQuery, positives int) []MiningScored {
	eligible := o.Eligible(q, positives)
	if o.Random == nil || len(eligible) <= o.Count {
		return eligible[:min(len(eligible), o.Count)]
	}
	var picked []MiningScored
	for _, i := range o.Random.Perm(len(eligible))[:o.Count] {
		picked = append(picked, eligible[i])
	}
	order(picked)
	return picked
}

// order sorts the best passages first.
func order(list []MiningScored) {
	slices.SortFunc(list, func(a, b MiningScored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Passage, b.Passage))
	})
}
