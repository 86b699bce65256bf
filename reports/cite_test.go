package reports

import (
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
)

// TestCitation: a report names the days and programs of its numbers, and so does the report that is
// built again from the data of its page.
func TestCitation(t *testing.T) {
	e := reportstest.Small()
	e.Name = "small"
	last := &e.Trials[len(e.Trials)-1].Provenance
	last.Started = last.Started.AddDate(0, 0, 2)
	last.Address = "https://acme.org/infbench"
	r := build(t, Options{}, e)
	again := build(t, r.Data.BuildOptions(), r.Data.Experiments()...)
	for _, of := range []*Report{r, again} {
		if got := strings.Join(of.Facts, " · "); !strings.HasSuffix(got, " · measured 2026-11-20 to 2026-11-22 · infbench v0.1.0 (da58a1a)") {
			t.Errorf("facts %s", got)
		}
		want := "small. Measured 2026-11-20 to 2026-11-22. infbench v0.1.0 (da58a1a), v0.1.0 (da58a1a), https://acme.org/infbench. SHA-256 of all values: 1234."
		if got := of.Citation("1234"); got != want {
			t.Errorf("citation %s\nwant %s", got, want)
		}
	}
	if got := build(t, Options{}, reportstest.OneSystem(.1, .2)...).Facts; slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "measured") || strings.Contains(s, "infbench") }) {
		t.Errorf("facts of a trial without a record: %q", got)
	}
}
