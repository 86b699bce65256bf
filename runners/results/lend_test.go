package results

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A folder takes all results of a training from another one or, if one of the files is damaged,
// nothing.
func TestTakeTraining(t *testing.T) {
	from, weights := At(filepath.Join(t.TempDir(), "from")), filepath.Join(ModelDir, "model.safetensors")
	for name, text := range map[string]string{weights: "weights", filepath.Join(ModelDir, "config.json"): "{}", CurveFile: "", TrialFile: "", ScoresFile: "", SettingsFile: "{}", ProvenanceFile: "{}"} {
		path := filepath.Join(from.Dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := from.Marker().Write(); err != nil {
		t.Fatal(err)
	}
	to := At(filepath.Join(t.TempDir(), "to"))
	for range 2 { // the second time over the leftover of a killed process
		if err := to.Writer().TakeTraining(from); err != nil {
			t.Fatal(err)
		}
	}
	what, _ := to.Trained()
	a, errA := os.Stat(filepath.Join(from.Dir, weights))
	b, errB := os.Stat(filepath.Join(to.Dir, weights))
	if err := errors.Join(errA, errB); err != nil || !os.SameFile(a, b) || len(what) != 2 || exists(filepath.Join(to.Dir, TrialFile)) {
		t.Errorf("it took %q: %v", what, err)
	}

	if err := os.WriteFile(filepath.Join(from.Dir, weights), []byte("Weights"), 0o666); err != nil {
		t.Fatal(err)
	}
	to = At(filepath.Join(t.TempDir(), "other"))
	if err := to.Writer().TakeTraining(from); !errors.Is(err, ErrDamaged) || exists(to.Dir) {
		t.Errorf("of damaged weights: %v", err)
	}
}
