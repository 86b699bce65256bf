package reports

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/reports/published"
)

// A board never puts numbers of two conventions into one column, and a mean
// over FollowIR stands only where all three tasks are.
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
	r, err := Build(nil, Options{Published: []*published.Collection{c}})
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
		head = append(head, c.flat())
	}
	wantHead := "model|revision|made by|FollowIR score, changed judgments|Core17 AP@1000, original judgments|Core17 AP@1000, changed judgments|" +
		"Core17 p-MRR, ties by document ID|News21 nDCG@5, changed judgments|Robust04 AP@1000, changed judgments"
	if got := strings.Join(head, "|"); got != wantHead {
		t.Errorf("columns\n%s\nwant\n%s", got, wantHead)
	}
	want := []string{
		"part||mteb 1.18.0|||90.0|||", // most have the score of Core17 under exchanged judgments
		"whole||mteb 1.18.0|20.0||30.0||20.0|10.0",
		"new<b>||mteb 2.20.0||80.0||-5.0||",
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
	var page bytes.Buffer
	if err := WriteHTML(&page, r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "new<b>") || !strings.Contains(page.String(), "new&lt;b&gt;") {
		t.Error("a model's name is not escaped")
	}
	if !strings.Contains(page.String(), "the file holds no number") {
		t.Error("a missing result is not named")
	}
}

// The mean over BRIGHT stands beside its twelve domains, and not where one lacks.
// Expected: the mean of .01 to .12 is .065.
func TestPublishedBright(t *testing.T) {
	domains := []string{"biology", "earth_science", "economics", "psychology", "robotics", "stackoverflow", "sustainable_living", "leetcode", "pony", "aops", "theoremqa_questions", "theoremqa_theorems"}
	c := &published.Collection{Source: "MTEB"}
	for _, model := range []string{"whole", "part"} {
		for i, d := range domains[:len(domains)-strings.Count(model, "part")] {
			c.Cells = append(c.Cells, published.Cell{Model: model, Revision: "no_revision_available", Task: "BrightRetrieval", Split: "standard", Subset: d, Measure: "nDCG@10", Value: float64(i+1) / 100, Main: true})
		}
	}
	r, err := Build(nil, Options{Published: []*published.Collection{c}})
	if err != nil {
		t.Fatal(err)
	}
	table := r.Published[0].Leaderboard
	if got := table.Columns[3].flat(); got != "BRIGHT mean of 12 domains, nDCG@10 standard" {
		t.Errorf("column %q", got)
	}
	for i, want := range []string{"part no_revision_available ", "whole no_revision_available 6.5"} {
		if e := table.Rows[i].Entries; e[0].Text+" "+e[1].Text+" "+e[3].Text != want {
			t.Errorf("%q, want %q", e[0].Text+" "+e[1].Text+" "+e[3].Text, want)
		}
	}
}

// BenchmarkPublishedPage is the whole way from 600 result files to the page.
func BenchmarkPublishedPage(b *testing.B) {
	dir := os.Getenv("INFBENCH_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	file := filepath.Join(dir, "data", "mteb-results", "followir-200models.tar.gz")
	if _, err := os.Stat(file); err != nil {
		b.Skipf("SKIP: shared data absent at %s", file)
	}
	for b.Loop() {
		c, err := published.ReadMTEB(file)
		if err != nil {
			b.Fatal(err)
		}
		r, err := Build(nil, Options{Published: []*published.Collection{c}})
		if err != nil {
			b.Fatal(err)
		}
		var page bytes.Buffer
		if err := WriteHTML(&page, r); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(page.Len())/1e6, "MB")
	}
}
