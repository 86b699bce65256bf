package export

import (
	"strings"
	"testing"

	"infbench/reports"
	"infbench/runners/results"
)

func mustBuild(t *testing.T, o reports.Options, exps ...*results.Experiment) *reports.Report {
	t.Helper()
	r, err := reports.Build(exps, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustWrite(t *testing.T, r *reports.Report, format string) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, r, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
