package runs_test

import (
	"errors"
	"os"
	"testing"

	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// Mark changes neither a trial that another process has nor a complete one.
func TestMarkOfAnothersTrial(t *testing.T) {
	f := runs.At(t.TempDir())
	fail := func(at results.Folder) error { return at.Failures().Add(results.Killed, errors.New("killed")) }
	if err := f.Mark(f.Leases().Watch(), "aa11", fail); err != nil {
		t.Fatal(err)
	}
	if past, err := f.Trial("aa11").Failures().Read(); err != nil || len(past.Attempts) != 1 {
		t.Fatalf("%+v, %v; want one attempt", past, err)
	}
	lease, err := f.Leases().Take(t.Context(), "bb22")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Mark(f.Leases().Watch(), "bb22", fail); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("another has it: %v, want ErrBusy", err)
	}
	at := f.Trial("bb22")
	if err := at.Writer().Complete(results.Config{}, nil, results.Provenance{}); err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	if err := f.Mark(f.Leases().Watch(), "bb22", fail); !errors.Is(err, results.ErrComplete) {
		t.Errorf("complete: %v, want ErrComplete", err)
	}
	if _, err := os.Stat(at.Dir); err != nil || at.Marker().Verify() != nil {
		t.Errorf("the complete trial: %v, %v", err, at.Marker().Verify())
	}
}
