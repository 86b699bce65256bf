package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Zeros selects how the Wilcoxon test treats pairs that do not differ.
type Zeros int

const (
	DropZeros  Zeros = iota // leave them out before ranking (Wilcoxon)
	RankZeros               // rank them, then leave out their ranks (Pratt)
	SplitZeros              // rank them, and add half of their rank sum to either side
)

// The largest n for which P is computed exactly, as in scipy: without ties, and with them.
const (
	exactWilcoxon = 50
	exactTied     = 13
)

// Wilcoxon is the signed-rank test of b − a. Statistic is the smaller of the two rank sums. P
// is exact for up to 50 pairs without zeros or tied sizes and for up to 13 with them (over
// all patterns of signs, given the ranks); otherwise it is from the normal approximation with
// tie correction and without continuity correction. It agrees with scipy.stats.wilcoxon of
// scipy 1.15 and later, on differences without rounding errors (see Tolerance). If all pairs
// are equal, P = 1.
func Wilcoxon(a, b []float64, zeros Zeros) (Test, error) {
	d, err := differences(a, b, 1)
	if err != nil {
		return Test{}, fmt.Errorf("wilcoxon: %w", err)
	}
	moved := withoutZeros(d)
	null := float64(len(d) - len(moved)) // pairs without a difference
	ranked := d
	if zeros == DropZeros {
		ranked = moved
	}
	r := rankSizes(ranked, slack(largest(a), largest(b)))
	if zeros == SplitZeros {
		r.split = r.zero / 2
		r.plus += r.split
		r.minus += r.split
	}
	t := newTest("wilcoxon", "normal", d)
	t.Statistic = Defined(min(r.plus, r.minus))
	switch n := float64(len(ranked)); {
	case len(moved) == 0:
		t.P = 1
	case len(d) <= exactTied || len(d) <= exactWilcoxon && r.ties == 0 && len(moved) == len(d):
		t.Method = "exact"
		t.P = exactRankSum(r.of, min(r.plus, r.minus)-r.split)
	case zeros == RankZeros:
		t.P = normalRankSum(r, n, null)
	default:
		t.P = normalRankSum(r, n, 0)
	}
	return t, nil
}

// rankSums holds the sums of the ranks of |d| by the sign of d, and Σ(t³−t)
// over groups of t tied non-zero sizes.
type rankSums struct {
	plus, minus, zero, ties float64
	split                   float64   // rank sum of the zeros in plus, and in minus
	of                      []float64 // the ranks of non-zero differences
}

// rankSizes ranks d by size; ties share their mean rank. Sizes that differ by no more than
// the slack of the values that d was computed from are ties.
func rankSizes(d []float64, slack float64) rankSums {
	sorted := slices.Clone(d)
	slices.SortFunc(sorted, func(x, y float64) int {
		switch x, y := math.Abs(x), math.Abs(y); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	var r rankSums
	for from := 0; from < len(sorted); {
		to, size := from+1, math.Abs(sorted[from])
		for to < len(sorted) && math.Abs(sorted[to])-math.Abs(sorted[to-1]) <= slack && (sorted[to] == 0) == (size == 0) {
			to++
		}
		rank := float64(from+to+1) / 2
		for _, v := range sorted[from:to] {
			switch {
			case v > 0:
				r.plus += rank
			case v < 0:
				r.minus += rank
			default:
				r.zero += rank
			}
		}
		if tied := float64(to - from); size > 0 {
			r.ties += tied*tied*tied - tied
			r.of = append(r.of, slices.Repeat([]float64{rank}, to-from)...)
		}
		from = to
	}
	return r
}

// normalRankSum returns the two-sided P of the rank sums of n ranked values; the lowest null
// of them were ranked and left out.
func normalRankSum(r rankSums, n, null float64) float64 {
	mean := n*(n+1)/4 - null*(null+1)/4
	variance := (n*(n+1)*(2*n+1) - null*(null+1)*(2*null+1) - r.ties/2) / 24
	z := (min(r.plus, r.minus) - mean) / math.Sqrt(variance)
	return 2 * distuv.UnitNormal.CDF(-math.Abs(z))
}

// exactRankSum returns the two-sided P of a smaller rank sum w: twice the share of the
// subsets of the ranks whose sum is at most w. Ranks and w are integers or half-integers.
func exactRankSum(ranks []float64, w float64) float64 {
	most := int(2 * w)
	// share[s] is the share of the subsets of the ranks so far whose sum is s/2.
	share := make([]float64, most+1)
	share[0] = 1
	for _, rank := range ranks {
		for s := most; s >= 0; s-- {
			with := 0.0
			if k := int(2 * rank); s >= k {
				with = share[s-k]
			}
			share[s] = (share[s] + with) / 2
		}
	}
	return min(1, 2*floats.Sum(share))
}
