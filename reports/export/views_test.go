package export

import (
	"regexp"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/published"
)

// Each view shows the contents of the fixture, the paper's table if asked, or the missing results
// with the command that makes them.
func TestViews(t *testing.T) {
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		view  string
		wants []string // in the terminal's text
	}{
		{"main", []string{"main: each backbone, untrained and trained, measured", "base (untrained)", "InF-Embed: multi(P,I,IQ)", "Printed in InF-IR, table 2"}},
		{"ablation", []string{"losses: each loss on each backbone, measured", "tiny-bert", "table 3", "table 6"}},
		{"losses", []string{"losses: each loss on each backbone, measured", "tiny-bert", "table 3", "table 6"}},
		{"designs", []string{"no two designs", "infbench sweep bench/experiments/mini-designs.yaml", "table 4"}},
		{"baselines", []string{"Not in the paper's table", "bm25", "table 5", "Sparse Retrieval"}},
		{"sizes", []string{"Base Size: < 1B parameters", "1 of 13", "InF-Embed (e5-large-v2)"}},
		{"quality", []string{"infbench sweep bench/experiments/mini-filtering.yaml", "without printing its values"}},
		{"agreement", []string{"infbench data agreement PICKS.csv"}},
		{"diversity", []string{"infbench data diversity TEXTS.jsonl"}},
		{"data", []string{"a count of a collection", "InF-IR (Ours)", "160.83"}},
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
		if alone, err := reports.Build(nil, o); err != nil || alone.Section("projection").Empty() {
			t.Errorf("%s of the paper alone: %v", test.view, err)
		}
	}
	o := reports.Options{View: "main", Published: []*published.Collection{paper}}
	for _, format := range Formats() { // trailing zeros and lost digits in every format
		for view, raws := range map[string][]string{"main": {"4.29", "1."}, "losses": {"9.70", "1.00", "20.80"}, "baselines": {"17.49", "39.1"}, "data": {"103.2", "77.5K"}} {
			o.View = view
			text := written(t, build(t, o), format)
			for _, raw := range raws {
				if !regexp.MustCompile(`[^0-9.]` + regexp.QuoteMeta(raw) + `([^0-9.]|$)`).MatchString(text) {
					t.Errorf("%s as %s lacks %q", view, format, raw)
				}
			}
		}
	}
	o = reports.Options{}
	o.View = "abaltion"
	if _, err := reports.Build(nil, reports.Options{View: o.View, Published: []*published.Collection{paper}}); err == nil || !strings.Contains(err.Error(), `did you mean "ablation"`) {
		t.Errorf("unknown view: %v", err)
	}
}
