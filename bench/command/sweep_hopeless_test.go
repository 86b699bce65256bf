package command

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/runners/trial"
)

const hopelessSource = `name: race
base:
  validate: {measure: %s, queries: 30}
  train: {epochs: 1, rows_per_group: 240, lr: 5e-3, evaluate_every: 3}
matrix: {loss: [uni(P), uni(IQ)]}
evaluate: [mini-bright]
stop_hopeless: {alpha: 0.05}
`

// TestStopHopeless: if a finished cell can no longer be reached, a cell ends early without a
// number, is shown with its progress, and goes on when the plan no longer asks for stopping.
// The best possible value is 1 for p-MRR, 0 for Unjudged@1.
func TestStopHopeless(t *testing.T) {
	t.Run("higher", func(t *testing.T) { testStopHopeless(t, "p-MRR", 1, datasets.None) })
	t.Run("lower", func(t *testing.T) { testStopHopeless(t, "Unjudged@1", 0, datasets.Original, datasets.Changed) })
}

func testStopHopeless(t *testing.T, measure string, best float64, sides ...datasets.Side) {
	plan, err := new(narrowing).plan(inFile(t, "race.yaml", fmt.Sprintf(hopelessSource, measure)))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	dir := filepath.Join(folder, plan.Name)
	if err := plan.Write(runs.At(dir).PlanPath()); err != nil {
		t.Fatal(err)
	}
	finishWith(t, runs.At(dir).Trial(plan.Trials[0].ID).Dir, &plan.Trials[0], best, sides)
	cell := &plan.Trials[1]
	var last engine.Progress
	in := trial.Usual(&cell.Cell, func(p engine.Progress) { last = p })
	in.Hopeless = trial.NewHopelessWatch(runs.At(dir), plan, cell)
	if err := trial.Run(context.Background(), runs.At(dir), cell, in); err != nil {
		t.Fatal(err)
	}
	if last.Phase != runs.StoppedPhase || last.Done >= last.Total {
		t.Errorf("the last report is %+v", last)
	}
	var got results.Trial
	if err := runs.At(dir).Trial(cell.ID).Reader().Trial(&got); err != nil || got.State != results.Stopped || len(got.Results) > 0 {
		t.Fatalf("the trial reads %+v, %v", got, err)
	}
	words := fmt.Sprintf("stopped as hopeless after step %d of %d", last.Done, last.Total)
	for _, args := range [][]string{{"status", dir}, {"report", dir, "--all"}, {"report", dir, "--format", "html"}} {
		if out := verbOutput(t, args...); !strings.Contains(out, words) {
			t.Errorf("%v printed\n%s\nwithout %q", args, out, words)
		}
	}
	if jobs, err := pending(runs.At(dir), plan, t.Output()); err != nil || len(jobs) != 0 {
		t.Errorf("still to run: %v, %v", jobs, err)
	}
	plan.Stop = spec.StopHopeless{}
	if jobs, err := pending(runs.At(dir), plan, t.Output()); err != nil || len(jobs) != 1 || runs.At(dir).Trial(cell.ID).Halt().IsSet() {
		t.Errorf("without stop_hopeless: %v, %v", jobs, err)
	}
}

// finishWith makes up a finished trial that has one value on every side of every held-out
// query from its first evaluation on.
func finishWith(t *testing.T, dir string, trial *spec.Trial, value float64, sides []datasets.Side) {
	t.Helper()
	var scores []results.Result
	for _, side := range sides {
		for i := range trial.Cell.Validate.Queries {
			scores = append(scores, results.Result{Benchmark: "validation", Task: spec.HeldOut, Query: fmt.Sprintf("h%06d", i+1), Side: side, Measure: trial.Cell.Validate.Measure, Value: &value})
		}
	}
	fsys := disk.OS{}
	if err := (results.Folder{Dir: dir, Files: fsys}).Writer().Validation(scores); err != nil {
		t.Fatal(err)
	}
	if err := (results.Folder{Dir: dir, Files: fsys}).Writer().Evaluations([]results.Evaluation{{Step: 1, Value: value}, {Step: 15, Value: value, Best: true}}); err != nil {
		t.Fatal(err)
	}
	score := 0.5
	test := []results.Result{{Benchmark: "mini-bright", Task: "biology", Query: "1", Measure: "nDCG@10", Value: &score}}
	if err := (results.Folder{Dir: dir, Files: fsys}).Writer().Complete(runs.Config(trial), test, results.Provenance{}); err != nil {
		t.Fatal(err)
	}
}
