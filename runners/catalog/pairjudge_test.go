package catalog

import (
	"testing"

	"infbench/datasets/curate"
)

func TestPickOf(t *testing.T) {
	for _, c := range []struct {
		probabilities []float64
		want          curate.Pick
	}{
		{[]float64{.1, .9, .3}, curate.Pick{Candidate: 1}},
		{[]float64{.1, .4, .3}, curate.Pick{Candidate: 1, Unsure: true}},
		{[]float64{.6, .9, .3}, curate.Pick{Candidate: 1, Unsure: true}},
		{[]float64{.5, .2}, curate.Pick{Candidate: 0, Unsure: true}},
		{[]float64{.9, .9, .3}, curate.Pick{Candidate: curate.None, Why: curate.NoneFits, Unsure: true}},
		{[]float64{.2, .2}, curate.Pick{Candidate: curate.None, Why: curate.NoneFits, Unsure: true}},
	} {
		if got := pickOf(c.probabilities); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.probabilities, got, c.want)
		}
	}
}
