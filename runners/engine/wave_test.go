package engine

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWaves(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "slurm")
	if waves, err := openWaves(parent); err != nil || len(waves) != 0 {
		t.Fatalf("no folder: %v, %v", waves, err)
	}
	w, err := openWave(parent, "infbench-x-1", []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.confirm("17"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(w.cellsPath()); err != nil || string(data) != "a\nb\n" {
		t.Errorf("cells file %q, %v", data, err)
	}
	write(t, filepath.Join(parent, "task.sh"), "not a wave")
	waves, err := openWaves(parent)
	if err != nil || len(waves) != 1 || waves[0].JobID != "17" || !slices.Equal(waves[0].Cells, []string{"a", "b"}) {
		t.Fatalf("open waves %+v, %v; want the one", waves, err)
	}
	if err := waves[0].close(); err != nil {
		t.Fatal(err)
	}
	if waves, err := openWaves(parent); err != nil || len(waves) != 0 {
		t.Errorf("after close: %v, %v", waves, err)
	}

	// An unreadable record is an error: its array may be running.
	write(t, filepath.Join(parent, "infbench-x-2", cellsFile), "a\n")
	if _, err := openWaves(parent); err == nil {
		t.Error("a wave without its record was passed over")
	}
	write(t, filepath.Join(parent, "infbench-x-2", waveFile), `{"name":"another"}`)
	if _, err := openWaves(parent); err == nil {
		t.Error("a wave under another's name was taken")
	}
}

func TestWaveNamesDiffer(t *testing.T) {
	if a, b := newWaveName("x"), newWaveName("x"); a == b {
		t.Errorf("two waves are called %s", a)
	}
}
