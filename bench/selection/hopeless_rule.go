package selection

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"infbench/metrics"
)

// The rule that stops hopeless cells.
//
// A cell that is trained is looked at K times, whenever held-out queries judge it.
// It is compared with the best of the m finished cells that it competes with, query
// by query: its best weights so far against those that the other ended with. With d
// the mean of the n differences, below 0 where the cell is worse, and s their standard
// deviation, the mean difference on all queries like these lies below
//
//	u = d + t(1 - alpha/(K·m), n-1) · s/√n
//
// at every look and against every rival at once with probability 1 - alpha at
// least (Bonferroni over looks and rivals; that the rival is the best of m is
// covered, too). Training may still improve the cell: no finished cell has improved
// by more than g from the same share of its training to its end. The cell is
// hopeless when
//
//	u + g < 0 .
//
// So alpha bounds the chance that a cell is stopped for the sampling of queries
// while it is as good as the best already. That a cell does not improve more from
// there on than every finished one did is an assumption which no query can test;
// where it is wrong a late bloomer is lost, which is why this is off by default.

// leastQueries is below how many queries nothing is stopped: t intervals of fewer
// skewed values do not keep their level.
const leastQueries = 20

// Rival is a finished cell.
type Rival struct {
	Id     string
	Values map[string]*float64 // of the held-out queries by name, nil where undefined
	Mean   float64
	Gain   float64 // how much better it became from the same share of its training to its end
}

// Verdict is what a look at a cell says.
type Verdict struct {
	Hopeless   bool
	Rival      string
	Queries    int
	Difference float64 // d
	Upper      float64 // u
	Gain       float64 // g
}

// Judge looks at a cell once. looks is K; values are the cell's by query, of a measure
// with a direction.
func Judge(better metrics.Direction, values map[string]*float64, rivals []Rival, looks int, alpha float64) Verdict {
	if len(rivals) == 0 {
		return Verdict{}
	}
	best := rivals[0]
	v := Verdict{Gain: math.Inf(-1)}
	for _, r := range rivals {
		if better.Better(r.Mean, best.Mean) {
			best = r
		}
		v.Gain = max(v.Gain, r.Gain)
	}
	var d []float64
	for _, query := range slices.Sorted(maps.Keys(values)) { // a sum has one order
		if x, y := values[query], best.Values[query]; x != nil && y != nil {
			d = append(d, better.Oriented(*x-*y))
		}
	}
	v.Rival, v.Queries = best.Id, len(d)
	if len(d) < leastQueries {
		return v
	}
	n := float64(len(d))
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1 - alpha/float64(looks*len(rivals)))
	mean, sd := stat.MeanStdDev(d, nil)
	v.Difference, v.Upper = mean, mean+t*sd/math.Sqrt(n)
	v.Hopeless = v.Upper+max(v.Gain, 0) < 0
	return v
}
