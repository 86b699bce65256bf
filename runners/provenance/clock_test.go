package provenance

import (
	"testing"
	"time"

	"infbench/runners/results"
)

// A phase that waits takes wall-clock time and almost no processor time; one that computes
// takes both.
func TestClock(t *testing.T) {
	p := results.Provenance{Seconds: map[string]float64{}}
	clock := StartClock()
	time.Sleep(300 * time.Millisecond)
	clock.Stop(&p, "wait")
	clock = StartClock()
	sum := 0.0
	for begin := time.Now(); time.Since(begin) < 10*time.Second; {
		for i := range 1_000_000 {
			sum += float64(i)
		}
		if clock.Stop(&p, "work"); p.CPUSeconds["work"] > .1 {
			break
		}
	}
	if p.Seconds["wait"] < .3 || p.CPUSeconds["wait"] > .2 {
		t.Errorf("waiting took %v s, of a processor %v s", p.Seconds["wait"], p.CPUSeconds["wait"])
	}
	if p.CPUSeconds["work"] <= .1 || sum == 0 {
		t.Errorf("working took %v s of a processor", p.CPUSeconds["work"])
	}
}
