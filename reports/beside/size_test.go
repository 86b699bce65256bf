package beside

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/reports/published"
)

// sized lists models whose size is known, ten of them from one organisation.
var sized = []string{"intfloat/e5-small", "intfloat/e5-base", "intfloat/e5-large", "intfloat/e5-small-v2", "intfloat/e5-base-v2", "intfloat/e5-large-v2",
	"intfloat/multilingual-e5-small", "intfloat/multilingual-e5-base", "intfloat/multilingual-e5-large", "intfloat/e5-mistral-7b-instruct"}

// TestSizes checks that a board of known models has their size and type and plots numbers
// against size, with the names of models that no smaller one beats. A note counts the rows
// with other data that are left out. A board of unknown models has none of these.
func TestSizes(t *testing.T) {
	tasks := []string{"X", "Y"}
	var cells []published.Cell
	for i, model := range sized {
		cells = append(cells, scored(model, "r1", "AP", tasks, float64(i)/10, float64(i)/10)...)
	}
	cells = append(cells, scored("nobody/nothing", "r1", "AP", tasks, .99, .99)...)
	cells = append(cells, scored("BAAI/bge-m3", "r2", "AP", tasks, .99, .99)...)
	b := NewBoard(1, &published.Collection{Source: "MTEB", Cells: cells})
	if c := b.Leaderboard.Columns; c[sizeAt].Name != "size" || c[typeAt].Name != "type" {
		t.Fatalf("columns %+v", c)
	}
	for _, r := range b.Leaderboard.Rows {
		text := fmt.Sprint(r.Entries[0].Text, " ", r.Entries[sizeAt].Text, " ", r.Entries[typeAt].Text)
		if strings.HasPrefix(text, "intfloat/e5-mistral") && text != "intfloat/e5-mistral-7b-instruct 7.1B dense, instructed" || strings.HasPrefix(text, "nobody") && text != "nobody/nothing  " {
			t.Errorf("%q", text)
		}
	}
	s, err := b.sizes()
	if err != nil || len(s.Figures) == 0 {
		t.Fatalf("%d figures: %v", len(s.Figures), err)
	}
	f, points := s.Figures[0], 0
	var named []string
	for _, m := range f.Marks {
		points += len(m.Data)
		for _, d := range m.Data {
			if d.Name != "" {
				named = append(named, d.Name)
			}
		}
	}
	if points != len(sized) || !f.X.Log || !slices.Contains(named, "e5-mistral-7b-instruct") {
		t.Errorf("%d points, named %q", points, named)
	}
	if !strings.Contains(f.Caption, "1 row with other data is left out") {
		t.Errorf("caption %q", f.Caption)
	}
	whole, err := b.Section()
	if err != nil || whole.Live != "published-1-filters" {
		t.Errorf("live %q, %v", whole.Live, err)
	}
	none := NewBoard(1, &published.Collection{Source: "MTEB", Cells: scored("nobody/nothing", "r1", "AP", tasks, .5, .5)})
	if s, err := none.Section(); err != nil || s.Live != "" || none.Leaderboard.Columns[1].Name == "size" {
		t.Errorf("of unknown models: live %q, %v", s.Live, err)
	}
}
