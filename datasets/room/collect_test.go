package room

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// Garbage is bounded by what the heap may take in all, and where that is not enough by its
// share.
func TestGarbage(t *testing.T) {
	h := &habit{heap: 256 << 20, least: 25}
	for _, c := range []struct {
		live, scanned int64
		want          int
	}{
		{0, 0, 100 * 256 / 4}, // Go's 4 MiB, 64 times
		{h.heap / 3, 0, 200}, {h.heap / 2, 0, 100}, {h.heap / 2, h.heap / 2, 50},
		{h.heap, 0, 25}, {4 * h.heap, 0, 25},
	} {
		if got := h.garbage(c.live, c.scanned); got != c.want {
			t.Errorf("beside %d MiB and %d: %d %%, want %d", c.live>>20, c.scanned>>20, got, c.want)
		}
	}
	if got := (&habit{heap: Never}).garbage(1<<30, 0); got != -1 {
		t.Errorf("never: %d %%", got)
	}
}

// The last habit holds, whichever ends first, and the percentage is at the end what it was.
func TestCollect(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(123))
	percent := func() int {
		now := debug.SetGCPercent(-1)
		debug.SetGCPercent(now)
		return now
	}
	small := Collect(Small, Usual)
	if got := percent(); got < Usual {
		t.Errorf("of a small heap %d %%", got)
	}
	never := Collect(Never, 0)
	if got := percent(); got != -1 {
		t.Errorf("never: %d %%", got)
	}
	large := Collect(1<<40, 25)
	if got := percent(); got < 1<<20 {
		t.Errorf("of a large heap %d %%", got)
	}
	never()
	if got := percent(); got < 1<<20 {
		t.Errorf("another one ended: %d %%", got)
	}
	large()
	small()
	small()
	if got := percent(); got != 123 {
		t.Errorf("%d %% afterwards", got)
	}
}

// A heap that stays small is collected when it has grown to the size asked for, time
// after time: neither at Go's 4 MiB nor beyond.
func TestCollectSeldom(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(Usual))
	defer Collect(Small, Usual)()
	runtime.GC()
	var before, after, now runtime.MemStats
	runtime.ReadMemStats(&before)
	most := uint64(0)
	for range 512 {
		waste = make([]byte, 1<<20)
		runtime.ReadMemStats(&now)
		most = max(most, now.HeapAlloc)
	}
	runtime.ReadMemStats(&after)
	if n := after.NumGC - before.NumGC; n < 8 || n > 32 || most < Small/2 || most > Small+Small/4 {
		t.Errorf("512 MiB of garbage: collected %d times, at most %d MiB at once", n, most>>20)
	}
}

// What the environment says of garbage holds.
func TestCollectEnvironment(t *testing.T) {
	t.Setenv("GOGC", "77")
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	undo := Collect(Never, 0)
	if got := debug.SetGCPercent(77); got != 77 {
		t.Errorf("%d %%", got)
	}
	undo()
}
