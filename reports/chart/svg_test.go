package chart

import (
	"testing"
)

// TestRoundTicks checks that ticks are within the range, not too few or many, and have
// distinct labels.
func TestRoundTicks(t *testing.T) {
	for _, c := range []struct{ low, high float64 }{{0, 1}, {-0.6, 24.2}, {20.1, 89.7}, {-1e-4, 2e-4}, {0.3, 0.31}, {1, 150}, {-5000, 12345}, {99.9, 100.1}, {0, 10}} {
		ticks, seen := plainTicks{}.Ticks(c.low, c.high), map[string]bool{}
		for _, tick := range ticks {
			if tick.Value < c.low || tick.Value > c.high || seen[tick.Label] || tick.Label == "" {
				t.Errorf("%v to %v: tick %v %q", c.low, c.high, tick.Value, tick.Label)
			}
			seen[tick.Label] = true
		}
		if len(ticks) < 3 || len(ticks) > 8 {
			t.Errorf("%v to %v: %d ticks", c.low, c.high, len(ticks))
		}
	}
}
