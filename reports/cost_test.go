package reports

import (
	"fmt"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// TestCostClock checks that costs are in processor seconds if all trials recorded them and
// no accelerator was used, else in wall-clock seconds with the reason.
func TestCostClock(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*results.Provenance)
		head    string
		train   string
		caption string
	}{
		{"recorded", func(*results.Provenance) {}, "train CPU s", "12.0", "Processor seconds (of all cores together)"},
		{"old", func(p *results.Provenance) { p.CPUSeconds = nil }, "train wall s", "45.9", "Not all of them recorded"},
		{"device", func(p *results.Provenance) { p.Backend = "xla:cuda" }, "train wall s", "45.9", "accelerator"},
	} {
		e := &results.Experiment{Name: "cost"}
		for i, loss := range []string{"uni(P)", "uni(I)"} {
			trial := reportstest.TrialOf(fmt.Sprint(i), map[string]string{results.Model: "trained", results.Loss: loss}, reportstest.At("B", "x", "", "nDCG@10", "q", .5))
			trial.Provenance.Seconds = map[string]float64{"train": 45.9, "evaluate": 2, "total": 48}
			trial.Provenance.CPUSeconds = map[string]float64{"train": 12, "evaluate": 1, "total": 13}
			if i == 1 {
				c.change(&trial.Provenance)
			}
			e.Trials = append(e.Trials, trial)
		}
		r := build(t, Options{}, e)
		costs := r.Section(r.Boards[0].ID + "-costs").Tables[0]
		head, train := costs.Columns[1].Name, costs.Rows[0].Entries[1].Text
		if head != c.head || train != c.train || !strings.Contains(costs.Caption, c.caption) {
			t.Errorf("%s: %q %q, %q", c.name, head, train, costs.Caption)
		}
	}
}

// TestCostFirst checks that costs come before quality: one number for each benchmark, or
// two if the first is a shift.
func TestCostFirst(t *testing.T) {
	e := &results.Experiment{Name: "cost"}
	for i, loss := range []string{"uni(P)", "uni(I)"} {
		var values []reportstest.Value
		for _, task := range []string{"x", "y"} {
			for _, measure := range []string{"p-MRR", "AP@1000", "nDCG@5"} {
				side := "original"
				if measure == "p-MRR" {
					side = ""
				}
				values = append(values, reportstest.At("B", task, side, measure, "q", .5))
			}
			values = append(values, reportstest.At("C", task, "", "nDCG@10", "q", .5))
		}
		trial := reportstest.TrialOf(fmt.Sprint(i), map[string]string{results.Model: "trained", results.Loss: loss}, values...)
		trial.Provenance.Seconds = map[string]float64{"train": 45.9, "evaluate": 2, "total": 48}
		e.Trials = append(e.Trials, trial)
	}
	r := build(t, Options{}, e)
	var heads []string
	for _, c := range r.Section(r.Boards[0].ID + "-costs").Tables[0].Columns {
		heads = append(heads, c.Flat())
	}
	want := "system; train wall s; evaluate wall s; peak MiB; B (mean of 2 tasks) p-MRR; B (mean of 2 tasks) nDCG@5 original; C (mean of 2 tasks) nDCG@10"
	if got := strings.Join(heads, "; "); got != want {
		t.Errorf("columns\n%s, want\n%s", got, want)
	}
}
