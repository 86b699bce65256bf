package page

import (
	"testing"

	"infbench/reports"
	"infbench/runners/results"
)

func build(t *testing.T, o reports.Options, exps ...*results.Experiment) *reports.Report {
	t.Helper()
	r, err := reports.Build(exps, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
