package datasets

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// MiningScored is a passage, by its place in the corpus, with its score for a query.
type MiningScored struct {
	Passage int
	Score   float64
}

// MiningQuery is a query with what was found for it.
type MiningQuery struct {
	Positives []MiningScored
	Found     []MiningScored // passages of the corpus in any order, positives among them or not

	// Negatives are passages that the data itself calls no answers: no margin takes them
	// out. A model that reads no instructions scores them as high as the positive.
	Negatives []int
}

// MiningOptions say which of the passages that were found are hard negatives: passages that
// a model takes for answers and that are not, as far as their scores tell. The zero value
// of a bound is none; scores are compared strictly.
//
// The negatives equal those of mine_hard_negatives of Sentence Transformers
// (losses_extended.json), except for ties, which are undefined there, and for what the
// fields say.
type MiningOptions struct {
	Count int // negatives of a query at most
	Skip  int // eligible passages to leave out, from the best on
	Depth int // eligible passages to look at, those that are skipped among them; 0: usual

	Margin   *float64 // the score of a negative is at most the positive's less this,
	Relative bool     // or less this share of the positive's
	Max, Min *float64

	Random *rand.Rand // draws among the eligible; nil: the best are taken
}

// Within is the Depth in force, where no query has more positives than so many.
func (o MiningOptions) Within(positives int) int {
	if o.Depth > 0 {
		return o.Depth
	}
	if o.Margin != nil || o.Max != nil {
		return o.Skip + 10*o.Count + positives
	}
	return o.Skip + o.Count + positives
}

// Retrieve is how many passages have to be found for each query.
func (o MiningOptions) Retrieve(positives int) int { return o.Within(positives) + positives }

// Eligible are the passages that may be picked, best first, ties in the order of the
// corpus; positives is the most that a query has.
func (o MiningOptions) Eligible(q MiningQuery, positives int) []MiningScored {
	kept := slices.DeleteFunc(slices.Clone(q.Found), func(s MiningScored) bool {
		return slices.ContainsFunc(q.Positives, func(p MiningScored) bool { return p.Passage == s.Passage }) || o.refuses(s, q)
	})
	order(kept)
	kept = kept[:min(len(kept), o.Within(positives))]
	return kept[min(len(kept), o.Skip):]
}

// refuses says whether a bound is against a passage. Of several positives the lowest
// counts.
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

// Pick picks the negatives of a query, best first; fewer than Count where no more are
// eligible.
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

// order puts the best first.
func order(list []MiningScored) {
	slices.SortFunc(list, func(a, b MiningScored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Passage, b.Passage))
	})
}
