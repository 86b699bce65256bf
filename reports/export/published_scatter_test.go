package export

import (
	"fmt"
	"strings"
	"testing"

	"infbench/reports"
	"infbench/reports/published"
)

// TestPublishedTradeoff checks that charts of published numbers show only rows that have both
// numbers under one pair of conventions, the highest first.
func TestPublishedTradeoff(t *testing.T) {
	c := &published.Collection{Source: "MTEB"}
	add := func(model, qrels string, score, pmrr float64) {
		for _, task := range published.Combinations("followir")[0].Parts {
			cell := published.Cell{Source: "MTEB", Model: model, Task: published.Names("followir", task.Task)[0].Task, Measure: task.Measure, Value: score, Main: true,
				Conventions: published.Conventions{Qrels: qrels, Ties: published.TiesByID}}
			c.Cells = append(c.Cells, cell)
			if pmrr != 0 {
				cell.Measure, cell.Value, cell.Main = "p-MRR", pmrr, false
				c.Cells = append(c.Cells, cell)
			}
		}
	}
	for i := range 4 {
		add(fmt.Sprintf("org/new-%d", i), "original", 0.1*float64(i+1), 0.01*float64(i+1))
		add(fmt.Sprintf("org/old-%d", i), "changed", 0.5, -0.01*float64(i+1))
	}
	add("org/silent", "original", 0.9, 0)
	r, err := reports.Build(nil, reports.Options{Published: []*published.Collection{c}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"FollowIR: p-MRR against score, original judgments: new-3 40.0 +4.0, new-2 30.0 +3.0, new-1 20.0 +2.0, new-0 10.0 +1.0",
		"FollowIR: p-MRR against score, changed judgments: old-0 50.0 -1.0, old-1 50.0 -2.0, old-2 50.0 -3.0, old-3 50.0 -4.0",
	}
	figures := r.Section(r.Published[0].ID + "-tradeoff").Figures
	for i, f := range figures {
		var points []string
		for _, row := range f.Table.Rows {
			points = append(points, row.Entries[0].Text+" "+row.Entries[2].Text+" "+row.Entries[3].Text)
		}
		if got := f.Title + ": " + strings.Join(points, ", "); i >= len(want) || got != want[i] {
			t.Errorf("chart %d: %s", i, got)
		}
		if !strings.Contains(string(f.Drawing.SVG), "old-0") && !strings.Contains(string(f.Drawing.SVG), "new-3") {
			t.Errorf("chart %d names no model", i)
		}
	}
	if len(figures) != len(want) {
		t.Errorf("%d charts, want %d", len(figures), len(want))
	}
	if page := written(t, r, "html"); !strings.Contains(page, `id="published-1-tradeoff-2"`) {
		t.Error("the page lacks a chart")
	}
}
