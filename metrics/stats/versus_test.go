package stats_test

import (
	"slices"
	"strings"
	"testing"

	"infbench/metrics/stats"
)

func plan(test string) stats.Plan {
	return stats.Plan{
		Test: test, Correct: stats.Holm, Alpha: 0.05, Permutations: 5000, Seed: 1,
		Bootstrap: stats.Bootstrap{Level: 0.95, Resamples: 500, Seed: 1},
	}
}

// Expected: raw p from scipy 1.10.1 permutation_test (0.0390625 for the first
// pair, exact), Holm by hand: the smaller p of two doubled.
func TestVersus(t *testing.T) {
	got, err := plan("randomization").Versus(threeSystems)
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

// Every test names itself, finds nothing between identical systems and puts a
// system that always wins apart from one that always loses.
func TestPlanEveryTest(t *testing.T) {
	worse := slices.Clone(system)
	for i := range worse {
		worse[i] -= 0.3 + 0.01*float64(i)
	}
	for _, name := range stats.TestNames() {
		got, err := plan(name).Versus([][]float64{system, system, worse})
		if err != nil {
			t.Fatal(name, err)
		}
		if got[1].Test.Name != name || got[1].Adjusted != 1 || got[1].Significant {
			t.Errorf("%s of identical systems: %+v", name, got[1])
		}
		if !got[2].Significant || got[2].Losses != 10 {
			t.Errorf("%s of a system that loses everywhere: %+v", name, got[2])
		}
		ranks, err := plan(name).Ranks([][]float64{system, system, worse})
		if err != nil {
			t.Fatal(name, err)
		}
		if ranks[0].Low != 1 || ranks[0].High != 2 || ranks[1].High != 2 || ranks[2].Low != 3 {
			t.Errorf("%s ranks %+v", name, ranks)
		}
	}
	if _, err := plan("wilcoxn").Versus(threeSystems); err == nil || !strings.Contains(err.Error(), `"wilcoxon"`) {
		t.Errorf("unknown test: %v", err)
	}
	if _, err := plan("t").Versus(threeSystems[:1]); err == nil {
		t.Error("one system: no error")
	}
}
