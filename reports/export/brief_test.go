package export

import (
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// TestBriefly checks that a report that is made only for its first screen prints the same first
// screen.
func TestBriefly(t *testing.T) {
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]reports.Options{
		"boards":     {},
		"ablation":   {Ablation: true},
		"projection": {Projection: &scores.Projection{Row: []string{"loss"}, Col: []string{"benchmark", "task", "side", "measure"}}},
		"view":       {View: reports.Views()[0]},
		"published":  {Published: []*published.Collection{paper}},
		"overlaps":   {Overlaps: []results.Overlap{{Train: "mini-infir", Test: "mini-followir", Group: "queries", Words: 13, Texts: 80, Exact: 3}}},
	} {
		e := reportstest.Fixture(2)
		reportstest.Fail(e, "uni(P)", "out of memory")
		want := written(t, build(t, o, e).Brief(), "terminal")
		o.Brief = true
		if got := written(t, build(t, o, e).Brief(), "terminal"); got != want || len(want) < 200 {
			t.Errorf("%s: made briefly it prints\n%s\nwant\n%s", name, got, want)
		}
	}
	alone := reports.Options{Published: []*published.Collection{paper}, Brief: true}
	if r := build(t, alone).Brief(); r.Data == nil || len(r.Sections) < 2 {
		t.Error("without trials it is not the whole report")
	}
}
