// Package suites implements the measures that newer retrieval suites report (BRIGHT-Pro,
// FollowTable, BrowseComp-Plus, ExcluIR, MultiConIR, mteb's boards). There is one file per
// kind of measure. Each follows its authors' definition, including their treatment of missing
// and empty data.
//
// Measures of a single query are also in package metrics, with a name, a range and a
// direction. All values are shares, not percent, unless a comment says otherwise; undefined
// values are reported by ok or by a count of 0, never by a zero value.
package suites

import "math"

// discount returns the weight of a document at a rank (from 1): 1/log2(rank+1).
func discount(rank int) float64 { return 1 / math.Log2(float64(rank+1)) }

// setOf returns a list as a set.
func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// shared counts the members of a set that are in ids.
func shared(set map[string]bool, ids []string) int {
	n := 0
	for id := range setOf(ids) {
		if set[id] {
			n++
		}
	}
	return n
}

// Mean returns the mean and the number of the values that are not nil; (0, 0) without any.
func Mean(values []*float64) (mean float64, n int) {
	for _, v := range values {
		if v != nil {
			mean += *v
			n++
		}
	}
	if n == 0 {
		return 0, 0
	}
	return mean / float64(n), n
}
