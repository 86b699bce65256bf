package contrast

import (
	"fmt"
	"math"
	"testing"

	"infbench/reports/reportstest"
	"infbench/reports/scores"
)

// TestPairedWeights checks that the mean of the weighted differences is the
// unweighted mean over tasks of unequal size: task x has 3 queries with
// difference .1, task y one with .5, so (.1+.5)/2 = .3 and not .2.
func TestPairedWeights(t *testing.T) {
	var a, b []reportstest.Value
	for q := range 3 {
		a = append(a, reportstest.At("B", "x", "", "AP", fmt.Sprint(q), .2))
		b = append(b, reportstest.At("B", "x", "", "AP", fmt.Sprint(q), .3))
	}
	a = append(a, reportstest.At("B", "y", "", "AP", "0", .1), reportstest.At("B", "y", "", "AP", "only a", .1))
	b = append(b, reportstest.At("B", "y", "", "AP", "0", .6))
	v := viewOf(t, reportstest.TrialOf("a", map[string]string{"model": "a"}, a...), reportstest.TrialOf("b", map[string]string{"model": "b"}, b...))
	x, y, dropped, whole := paired(v.Systems[0], v.Systems[1], scores.Number{Benchmark: "B", Measure: "AP", Tasks: []string{"x", "y"}})
	mean := 0.0
	for i := range x {
		mean += (y[i] - x[i]) / float64(len(x))
	}
	if len(x) != 4 || dropped != 1 || !whole || math.Abs(mean-.3) > 1e-12 {
		t.Errorf("mean difference %v over %d pairs, %d dropped, whole %v; want .3, 4, 1, true", mean, len(x), dropped, whole)
	}
}
