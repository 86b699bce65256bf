package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// A finished sweep that gets another benchmark trains nothing again and ranks nothing twice:
// its trials evaluate the existing models, and give the results of one complete sweep.
func TestSweepGrows(t *testing.T) {
	testkit.Deep(t)
	folder := t.TempDir()
	grown := strings.Replace(smallSweep, "[mini-bright]", "[mini-bright, mini-followir]", 1)
	verbOutput(t, "sweep", inFile(t, "small.yaml", smallSweep), "--runs", filepath.Join(folder, "grown"))
	if out := verbOutput(t, "plan", inFile(t, "grown.yaml", grown), "--runs", filepath.Join(folder, "grown")); !strings.Contains(out, "5 trials, 5 to run (2 with models that were trained before); 2 train") {
		t.Errorf("plan says\n%s", out)
	}
	verbOutput(t, "sweep", inFile(t, "grown.yaml", grown), "--runs", filepath.Join(folder, "grown"))
	verbOutput(t, "sweep", inFile(t, "grown.yaml", grown), "--runs", filepath.Join(folder, "new"))

	run := runs.At(filepath.Join(folder, "new", "small"))
	plan, err := run.Plan()
	if err != nil {
		t.Fatal(err)
	}
	both := runs.At(filepath.Join(folder, "grown", "small"))
	want, got := numbers(t, run.Dir), numbers(t, both.Dir)
	for name, sum := range want {
		if got[name] != sum {
			t.Errorf("%s differs from that of a sweep of both benchmarks", name)
		}
	}
	trained := 0
	for _, trial := range plan.Trials {
		got := results.Trial{}
		if err := both.Trial(trial.ID).Reader().Trial(&got); err != nil {
			t.Fatal(err)
		}
		by := got.Provenance.TrainedBy
		if trial.Cell.Model != spec.Trained {
			if by != nil {
				t.Errorf("%s is trained by %+v", trial.Label, by)
			}
			continue
		}
		trained++
		if by == nil || by.Trial == trial.ID || got.Provenance.Trained == nil || got.Provenance.Seconds["train"] <= 0 || len(got.Curve) == 0 {
			t.Fatalf("%s was trained again: %+v", trial.Label, got.Provenance)
		}
		weights := filepath.Join(results.ModelDir, "model.safetensors")
		a, errA := os.Stat(filepath.Join(both.Trial(trial.ID).Dir, weights))
		b, errB := os.Stat(filepath.Join(both.Trial(by.Trial).Dir, weights))
		if errA != nil || errB != nil || !os.SameFile(a, b) {
			t.Errorf("%s has a copy of its weights: %v, %v", trial.Label, errA, errB)
		}
	}
	if trained != 2 {
		t.Errorf("%d trained trials, want 2", trained)
	}
	verbOutput(t, "verify", both.Dir)
	verbOutput(t, "repeat", both.Dir, "uni(P) seed=1")

	t.Run("every seed of a system is evaluated and stands in its row", func(t *testing.T) {
		t.Chdir(folder)
		out := verbOutput(t, "evaluate", "--model", "grown/small:uni:P", "--data", "mini-mair")
		if !strings.Contains(out, "uni(P), mean of 2 seeds") || strings.Count(out, "rankings and per-query values: ") != 2 {
			t.Errorf("evaluate says\n%s", out)
		}
		again := verbOutput(t, "evaluate", "--model", "grown/small:uni:P", "--data", "mini-mair")
		if again != out {
			t.Errorf("again it says\n%s, before\n%s", again, out)
		}
		made, err := filepath.Glob("runs/evaluate/*")
		if err != nil || len(made) != 2 {
			t.Fatalf("evaluations %q, %v", made, err)
		}
		board := verbOutput(t, append([]string{"report", "--all", "grown/small", "--format", "csv"}, made...)...)
		for _, row := range []string{"uni(P),mini-bright,nature,,nDCG@10,", "uni(P),mini-mair,plain-topic,,nDCG@10,"} {
			_, rest, _ := strings.Cut(board, row)
			if line, _, _ := strings.Cut(rest, "\n"); strings.Count(board, row) != 1 || !strings.Contains(line, ",1,2,2,") { // tasks, trials, planned
				t.Errorf("want one row %s of two seeds:\n%s", row, board)
			}
		}
	})
}
