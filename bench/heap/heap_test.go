package heap

import (
	"runtime/debug"
	"testing"
)

// TestGarbagePercent: garbage is bounded by the total memory for a large report, and beyond
// that by its share.
func TestGarbagePercent(t *testing.T) {
	for live, want := range map[int64]int{0: 100 * (heapWanted>>20 - 1), heapWanted / 3: 200, heapWanted / 2: 100, heapWanted: leastGarbage, 4 * heapWanted: leastGarbage} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d live MiB: %d %%, want %d", live>>20, got, want)
		}
	}
}

// TestUndo: undo restores the percentage.
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
