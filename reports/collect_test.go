package reports

import (
	"runtime/debug"
	"testing"
)

// The percentage is what it was when a report is made, be it large or small.
func TestCollectEarly(t *testing.T) {
	before := debug.SetGCPercent(123)
	defer debug.SetGCPercent(before)
	for _, values := range []int{0, manyValues} {
		undo := collectEarly(values)
		undo()
		if got := debug.SetGCPercent(123); got != 123 {
			t.Errorf("%d values: %d %% afterwards", values, got)
		}
	}
}
