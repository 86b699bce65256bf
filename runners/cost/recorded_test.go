package cost

import (
	"math"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training"
	"infbench/training/encoder"
)

// trainedFor is a cell that is trained for that many steps and evaluated on nothing.
func trainedFor(steps int, loss string) *spec.Trial {
	c := spec.DefaultCell()
	c.Model, c.Data, c.Loss = spec.Trained, "mini-infir", loss
	c.Train = c.Train.ForSteps(steps)
	return &spec.Trial{Cell: c}
}

// trainingTime is the measured time of training a cell.
func trainingTime(t *testing.T, c *spec.Cell) float64 {
	t.Helper()
	enc, data, err := catalog.NewBackbone(c, device.Options{Device: device.GoDevice})
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Backend().Finalize()
	loss, err := training.ParseLoss(c.Loss)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, err := training.Train(t.Context(), c.Train, loss, enc, data, training.Options{}); err != nil {
		t.Fatal(err)
	}
	return time.Since(began).Seconds()
}

// TestForeseenWithinTwo: the estimated time of a training is within a factor of two of the
// measured time on the device, estimated from a few of its steps or from a recorded run with
// another loss. Since the machine may be busy at times, one success in ten is enough.
func TestForeseenWithinTwo(t *testing.T) {
	testkit.Deep(t)
	const steps = 20
	for _, loss := range []string{"uni(P)", "multi(P,I)"} {
		want := trainedFor(steps, loss)
		recorded := trainedFor(2*steps, "uni(P,IQ)")
		var off [2]float64
		for range 10 {
			took := trainingTime(t, &want.Cell)
			theirs := trainingTime(t, &recorded.Cell)
			for i, source := range []string{fromShape, fromRecorded} {
				e := newEstimator(Options{Device: device.GoDevice})
				if source == fromRecorded {
					e.others = []finishedCell{{recorded, map[string]float64{"train": theirs, "evaluate": 1}}}
				}
				n, err := e.cell(t.Context(), want)
				if err != nil || n.source != source {
					t.Fatalf("%s: from %q, %v; want %q", loss, n.source, err, source)
				}
				foreseen := math.Sqrt(n.seconds.low * n.seconds.high)
				t.Logf("%s: %.2f s estimated from %s, %.2f s measured", loss, foreseen, source, took)
				if ratio := math.Abs(math.Log2(foreseen / took)); off[i] == 0 || ratio < off[i] {
					off[i] = ratio
				}
			}
			if max(off[0], off[1]) <= 1 {
				break
			}
		}
		if !(max(off[0], off[1]) <= 1) {
			t.Errorf("%s: off by factors of %.1f, measured, and %.1f, recorded", loss, math.Exp2(off[0]), math.Exp2(off[1]))
		}
	}
}

// TestRecorded: recorded times count only for the same network, precision and device, in
// proportion to the operations.
func TestRecorded(t *testing.T) {
	e := newEstimator(Options{Device: device.GoDevice})
	e.others = []finishedCell{{trainedFor(100, "uni(P)"), map[string]float64{"train": 50, "evaluate": 3}}}
	e.others[0].trial.Evaluate = []string{"mini-bright"}
	foresee := func(edit func(*spec.Trial)) (float64, bool) {
		t.Helper()
		trial := trainedFor(300, "uni(P)")
		trial.Evaluate = []string{"mini-bright"}
		edit(trial)
		s, work, err := e.sizes(trial)
		if err != nil {
			t.Fatal(err)
		}
		o, err := e.operations(&trial.Cell, s, work)
		if err != nil {
			t.Fatal(err)
		}
		return e.recorded(&trial.Cell, o)
	}
	if got, ok := foresee(func(*spec.Trial) {}); !ok || math.Abs(got-(150+3)) > 1e-6 {
		t.Errorf("three times as many steps: %v s, %t; want 153", got, ok)
	}
	if got, ok := foresee(func(x *spec.Trial) { x.Evaluate = append(x.Evaluate, "mini-bright") }); !ok || math.Abs(got-(150+6)) > 1e-6 {
		t.Errorf("twice as much to encode: %v s, %t; want 156", got, ok)
	}
	for name, edit := range map[string]func(*spec.Trial){
		"network":   func(x *spec.Trial) { x.Cell.Backbone = "tiny-llama" },
		"precision": func(x *spec.Trial) { x.Cell.Train.Precision = "bf16" },
	} {
		if got, ok := foresee(edit); ok {
			t.Errorf("%v s for another %s", got, name)
		}
	}
	for backend, want := range map[string]bool{
		"": true, device.BackendName(device.GoBackend, encoder.Float32): true, "xla:cuda,tf32=false": false,
	} {
		if got := e.counts(&results.Provenance{Backend: backend, Seconds: map[string]float64{"total": 1}}); got != want {
			t.Errorf("the times of %q count: %t", backend, got)
		}
	}
}
