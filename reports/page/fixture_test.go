package page

import (
	"testing"

	"infbench/bench/results"
	"infbench/reports"
	"infbench/reports/contrast"
)

// quick keeps tests of anything but the statistics short.
var quick = contrast.Options{Permutations: 500, Resamples: 200}

func build(t *testing.T, o contrast.Options, exps ...*results.Experiment) *reports.Report {
	t.Helper()
	r, err := reports.Build(exps, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
