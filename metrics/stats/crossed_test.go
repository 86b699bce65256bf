package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"infbench/metrics/stats"
)

// One row leaves the plain bootstrap of its values, so the interval's half width is
// near 1.96 standard errors; rows that differ by more than their values widen it to
// what the rows say.
func TestCrossedMean(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	noise := func(columns int, level float64) []float64 {
		out := make([]float64, columns)
		for i := range out {
			out[i] = level + r.NormFloat64()
		}
		return out
	}
	half := func(values [][]float64) float64 {
		low, high, ok := stats.CrossedMean(values, 0.95, 4000, 1).Get()
		if !ok {
			t.Fatal("undefined")
		}
		return (high - low) / 2
	}
	if got, want := half([][]float64{noise(400, 0)}), 1.96/math.Sqrt(400); math.Abs(got/want-1) > 0.1 {
		t.Errorf("one row: half width %.4f, want about %.4f", got, want)
	}
	var rows [][]float64
	var levels float64
	for range 50 {
		level := 2 * r.NormFloat64()
		levels += level * level
		rows = append(rows, noise(400, level))
	}
	if got, want := half(rows), 1.96*math.Sqrt(levels/50/50); math.Abs(got/want-1) > 0.15 {
		t.Errorf("rows that differ: half width %.4f, want about %.4f", got, want)
	}
}

func TestCrossedMeanUndefined(t *testing.T) {
	for name, values := range map[string][][]float64{
		"nothing": nil, "no columns": {{}}, "one value": {{1}}, "ragged": {{1, 2}, {1}}, "ragged later": {{1}, {1, 2}},
	} {
		if i := stats.CrossedMean(values, 0.95, 100, 1); i.Level != 0 {
			t.Errorf("%s: %v, want undefined", name, i)
		}
	}
	if i := stats.CrossedMean([][]float64{{1, 2}}, 0.95, 0, 1); i.Level != 0 {
		t.Errorf("no resamples: %v", i)
	}
	same := [][]float64{{3, 3}, {3, 3}}
	if low, high, _ := stats.CrossedMean(same, 0.95, 100, 1).Get(); low != 3 || high != 3 {
		t.Errorf("equal values: [%v, %v], want [3, 3]", low, high)
	}
}
