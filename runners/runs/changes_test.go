package runs

import (
	"fmt"
	"testing"
	"time"

	"infbench/runners/spec"
)

// TestOlderChanges: only the latest changes are described, and the earlier ones are counted.
func TestOlderChanges(t *testing.T) {
	changes := At(t.TempDir()).Changes()
	for day := 1; day <= shownChanges+2; day++ {
		added := &spec.Trial{}
		added.Label = fmt.Sprint("trial ", day)
		if err := changes.Add(spec.Differences{Added: []*spec.Trial{added}}, time.Date(2026, 7, day, 0, 0, 0, 0, time.UTC)); err != nil {
			t.Fatal(err)
		}
		want := "On 2026-07-01 1 trial was added: trial 1."
		if older := day - shownChanges; older == 1 {
			want = "The plan changed 1 time before 2026-07-02."
		} else if older > 1 {
			want = "The plan changed 2 times before 2026-07-03."
		}
		if said, err := changes.Words(); err != nil || said[0] != want {
			t.Errorf("after %d changes: %q, %v; want %q first", day, said, err, want)
		}
	}
}
