package runs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// watched watches a run folder with so many cells, whose plan counts as already read.
func watched(t *testing.T, cells int) (*Watch, Folder) {
	t.Helper()
	folder := At(t.TempDir())
	if err := os.WriteFile(folder.PlanPath(), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := NewWatch(folder)
	w.plan = &spec.Plan{Name: "large"}
	for i := range cells {
		w.plan.Trials = append(w.plan.Trials, spec.Trial{ID: fmt.Sprintf("%016x", i), Label: fmt.Sprint("cell ", i)})
	}
	var err error
	if w.planned, err = os.Stat(folder.PlanPath()); err != nil {
		t.Fatal(err)
	}
	return w, folder
}

// A look at 10,000 cells opens only folders that may have changed, and reads only the new part
// of growing files.
func TestLooksAreCheap(t *testing.T) {
	const cells, finished = 10_000, 1_000
	w, folder := watched(t, cells)
	looks := func(most int) *WatchView {
		t.Helper()
		before := w.opened
		v, err := w.Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := w.opened - before; n > most {
			t.Errorf("%d folders were looked into, want at most %d", n, most)
		}
		return v
	}
	if v := looks(0); v.Count[results.Waiting] != cells {
		t.Errorf("states %v", v.Count)
	}
	done := func(i int) {
		t.Helper()
		dir := folder.Trial(fmt.Sprintf("%016x", i)).Dir
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, results.DoneFile), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range finished {
		done(i)
	}
	looks(finished)
	for range 3 {
		if v := looks(finished/aRound + 1); v.Count[results.Done] != finished {
			t.Errorf("states %v", v.Count)
		}
	}
	id := fmt.Sprintf("%016x", cells-1)
	reporter := folder.Progress(id).Record(func(engine.Progress) {})
	defer reporter.Close()
	for step := 1; step <= 50; step++ {
		reporter.Report(engine.Progress{Phase: "train", Done: step, Total: 100, Loss: 1})
		if step%10 == 0 {
			looks(finished/aRound + 1)
		}
	}
	if got := len(w.Curve(id).Series(Loss)); got != 50 {
		t.Errorf("the curve has %d points", got)
	}
	if len(w.tails) != 1 || w.Curve("none") != nil {
		t.Errorf("%d files are followed", len(w.tails))
	}
	folder.Progress(id).Drop()
	looks(finished/aRound + 1)
	if len(w.tails) != 0 {
		t.Error("a file that is gone is followed")
	}
	done(cells - 1)
	if v := looks(finished/aRound + 2); v.Count[results.Done] != finished+1 {
		t.Errorf("states %v", v.Count)
	}
	if err := os.Remove(filepath.Join(folder.Trial(fmt.Sprintf("%016x", 7)).Dir, results.DoneFile)); err != nil {
		t.Fatal(err)
	}
	for range aRound {
		looks(finished/aRound + 3)
	}
	if v := looks(cells); v.Count[results.Done] != finished {
		t.Errorf("a marker that is gone is not missed: %v", v.Count)
	}
}

// Weights that another trial trains while somebody watches are found within a round of looks.
func TestWeightsAppear(t *testing.T) {
	w, folder := watched(t, 2)
	w.trained = map[string]bool{}
	one, other := &w.plan.Trials[0], &w.plan.Trials[1]
	one.Cell.Model, other.Cell.Model = spec.Trained, spec.Trained
	if w.isTrained(one) {
		t.Error("weights before there are any")
	}
	if err := folder.Weights().List(other); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{results.DoneFile: "", results.TrialFile: "id: x\nweights: " + one.WeightsID() + "\n"} {
		path := filepath.Join(folder.Trial(other.ID).Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	for range aRound {
		w.looks++
		if w.isTrained(one) {
			found++
		}
	}
	if found == 0 {
		t.Error("weights that appeared are not found")
	}
}
