package reports

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/chart"
	"infbench/runners/results"
)

// TestCurvesPicked checks that of many lines only a few are coloured: those of the best
// and the last systems, and the one that diverged. The others are grey behind them, and
// all lines are in the table.
func TestCurvesPicked(t *testing.T) {
	for _, n := range []int{3, 11, 80} {
		e := &results.Experiment{Name: "curves"}
		for i := range n {
			var values []reportstest.Value
			for q := range 4 {
				values = append(values, reportstest.At("B", "x", "", "nDCG@10", fmt.Sprint(q), float64(i)/100+float64(q)/1000))
			}
			trial := reportstest.TrialOf(fmt.Sprint(i), map[string]string{results.Model: "trained", results.Loss: "uni(P)", "train.lr": fmt.Sprint(i)}, values...)
			trial.Curve = []results.Step{{Step: 1, Loss: 2}, {Step: 2, Loss: 1 + math.Abs(float64(i)-float64(n)/2)}}
			if i == 3 && n > 10 {
				trial.Curve[1].Loss = 500
			}
			e.Trials = append(e.Trials, trial)
		}
		r := build(t, Options{}, e)
		f := r.Section(r.Boards[0].ID + "-training").Figures[0]
		var named []string
		behind := true
		for _, m := range f.Marks {
			if !m.Faint {
				named = append(named, m.Name[strings.Index(m.Name, "lr="):])
			}
			if m.Faint && len(named) > 0 {
				behind = false
			}
			if m.Shape != chart.Line {
				t.Errorf("%d: %s", n, m.Shape)
			}
		}
		want := map[int]string{3: "lr=0 lr=1 lr=2", 11: "lr=0 lr=3 lr=8 lr=9 lr=10", 80: "lr=0 lr=3 lr=77 lr=78 lr=79"}[n]
		if got := strings.Join(named, " "); got != want || !behind || len(f.Marks) != min(n, linesAtMost) || len(f.Table.Rows) != len(f.Marks) {
			t.Errorf("%d lines: %d drawn, %q coloured, want %q; behind %t", n, len(f.Marks), got, want, behind)
		}
		if strings.Contains(f.Caption, "grey") != (n > colouredAtMost) || strings.Contains(f.Caption, "of 80") != (n == 80) {
			t.Errorf("%d lines: %q", n, f.Caption)
		}
	}
}
