package diversity

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"infbench/metrics/stats"
)

// Groups is the number of groups into which texts are divided for an interval.
const Groups = 50

// interval returns the interval of a variant over other, equally many texts of the same
// source, assuming independent texts. It is the value ± t times the standard error of the
// delete-a-group jackknife (Kott 2001), with every fiftieth text in the same group. A
// bootstrap would draw texts twice, and so find fewer distinct n-grams than any real sample.
// The interval covers the mean in 93 to 99 % of samples if n-grams repeat
// (TestIntervalCoverage), and in 67 to 90 % if no more than a handful do. It is undefined for
// fewer than 2 texts, or if the variant is undefined without some group.
func (o *orders) interval(v Variant, f *frequencies, level float64) stats.Interval {
	groups := min(Groups, o.N())
	value, ok := v.ofFrequencies(f).Get()
	if !ok || groups < 2 || !(level > 0 && level < 1) {
		return stats.Interval{}
	}
	without := make([]float64, groups)
	for g := range without {
		if without[g], ok = v.ofFrequencies(o.without(g, groups, f)).Get(); !ok {
			return stats.Interval{}
		}
	}
	n := float64(groups)
	se := (n - 1) / math.Sqrt(n) * stat.StdDev(without, nil)
	half := se * distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+level)/2)
	return stats.Interval{Low: max(0, value-half), High: min(v.most, value+half), Level: level}
}

// without returns the frequencies without one group of texts.
func (o *orders) without(group, groups int, f *frequencies) *frequencies {
	rest := f.clone()
	for i := group; i < o.N(); i += groups {
		for _, id := range o.grams(i) {
			if id != single {
				o.lost[id]++
			}
		}
	}
	for i := group; i < o.N(); i += groups {
		for _, id := range o.grams(i) {
			switch {
			case id == single:
				rest.lose(1, 1)
			case o.lost[id] > 0:
				rest.lose(int(o.counts[id]), int(o.lost[id]))
				o.lost[id] = 0
			}
		}
	}
	return rest
}
