package export

import (
	"bytes"
	"strings"
	"testing"

	"infbench/reports"
	"infbench/reports/page"
	"infbench/reports/published"
)

// A board never mixes numbers of two conventions in one column, and shows a mean over FollowIR only
// for all three tasks.
func TestPublishedBoard(t *testing.T) {
	cell := func(model, task, measure string, value float64, c published.Conventions) published.Cell {
		side := map[bool]string{true: "original"}[measure != "p-MRR"]
		return published.Cell{Source: "MTEB", Model: model, Task: task, Side: side, Measure: measure, Value: value, Main: measure != "p-MRR", Conventions: c}
	}
	old := published.Conventions{Qrels: "changed", Ties: published.TiesByInsertion, Version: "mteb 1.18.0"}
	current := published.Conventions{Qrels: "original", Ties: published.TiesByID, Version: "mteb 2.20.0"}
	c := &published.Collection{Source: "MTEB", Files: 5, Cells: []published.Cell{
		cell("whole", "Robust04InstructionRetrieval", "AP@1000", .1, old),
		cell("whole", "News21InstructionRetrieval", "nDCG@5", .2, old),
		cell("whole", "Core17InstructionRetrieval", "AP@1000", .3, old),
		cell("part", "Core17InstructionRetrieval", "AP@1000", .9, old),
		cell("new<b>", "Core17InstructionRetrieval", "AP@1000", .8, current),
		cell("new<b>", "Core17InstructionRetrieval", "p-MRR", -.05, current),
	}, Missing: []published.Missing{{Model: "gone", Task: "T", File: "f.json", Reason: "the file holds no number"}}}
	r, err := reports.Build(nil, reports.Options{Published: []*published.Collection{c}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteCSV(&out, r); err != nil {
		t.Fatal(err)
	}
	table := r.Published[0].Leaderboard
	var head []string
	for _, c := range table.Columns {
		head = append(head, c.Flat())
	}
	wantHead := "model|FollowIR score, changed judgments|Core17 p-MRR, ties by document ID|Core17 AP@1000, original judgments|Core17 AP@1000, changed judgments|" +
		"News21 nDCG@5, changed judgments|Robust04 AP@1000, changed judgments|revision|made by"
	if got := strings.Join(head, "|"); got != wantHead {
		t.Errorf("columns\n%s\nwant\n%s", got, wantHead)
	}
	want := []string{
		"whole|20.0|||30.0|20.0|10.0||mteb 1.18.0", // the only row with a mean
		"new<b>||-5.0|80.0|||||mteb 2.20.0",
		"part|missing|||90.0||||mteb 1.18.0",
	}
	for i, row := range table.Rows {
		var texts []string
		for _, e := range row.Entries {
			texts = append(texts, e.Text)
		}
		if got := strings.Join(texts, "|"); got != want[i] {
			t.Errorf("row %d: %s, want %s", i, got, want[i])
		}
	}
	var html bytes.Buffer
	if err := page.Write(&html, r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(html.String(), "new<b>") || !strings.Contains(html.String(), "new&lt;b&gt;") {
		t.Error("a model's name is not escaped")
	}
	if !strings.Contains(html.String(), "the file holds no number") {
		t.Error("a missing result is not named")
	}
}
