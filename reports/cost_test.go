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

// TestCostChart draws quality against the seconds of training and evaluation.
func TestCostChart(t *testing.T) {
	e := &results.Experiment{Name: "cost"}
	for i, c := range []struct {
		model, loss string
		train       float64
		value       float64
	}{{"trained", "uni(P)", 12, .5}, {"trained", "uni(I)", 20, .6}, {"bm25", "", 0, .2}, {"random", "", -1, .1}} {
		trial := reportstest.TrialOf(fmt.Sprint(i), map[string]string{results.Model: c.model, results.Loss: c.loss}, reportstest.At("B", "x", "", "nDCG@10", "q", c.value))
		if c.train >= 0 {
			trial.Provenance.CPUSeconds = map[string]float64{"train": c.train, "evaluate": 1, "total": c.train + 2}
			trial.Provenance.Seconds = trial.Provenance.CPUSeconds
		}
		e.Trials = append(e.Trials, trial)
	}
	r := build(t, Options{}, e)
	s := r.Section(r.Boards[0].ID + "-costs")
	if len(s.Figures) != 1 {
		t.Fatalf("%d charts", len(s.Figures))
	}
	var got []string
	for _, m := range s.Figures[0].Marks {
		for _, d := range m.Data {
			got = append(got, fmt.Sprintf("%s %s %g %g", m.Shape, d.Name, d.X, d.Y))
		}
	}
	if text := strings.Join(got, ", "); text != "circle uni(P) 13 50, circle uni(I) 21 60, diamond bm25 1 20" {
		t.Error(text)
	}
	if notes := strings.Join(s.Figures[0].Table.Notes, " "); !strings.Contains(notes, "random has no point") {
		t.Error(notes)
	}
	if _, err := r.Picture("costs"); err != nil {
		t.Error(err)
	}
}
