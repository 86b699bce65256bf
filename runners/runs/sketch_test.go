package runs

import (
	"os"
	"path/filepath"
	"testing"

	"infbench/runners/results"
)

// A sketch has every planned trial, and the values of the first readable one.
func TestSketch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "small")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "bench", "command", "testdata", "small", "runs", "small"))); err != nil {
		t.Fatal(err)
	}
	whole, err := At(dir).Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	for _, trial := range whole.Trials {
		if trial.State == results.Done {
			done = append(done, trial.ID)
		}
	}
	for _, first := range done[:2] { // the first is damaged for the second round
		sketch, err := At(dir).Reader().Sketch()
		if err != nil || len(sketch.Trials) != len(whole.Trials) {
			t.Fatalf("%v, %d trials of %d", err, len(sketch.Trials), len(whole.Trials))
		}
		for i, trial := range sketch.Trials {
			if trial.ID != whole.Trials[i].ID || len(trial.Config) == 0 || (len(trial.Results) > 0) != (trial.ID == first) {
				t.Errorf("trial %s has %d values and %d settings; %s is to have values", trial.ID, len(trial.Results), len(trial.Config), first)
			}
		}
		if err := os.Truncate(filepath.Join(At(dir).Trial(first).Dir, results.ScoresFile), 1); err != nil {
			t.Fatal(err)
		}
	}
}
