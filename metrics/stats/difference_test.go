package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"infbench/metrics/stats"
)

// one is a system with one run.
func one(values []float64) [][]float64 { return [][]float64{values} }

// With one run of each system all results are those of the paired t test. Expected values
// from statsmodels 0.13.5 TTestPower.solve_power (198.15, 89.15, 33.37, 9.94 rounded up).
func TestDifferenceOfTwoRuns(t *testing.T) {
	d, err := stats.SplitDifference(one(baseline), one(system))
	if err != nil {
		t.Fatal(err)
	}
	differences := make([]float64, len(baseline))
	for i := range differences {
		differences[i] = system[i] - baseline[i]
	}
	deviation := stat.StdDev(differences, nil)
	near(t, "topic variance", d.Topic, deviation*deviation, 1e-15)
	near(t, "mean", d.Mean, 0.05, 1e-12)
	if d.Topics != 10 || d.Seeds != [2]int{1, 1} || d.Seed != [2]float64{} || d.Cut {
		t.Errorf("%+v", d)
	}
	for dz, want := range map[float64]int{0.2: 199, 0.3: 90, 0.5: 34, 1: 10} {
		if got, ok := d.TopicsNeeded(dz*deviation, d.Seeds, 0.8, 0.05); !ok || got != want {
			t.Errorf("topics needed for %v = %d, %v; want %d", dz, got, ok, want)
		}
		at := value(t, "smallest", d.Smallest(d.Seeds, want, 0.8, 0.05))
		less := value(t, "smallest", d.Smallest(d.Seeds, want-1, 0.8, 0.05))
		if !(at <= dz*deviation && dz*deviation < less) {
			t.Errorf("with %d topics %v deviations are found, with %d %v; want %v between", want, at/deviation, want-1, less/deviation, dz)
		}
	}
	if n, ok := d.TopicsNeeded(0, d.Seeds, 0.8, 0.05); ok {
		t.Errorf("no difference is found with %d topics", n)
	}
	if n, ok := d.SeedsNeeded(1, 10, 0.8, 0.05); ok {
		t.Errorf("%d seeds are needed of systems without", n)
	}
}

// Bloom (1995) multiplies the standard error by 2.8 for 80 % power of a two-sided test at
// 0.05 with many topics: the normal quantiles 1.959964 and 0.841621.
func TestSmallestOfManyTopics(t *testing.T) {
	d := stats.Difference{Topics: 1, Seeds: [2]int{1, 1}, Topic: 1}
	near(t, "multiplier", 1e3*value(t, "smallest", d.Smallest(d.Seeds, 1e6, 0.8, 0.05)), 1.959964+0.841621, 1e-5)
}

// If only seeds vary, the test is that of two independent samples. Expected values from Cohen
// (1988), table 2.4.1, two-sided 0.05, power 0.80; for d = 0.2 from statsmodels
// TTestIndPower.solve_power (393.4).
func TestSeedsNeeded(t *testing.T) {
	d := stats.Difference{Seeds: [2]int{2, 2}, Seed: [2]float64{1, 1}}
	for size, want := range map[float64]int{0.2: 394, 0.5: 64, 0.8: 26} {
		if got, ok := d.SeedsNeeded(size, 50, 0.8, 0.05); !ok || got != want {
			t.Errorf("seeds for %v = %d, %v; want %d", size, got, ok, want)
		}
	}
	se, nu, ok := d.StandardError([2]int{3, 3}, 50) // 2·3−2 degrees of freedom
	near(t, "standard error", se, math.Sqrt(2./3), 1e-12)
	if near(t, "degrees of freedom", nu, 4, 1e-12); !ok {
		t.Error("no standard error")
	}
	if n, ok := d.TopicsNeeded(0.5, [2]int{5, 5}, 0.8, 0.05); ok {
		t.Errorf("%d topics suffice for seeds that vary too much", n)
	}
	if _, _, ok := d.StandardError([2]int{1, 5}, 50); ok {
		t.Error("one seed gives an estimate of how seeds vary")
	}
	d = stats.Difference{Seeds: [2]int{2, 1}, Seed: [2]float64{0.1, 0}, Topic: 1} // one topic is too noisy for any number of seeds
	if got, ok := d.SeedsNeeded(1, 2, 0.8, 0.05); ok {
		t.Errorf("seeds = %d, want none to suffice", got)
	}
}

// crossed returns values[seed][topic] of a system around the topics' means.
func crossed(r *rand.Rand, seeds int, topics []float64, level, seed, rest float64) [][]float64 {
	values := make([][]float64, seeds)
	for s := range values {
		own := level + seed*r.NormFloat64()
		for _, topic := range topics {
			values[s] = append(values[s], own+topic+rest*r.NormFloat64())
		}
	}
	return values
}

// The smallest difference is found in 80 % of cases: 4,000 experiments with new topics and
// seeds, each tested with its own components.
func TestSmallestIsFoundInFourOfFive(t *testing.T) {
	const experiments, topics, alpha = 4000, 20, 0.05
	seeds := [2]int{5, 4}
	truth := stats.Difference{Topics: topics, Seeds: seeds, Topic: 0.04, Seed: [2]float64{0.0025, 0.0025}, Interaction: [2]float64{0.01, 0.01}}
	size := value(t, "smallest", truth.Smallest(seeds, topics, 0.8, alpha))
	r := rand.New(rand.NewPCG(4, 7))
	found := 0
	for range experiments {
		first, second := make([]float64, topics), make([]float64, topics)
		for i := range first {
			first[i] = r.NormFloat64()
			second[i] = first[i] + 0.2*r.NormFloat64()
		}
		d, err := stats.SplitDifference(crossed(r, seeds[0], first, 0.3, 0.05, 0.1), crossed(r, seeds[1], second, 0.3+size, 0.05, 0.1))
		if err != nil {
			t.Fatal(err)
		}
		se, nu, ok := d.StandardError(seeds, topics)
		if !ok {
			t.Fatalf("%+v: no test", d)
		}
		if math.Abs(d.Mean)/se >= (distuv.StudentsT{Sigma: 1, Nu: nu}).Quantile(1-alpha/2) {
			found++
		}
	}
	if share := float64(found) / experiments; math.Abs(share-0.8) > 0.03 { // 4 standard errors are 0.025
		t.Errorf("found in %v of cases, want 0.8", share)
	}
}

func TestSplitDifference(t *testing.T) {
	d, err := stats.SplitDifference(threeSystems, one(baseline)) // rows read as seeds
	if err != nil {
		t.Fatal(err)
	}
	near(t, "seed", d.Seed[0], 0.0005274074074074082, 1e-12) // as TestSplitVariance
	near(t, "rest", d.Interaction[0], 0.001245925925925925, 1e-12)
	if d.Seed[1] != 0 || d.Interaction[1] != 0 || d.Seeds != [2]int{3, 1} {
		t.Errorf("%+v", d)
	}
	for name, pair := range map[string][2][][]float64{
		"no runs": {nil, one(baseline)}, "one topic": {one([]float64{1}), one([]float64{2})},
		"other topics": {one(baseline), one(baseline[1:])}, "ragged": {{{1, 2}, {1}}, one([]float64{1, 2})},
		"not finite": {one([]float64{1, math.NaN()}), one([]float64{1, 2})},
	} {
		if _, err := stats.SplitDifference(pair[0], pair[1]); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	same, err := stats.SplitDifference(one(baseline), one(slices.Clone(baseline)))
	if err != nil || same.Topic != 0 {
		t.Errorf("identical: %+v, %v", same, err)
	}
	if v, ok := same.Smallest(same.Seeds, 10, 0.8, 0.05).Get(); ok {
		t.Errorf("identical runs tell a smallest difference of %v", v)
	}
}

// Two retrievers on eight topics: a true difference of 0.11 would be found in four of five
// such comparisons; one of 0.05 needs 31 topics.
func ExampleDifference_Smallest() {
	a := [][]float64{{0.30, 0.45, 0.10, 0.62, 0.55, 0.20, 0.71, 0.38}}
	b := [][]float64{{0.35, 0.40, 0.22, 0.70, 0.50, 0.41, 0.69, 0.52}}
	d, err := stats.SplitDifference(a, b)
	if err != nil {
		panic(err)
	}
	fmt.Println(d.Smallest(d.Seeds, d.Topics, 0.8, 0.05))
	fmt.Println(d.TopicsNeeded(0.05, d.Seeds, 0.8, 0.05))
	// Output:
	// 0.1102
	// 31 true
}
