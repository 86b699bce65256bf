package write

import (
	"strings"
	"testing"

	"infbench/reports"
	"infbench/reports/published"
	"infbench/reports/reportstest"
)

// Each view shows what the fixture has, the paper's table where asked, or what
// is missing with the command that makes it.
func TestViews(t *testing.T) {
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		view  string
		wants []string // in the terminal's text
	}{
		{"main", []string{"main: by backbone, variant", "untrained", "multi(P,I,IQ)", "Printed in InF-IR, table 2"}},
		{"ablation", []string{"ablation: by variant", "tiny-bert", "table 3", "table 6"}},
		{"designs", []string{"no two designs", "infbench sweep bench/experiments/mini-designs.yaml", "table 4"}},
		{"baselines", []string{"baselines: by kind, system", "bm25", "table 5"}},
		{"quality", []string{"p-MRR against", "table 2"}},
		{"agreement", []string{"infbench agreement PICKS.csv"}},
		{"diversity", []string{"infbench diversity TEXTS.jsonl"}},
	} {
		o := reports.Options{}
		o.View, o.Published = test.view, []*published.Collection{paper}
		r := build(t, o, reportstest.Fixture(1))
		text := written(t, r, "terminal")
		for _, want := range test.wants {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
				t.Errorf("%s lacks %q:\n%.1500s", test.view, want, text)
			}
		}
		if alone, err := reports.Build(nil, o); err != nil || len(alone.Tables()) == 0 {
			t.Errorf("%s of the paper alone: %v", test.view, err)
		}
	}
	o := reports.Options{}
	o.View = "abaltion"
	if _, err := reports.Build(nil, reports.Options{View: o.View, Published: []*published.Collection{paper}}); err == nil || !strings.Contains(err.Error(), `did you mean "ablation"`) {
		t.Errorf("unknown view: %v", err)
	}
}
