package beside

import (
	"slices"
	"strings"
	"testing"

	"infbench/reports/published"
	"infbench/reports/table"
)

// TestPublishedLookAlikes checks that a board names models with similar names.
func TestPublishedLookAlikes(t *testing.T) {
	tasks := []string{"X"}
	b := NewBoard(1, &published.Collection{Source: "MTEB", Doubts: []string{"d"}, Cells: append(scored("A", "r", "nDCG@10", tasks, .1), scored("A ", "r", "nDCG@10", tasks, .2)...)})
	if want := []string{"d", `These names look alike and are kept apart: "A", "A "`}; !slices.Equal(b.Doubts, want) {
		t.Errorf("%q, want %q", b.Doubts, want)
	}
}

// TestPublishedMeans checks that a model without some tasks of a mean is shown without it,
// with the reason. It is below the models with a mean, even if its tasks are higher, and
// is not bold. A model with none of the tasks, or on another split, has no entry.
func TestPublishedMeans(t *testing.T) {
	tasks := []string{"Core17InstructionRetrieval", "News21InstructionRetrieval", "Robust04InstructionRetrieval"}
	cells := scored("all", "r", "p-MRR", tasks, .1, .2, .3)
	cells = append(cells, scored("low", "r", "p-MRR", tasks, .1, .1, .1)...)
	cells = append(cells, scored("less", "r", "p-MRR", tasks[:2], .8, .9)...)
	cells = append(cells, scored("none", "r", "nDCG@10", []string{"NQ"}, .5)...)
	dev := scored("dev", "r", "p-MRR", tasks, .9, .9, .9)
	dev[0].Split = "dev"
	b := NewBoard(1, &published.Collection{Source: "MTEB", Cells: append(cells, dev...)})
	mean := -1
	for j, c := range b.Leaderboard.Columns {
		if strings.HasPrefix(c.Name, "p-MRR") && c.Group == followIRGroup {
			mean = j
		}
	}
	want := map[string]string{"all": "+20.0", "low": "+10.0", "less": "missing", "none": "", "dev": "missing"}
	for i, r := range b.Leaderboard.Rows {
		model, e := r.Entries[0].Text, r.Entries[mean]
		if e.Text != want[model] || e.Best != (model == "all") || (i == 0) != (model == "all") || (e.Tone == table.Absent) != (e.Text == "missing") {
			t.Errorf("row %d, %s: %+v, want %q", i, model, e, want[model])
		}
	}
}
