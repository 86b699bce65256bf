package chart

import (
	"slices"
	"strings"
	"testing"

	"infbench/reports/table"
)

// TestForest checks that a forest is sorted by the direction of its measure, and that
// failed systems are red and named as failed.
func TestForest(t *testing.T) {
	rows := []Estimate{
		{Name: "uni(P)", Kind: table.Trained, Value: 39.2, Low: 30, High: 48},
		{Name: "random", Kind: table.Null, Value: 9, Low: 5, High: 14, Failed: "above chance"},
		{Name: "untrained", Kind: table.Baseline, Value: -.2, Low: -4, High: 4},
		{Name: "uni(I,IQ)", Kind: table.Trained, Value: 45.5, Low: 37, High: 54},
	}
	for _, c := range []struct {
		best table.Best
		want string
	}{
		{table.Highest, "uni(I,IQ) uni(P) random: above chance untrained"},
		{table.Lowest, "untrained random: above chance uni(P) uni(I,IQ)"},
		{table.NoBest, "uni(P) random: above chance untrained uni(I,IQ)"},
	} {
		f, err := Forest("f", "p-MRR on B", "p-MRR ×100", "95% intervals over queries", c.best, rows).Drawn()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(f.Y.Names, " "); got != c.want {
			t.Errorf("rows %q, want %q", got, c.want)
		}
		red := slices.IndexFunc(f.Marks, func(m Mark) bool { return m.Colour == Failed })
		if red < 0 || len(f.Marks[red].Data) != 1 || !strings.HasPrefix(f.Marks[red].Data[0].Name, "random") || !strings.Contains(f.Caption, "Red") {
			t.Errorf("what failed: %+v, %q", f.Marks, f.Caption)
		}
		if f.Drawing == nil || f.Option == nil || len(f.Table.Rows) != len(rows) || !strings.Contains(f.Caption, "95% intervals over queries") {
			t.Errorf("%+v", f)
		}
	}
}
