package diversity

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"infbench/metrics/stats"
)

// Groups is into how many groups texts are dealt for an interval.
const Groups = 50

// interval is that of a variant over other texts of the same source, as many of them,
// texts being independent: the value ± t times the standard error of the delete-a-group
// jackknife (Kott 2001), of which every group has each fiftieth text. A bootstrap would
// draw texts twice, and so find fewer distinct n-grams than any sample has. It holds the
// mean in 93 to 99 % of samples where n-grams repeat (TestIntervalCoverage), and in 67
// to 90 % where no more than a handful do. It is undefined for fewer than 2 texts, or
// where the variant is without some group.
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

// without are the frequencies without a group of texts.
func (o *orders) without(group, groups int, f *frequencies) *frequencies {
	rest := f.clone()
	for i := group; i < o.N(); i += groups {
		for _, id := range o.of(i) {
			if id != single {
				o.lost[id]++
			}
		}
	}
	for i := group; i < o.N(); i += groups {
		for _, id := range o.of(i) {
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
