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
		{"recorded", func(*results.Provenance) {}, "train CPU s", "12.0", "processor seconds (of all cores together)"},
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
		head, train := costs.Columns[2].Name, costs.Rows[0].Entries[2].Text
		if head != c.head || train != c.train || !strings.Contains(costs.Caption, c.caption) {
			t.Errorf("%s: %q %q, %q", c.name, head, train, costs.Caption)
		}
	}
}
