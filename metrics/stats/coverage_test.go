package stats_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"infbench/internal/testkit"
	"infbench/metrics/stats"
)

// MeasuredCoverage agrees with the simulation, and claims no more than was measured.
func TestMeasuredCoverage(t *testing.T) {
	testkit.Deep(t)
	replicates := replicates()
	for _, n := range []int{10, 20, 30, 52, 80} {
		for _, zeros := range []float64{0, .2, .4, .6, .8} {
			c := sample(fmt.Sprintf("skewed, %d items, %.0f %% zeros", n, 100*zeros), skewed(zeros), n)
			found := c.run(replicates)
			covered, looks := found[0], found[1]
			if full() {
				fmt.Printf("%s: covers %s, called skewed %s\n", c.design, c.checks[0].words(covered), c.checks[1].words(looks))
			}
			estimated, known := stats.MeasuredCoverage(n, zeros, 1.5).Get()
			switch {
			case known && max(estimated-covered.value(), covered.value()-estimated) > 4*covered.err():
				t.Errorf("%s: estimated %.4f, simulated %.4f ±%.4f", c.design, estimated, covered.value(), covered.err())
			case !known && covered.value() < leastCoverage-3*covered.err():
				t.Errorf("%s: no estimate, simulated %.4f ±%.4f", c.design, covered.value(), covered.err())
			}
		}
	}
}

// sample simulates one interval of the mean of n items, and whether they look skewed.
func sample(name string, p population, n int) cell {
	critical := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(.975)
	return cell{design: name, checks: []check{{what: "interval"}, {what: "looks skewed", free: true}}, once: func(r *rand.Rand) []bool {
		values := p.sample(r, n)
		mean, dev := stat.MeanStdDev(values, nil)
		half := critical * stat.StdErr(dev, float64(n))
		return []bool{mean-half <= p.mean && p.mean <= mean+half, stat.Skew(values, nil) >= 1 || stat.Skew(values, nil) <= -1}
	}}
}

// Samples of other populations seldom look skewed, except for sparse ones: printed in the
// full table.
func TestLooksSkewed(t *testing.T) {
	if !full() {
		t.Skip("SKIP: part of make coverage")
	}
	for _, n := range []int{20, 52, 80} {
		for _, p := range []population{normal, sparse} {
			c := sample(fmt.Sprintf("%s, %d items", p.name, n), p, n)
			fmt.Printf("%s: called skewed %s\n", c.design, c.checks[1].words(c.run(replicates())[1]))
		}
	}
}

// The coverage of an estimate, by hand: twelve of twenty values are zero and one other is
// large, which is as skewed as the table requires.
func TestCoverageOfEstimate(t *testing.T) {
	values := append(make([]float64, 12), 1.2, .05, .06, .02, .08, -.03, -.01, .04)
	e, _ := stats.OneStratum(20).Contrast(stats.Term{Coefficient: 1, Values: values})
	got, zeros := e.Coverage()
	want := stats.MeasuredCoverage(20, .6, 4)
	if _, known := want.Get(); !known || got != want || zeros != .6 {
		t.Errorf("%v at %v zeros, want %v", got, zeros, want)
	}
	slices.Reverse(values)
	for i := range values {
		values[i] = float64(i % 5)
	}
	e, _ = stats.OneStratum(20).Contrast(stats.Term{Coefficient: 1, Values: values})
	if got, _ := e.Coverage(); got != (stats.Number{}) {
		t.Errorf("even values: %v", got)
	}
}

// By hand, from the table: half way between 20 and 30 items, and 60 and 80 % zeros.
func TestMeasuredCoverageBetween(t *testing.T) {
	for _, c := range []struct {
		n           int
		zeros, skew float64
		want        string
	}{
		{20, .6, -2, "0.812"},
		{25, .7, 2, "0.765"}, // (.812 + .628 + .881 + .740)/4
		{5, .9, 2, "0.530"},  // outside the grid
		{80, 0, 2, stats.Undefined},
		{500, .6, 2, stats.Undefined},
		{20, .6, .5, stats.Undefined},
	} {
		if got := stats.MeasuredCoverage(c.n, c.zeros, c.skew).Format(3); got != c.want {
			t.Errorf("n %d, zeros %v, skewness %v: %s, want %s", c.n, c.zeros, c.skew, got, c.want)
		}
	}
}
