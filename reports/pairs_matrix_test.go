package reports

import (
	"strconv"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/internal/words"
	"infbench/reports/contrast"
)

// TestPairMatrix checks that every cell of a matrix is the page's test of that pair, that its
// halves mirror each other, and that wins and losses are counted from it.
func TestPairMatrix(t *testing.T) {
	r := build(t, Options{}, reportstest.Fixture(3))
	b := r.Boards[0]
	s := r.Section(b.ID + "-pairs")
	if s == nil || len(s.Tables) == 0 {
		t.Fatal("no matrix")
	}
	of := s.Tables[0]
	ranking := b.Rankings[0]
	systems := ranking.Ranked()
	if len(of.Rows) != len(systems) || len(of.Columns) != len(systems)+3 {
		t.Fatalf("%d rows, %d columns of %d systems", len(of.Rows), len(of.Columns), len(systems))
	}
	shown := 0
	for i, row := range of.Rows {
		wins, losses := 0, 0
		for j, e := range row.Entries[3:] {
			if i == j {
				if e.Text != "–" || e.Sort != nil {
					t.Errorf("the diagonal has %q", e.Text)
				}
				continue
			}
			c := b.pairs().Of(ranking.Column, systems[j], systems[i])
			if e.Text != words.Signed(c.Difference) || *e.Sort != c.Difference || e.Tone != c.Judged().Tone() {
				t.Errorf("%s minus %s: %+v, the test %v", systems[i].Label, systems[j].Label, e, c.Difference)
			}
			if back := of.Rows[j].Entries[3+i]; *back.Sort != -*e.Sort {
				t.Errorf("%s minus %s: %v and %v", systems[i].Label, systems[j].Label, *e.Sort, *back.Sort)
			}
			if p := words.PValue(c.Adjusted); !strings.HasSuffix(strings.ReplaceAll(e.Under, "\u00a0", ""), strings.TrimPrefix(p, "<")) || !strings.HasPrefix(e.Under, "[") {
				t.Errorf("below: %q, p is %s", e.Under, p)
			}
			switch c.Judged() {
			case contrast.Better:
				wins++
			case contrast.Worse:
				losses++
			}
		}
		shown += wins
		if row.Entries[1].Text != strconv.Itoa(wins) || row.Entries[2].Text != strconv.Itoa(losses) {
			t.Errorf("%s: %s wins and %s losses, want %d and %d", systems[i].Label, row.Entries[1].Text, row.Entries[2].Text, wins, losses)
		}
	}
	if shown == 0 {
		t.Error("no pair differs")
	}
}
