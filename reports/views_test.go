package reports

import (
	"io"
	"strings"
	"testing"

	"infbench/reports/published"
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
		o := quick
		o.View, o.Published = test.view, []*published.Collection{paper}
		r := build(t, o, fixture(1))
		text := written(t, r, "terminal")
		for _, want := range test.wants {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
				t.Errorf("%s lacks %q:\n%.1500s", test.view, want, text)
			}
		}
		if alone, err := Build(nil, o); err != nil || len(alone.Tables()) == 0 {
			t.Errorf("%s of the paper alone: %v", test.view, err)
		}
	}
	o := quick
	o.View = "abaltion"
	if _, err := Build(nil, Options{View: o.View, Published: []*published.Collection{paper}}); err == nil || !strings.Contains(err.Error(), `did you mean "ablation"`) {
		t.Errorf("unknown view: %v", err)
	}
}

// The page of a view is made again from what it carries, the paper's tables aside,
// and says what does not follow.
func TestViewPages(t *testing.T) {
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	value := .5
	study := &Study{Format: StudyFormat, Kind: "agreement", Name: "picks", Level: .95, Values: []StudyValue{{Measure: "Cohen's kappa", Of: "a | b", N: 9, Value: &value}}}
	exps := twoSystems()
	for _, view := range Views() {
		o := brief
		o.View, o.Published, o.Studies = view, []*published.Collection{paper}, []*Study{study}
		var page strings.Builder
		r := build(t, o, exps...)
		if err := sealed(&page, func(w io.Writer) error { return writeHTML(w, r, nil) }); err != nil {
			t.Fatal(err)
		}
		if v := verified(t, page.String(), exps); len(v.Differ) > 0 || v.Cells == 0 {
			t.Errorf("%s: %d differences, the first %s", view, len(v.Differ), v.Differ[0])
		}
		if view != "agreement" {
			continue
		}
		bent := strings.Replace(page.String(), ">0.5000<", ">0.9000<", 1)
		if v := verified(t, resealed(bent), exps); bent == page.String() || len(v.Differ) != 1 {
			t.Errorf("a number of a study was changed: %v", v.Differ)
		}
	}
}
