package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/metrics/stats"
)

func plan(test string) stats.Plan {
	return stats.Plan{
		Test: test, Correct: "holm", Alpha: 0.05, Confidence: 0.95, Permutations: 5000, Seed: 1,
	}
}

// once returns each system with one run.
func once(scores ...[]float64) [][][]float64 {
	var out [][][]float64
	for _, s := range scores {
		out = append(out, [][]float64{s})
	}
	return out
}

// Expected values: raw p from scipy 1.10.1 permutation_test (0.0390625 for the first pair,
// exact), Holm by hand: the smaller p of two doubled.
func TestVersus(t *testing.T) {
	got, err := plan("randomization").Versus(once(threeSystems...))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean of the baseline", got[0].Mean, 0.406, 1e-12)
	near(t, "mean difference", got[1].Test.MeanDifference, 0.05, 1e-12)
	near(t, "p", got[1].Test.P, 0.0390625, 1e-12)
	near(t, "adjusted p", got[1].Adjusted, 0.078125, 1e-12)
	if v := got[1]; v.Wins != 7 || v.Ties != 1 || v.Losses != 2 || v.Significant || !v.Interval.Contains(0.05) {
		t.Errorf("second system: %+v", v)
	}
}

// Every test names itself, finds no difference between identical systems, and distinguishes a
// system that always wins from one that always loses.
func TestPlanEveryTest(t *testing.T) {
	worse := slices.Clone(system)
	for i := range worse {
		worse[i] -= 0.3 + 0.01*float64(i)
	}
	for _, name := range stats.TestNames() {
		got, err := plan(name).Versus(once(system, system, worse))
		if err != nil {
			t.Fatal(name, err)
		}
		if got[1].Test.Name != name || got[1].Adjusted != 1 || got[1].Significant {
			t.Errorf("%s of identical systems: %+v", name, got[1])
		}
		if !got[2].Significant || got[2].Losses != 10 {
			t.Errorf("%s of a system that loses everywhere: %+v", name, got[2])
		}
		ranks, err := plan(name).Ranks(once(system, system, worse))
		if err != nil {
			t.Fatal(name, err)
		}
		if ranks[0].Low != 1 || ranks[0].High != 2 || ranks[1].High != 2 || ranks[2].Low != 3 {
			t.Errorf("%s ranks %+v", name, ranks)
		}
	}
	if _, err := plan("wilcoxn").Versus(once(threeSystems...)); err == nil || !strings.Contains(err.Error(), `"wilcoxon"`) {
		t.Errorf("unknown test: %v", err)
	}
	if _, err := plan("t").Versus(once(threeSystems[0])); err == nil {
		t.Error("one system: no error")
	}
}

// For any test and correction, the interval shown with a corrected p excludes 0 only if the
// comparison is significant, and always if it is, unless only Holm's step shows it.
func TestIntervalAndVerdict(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	shown, alone := map[bool]int{}, 0
	for range 60 {
		var systems [][]float64
		for i := range 4 {
			values := make([]float64, 12)
			for q := range values {
				values[q] = math.Round(20*(.5+.05*float64(i)+.1*random.NormFloat64())) / 20
			}
			systems = append(systems, values)
		}
		for _, test := range stats.TestNames() {
			for _, correct := range []string{"holm", "bonferroni", "none"} {
				p := plan(test)
				p.Correct, p.Permutations = correct, 400
				got, err := p.Versus(once(systems...))
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range got[1:] {
					shown[v.Significant]++
					if v.HolmAlone() && correct == "holm" && test != "tukey" {
						alone++
						continue
					}
					if _, _, ok := v.Interval.Get(); ok && v.Significant == v.Interval.Contains(0) {
						t.Errorf("%s, %s: %+v", test, correct, v)
					}
				}
			}
		}
	}
	if shown[true] < 50 || shown[false] < 50 || alone < 5 {
		t.Errorf("%v, %d by Holm alone: too few of some to tell", shown, alone)
	}
}

// By hand: for 1 2 6 the exact sign-flip test rejects nothing at .05, because p is never
// below 2/8. For six values all above 0 it rejects 0: p is 2/64.
func TestAccepted(t *testing.T) {
	p := plan("randomization")
	few, err := p.Versus(once([]float64{0, 0, 0}, []float64{1, 2, 6}))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := few[1].Interval.Get(); ok {
		t.Errorf("of three pairs: %v", few[1].Interval)
	}
	six, err := p.Versus(once(make([]float64, 6), []float64{1, 2, 6, 3, 2.5, 4}))
	if err != nil {
		t.Fatal(err)
	}
	// The end is the value at which a pattern with the smallest value flipped ties: 1.
	if low, _, ok := six[1].Interval.Get(); !ok || math.Abs(low-1) > 1e-6 {
		t.Errorf("of six pairs: %v", six[1].Interval)
	}
}

// Runs of one system are replicates, which are an error for any test but t.
func TestReplicated(t *testing.T) {
	values := [][][]float64{{system}, {threeSystems[1], threeSystems[2]}}
	if _, err := plan("sign").Versus(values); err == nil || !strings.Contains(err.Error(), "several runs, which test \"sign\" does not support") {
		t.Errorf("error %v", err)
	}
	got, err := plan("t").Versus(values)
	if err != nil {
		t.Fatal(err)
	}
	if fixed, _ := plan("t").Versus(once(system, stats.SeedMeans(values[1]))); got[1].P <= fixed[1].P || got[1].Interval.Low >= fixed[1].Interval.Low {
		t.Errorf("runs %+v, their mean %+v", got[1], fixed[1])
	}
}
