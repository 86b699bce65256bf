package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// T is Student's paired t test of the mean difference b − a; Statistic is t with N−1 degrees
// of freedom. Agrees with scipy.stats.ttest_rel(b, a), except if all differences are equal
// (up to rounding), where scipy gives NaN or an infinite t. T then gives an undefined t and P
// = 1 for identical slices, and an infinite t and P = 0 for a constant non-zero difference.
// It needs 2 pairs.
func T(a, b []float64) (Test, error) {
	d, err := differences(a, b, 2)
	if err != nil {
		return Test{}, fmt.Errorf("t test: %w", err)
	}
	t := newTest("t", "student", d)
	if constant(d, a, b) {
		if constant(append(d, 0), a, b) {
			t.P = 1
			return t, nil
		}
		t.Statistic = Defined(math.Copysign(math.Inf(1), t.MeanDifference))
		return t, nil
	}
	n := float64(len(d))
	statistic := t.MeanDifference / (stat.StdDev(d, nil) / math.Sqrt(n))
	t.Statistic = Defined(statistic)
	t.P = 2 * distuv.StudentsT{Sigma: 1, Nu: n - 1}.CDF(-math.Abs(statistic))
	return t, nil
}
