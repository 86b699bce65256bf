package heap

import (
	"runtime/debug"
	"testing"
)

// Garbage is bounded by what a large report may take in all, and where that is not enough
// by its share.
func TestGarbageBeside(t *testing.T) {
	for live, want := range map[int64]int{0: 100 * (heapWanted>>20 - 1), heapWanted / 3: 200, heapWanted / 2: 100, heapWanted: leastGarbage, 4 * heapWanted: leastGarbage} {
		if got := garbageBeside(live); got != want {
			t.Errorf("beside %d MiB: %d %%, want %d", live>>20, got, want)
		}
	}
}

// The percentage is afterwards what it was before.
func TestUndo(t *testing.T) {
	before := debug.SetGCPercent(123)
	defer debug.SetGCPercent(before)
	for name, set := range map[string]func() (undo func()){"small": Small, "uncollected": Uncollected} {
		set()()
		if got := debug.SetGCPercent(123); got != 123 {
			t.Errorf("%s: %d %% afterwards", name, got)
		}
	}
}
