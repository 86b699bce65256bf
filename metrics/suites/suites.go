// Package suites has the mathematics of the measures that the newer suites of
// retrieval report (BRIGHT-Pro, FollowTable, BrowseComp-Plus, ExcluIR, MultiConIR,
// mteb's boards): one file a kind of measure, each as its authors define it, their
// treatment of missing and empty things included.
//
// Those that are defined for one query are measures of package metrics too, which have
// a name, a range and a direction. All values are shares, not percent, unless a comment
// says otherwise; what is undefined is told by ok or by a count of 0, never by a zero.
package suites

import "math"

// discount is what a document at a rank (from 1) weighs: 1/log2(rank+1).
func discount(rank int) float64 { return 1 / math.Log2(float64(rank+1)) }

// setOf is a list as a set.
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

// Mean is the mean of the values that are there, nil being none; 0 of 0 values.
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
