package export

import (
	"strings"
	"testing"

	"infbench/reports"
	"infbench/reports/page"
	"infbench/reports/verify"
	"infbench/runners/results"
)

// pageOf writes a page with its seal and without the script for charts.
func pageOf(t *testing.T, exps []*results.Experiment) string {
	t.Helper()
	var b strings.Builder
	r := build(t, reports.Options{}, exps...)
	if err := page.WriteWith(&b, r, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func verified(t *testing.T, page string, runs []*results.Experiment) *verify.Verification {
	t.Helper()
	v, err := verify.Page([]byte(page), verify.Options{Runs: runs})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
