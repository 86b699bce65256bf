package runs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"infbench/runners/results"
)

// TestReadsInOrder checks that of several damaged trials, which are read concurrently, the
// error always names the first of the plan.
func TestReadsInOrder(t *testing.T) {
	f := At(t.TempDir())
	var trials []results.Trial
	for i := range 40 {
		id := fmt.Sprintf("%016x", i)
		trials = append(trials, results.Trial{ID: id})
		if i%7 != 5 { // the others have not begun
			continue
		}
		if err := os.MkdirAll(f.Trial(id).Dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(f.Trial(id).Dir, results.DoneFile), []byte("{"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		if at, err := f.Reader().read(trials); at != 5 || !errors.Is(err, results.ErrDamaged) {
			t.Fatalf("trial %d: %v", at, err)
		}
	}
	if at, err := f.Reader().read(trials[:5]); at != 0 || err != nil || trials[4].State != results.Waiting {
		t.Errorf("trial %d: %v, %q", at, err, trials[4].State)
	}
}
