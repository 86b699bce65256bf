package reports

import (
	"testing"

	"infbench/runners/results"
)

func build(t *testing.T, o Options, exps ...*results.Experiment) *Report {
	t.Helper()
	r, err := Build(exps, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
