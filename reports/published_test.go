package reports

import (
	"strings"
	"testing"

	"infbench/reports/published"
)

// TestPublishedBright checks that the mean over BRIGHT is shown with its twelve domains,
// and is missing if a domain lacks. The expected mean of .01 to .12 is .065.
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
	if got := table.Columns[1].Flat(); got != "BRIGHT mean of 12 domains, nDCG@10 standard" {
		t.Errorf("column %q", got)
	}
	for i, want := range []string{"whole no_revision_available 6.5", "part no_revision_available missing"} {
		e := table.Rows[i].Entries
		if got := e[0].Text + " " + e[len(e)-2].Text + " " + e[1].Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
