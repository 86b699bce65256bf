package verify

import (
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/page"
	"infbench/reports/published"
	"infbench/runners/results"
)

// The page of a view is made again from its data, except the paper's tables, and unconfirmed parts
// are listed.
func TestViewPages(t *testing.T) {
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	value := .5
	study := &results.Study{Format: results.StudyFormat, Kind: "agreement", Name: "picks", Level: .95, Values: []results.StudyValue{{Measure: "Cohen's kappa", Of: "a | b", N: 9, Value: &value}}}
	exps := reportstest.TwoSystems()
	for _, view := range reports.Views() {
		o := reports.Options{}
		o.View, o.Published, o.Studies = view, []*published.Collection{paper}, []*results.Study{study}
		var html strings.Builder
		r := build(t, o, exps...)
		if err := page.WriteWith(&html, r, nil); err != nil {
			t.Fatal(err)
		}
		if v := verified(t, html.String(), exps); len(v.Differ) > 0 || v.Cells == 0 {
			t.Errorf("%s: %d differences, the first %s", view, len(v.Differ), v.Differ[0])
		}
		if view != "agreement" {
			continue
		}
		bent := strings.Replace(html.String(), ">0.5000<", ">0.9000<", 1)
		if v := verified(t, resealed(bent), exps); bent == html.String() || len(v.Differ) != 1 {
			t.Errorf("a number of a study was changed: %v", v.Differ)
		}
	}
}
