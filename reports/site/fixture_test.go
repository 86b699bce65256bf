package site

import (
	"strings"
	"testing"

	"infbench/bench/results"
	"infbench/reports"
	"infbench/reports/contrast"
	"infbench/reports/write"
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

func written(t *testing.T, r *reports.Report, format string) string {
	t.Helper()
	var b strings.Builder
	if err := write.Write(&b, r, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
