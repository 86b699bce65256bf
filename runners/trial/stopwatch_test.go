package trial

import (
	"math"
	"testing"
	"time"

	"infbench/runners/results"
	"infbench/training"
)

// TestStopwatch times three steps, crashes, and continues from the first.
func TestStopwatch(t *testing.T) {
	dir := t.TempDir()
	clock := time.Unix(1000, 0)
	begin := func() *stopwatch {
		w := newStopwatch(results.At(dir))
		w.now = func() time.Time { return clock }
		w.last, w.saved = clock, clock
		return w
	}
	lap := func(w *stopwatch, step int, seconds time.Duration) float64 {
		clock = clock.Add(seconds * time.Second)
		rate := w.lap(training.Step{Step: step, Tokens: 600})
		if w.lost != nil {
			t.Fatal(w.lost)
		}
		return rate
	}
	w := begin()
	lap(w, 1, 10)
	lap(w, 2, 20)
	if rate := lap(w, 3, 40); rate != 15 { // a minute has passed, so it saves
		t.Errorf("600 tokens in 40 s are %v a second, want 15", rate)
	}
	w = begin()
	lap(w, 2, 5)
	if err := w.save(); err != nil {
		t.Fatal(err)
	}
	steps, err := results.At(dir).Reader().Speed()
	if err != nil || len(steps) != 2 {
		t.Fatalf("%v, %v; want steps 1 and 2", steps, err)
	}
	for i, want := range []results.Speed{{Step: 1, Seconds: 10, TokensPerSecond: 60}, {Step: 2, Seconds: 5, TokensPerSecond: 120}} {
		got := steps[i]
		if got.Step != want.Step || got.Seconds != want.Seconds || math.Abs(got.TokensPerSecond-want.TokensPerSecond) > 1e-9 {
			t.Errorf("line %d is %+v, want %+v", i+1, got, want)
		}
		if got.RSS <= 0 || got.PeakRSS <= 0 {
			t.Errorf("memory now %d, at most %d", got.RSS, got.PeakRSS)
		}
	}
}
