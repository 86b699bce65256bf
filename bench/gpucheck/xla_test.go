//go:build xla

package gpucheck_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"infbench/internal/testkit"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/spec"
	"infbench/training"
)

// hostTraining is what a training on devices of XLA on processors leaves.
type hostTraining struct {
	curve     []training.Step
	resumed   int
	gradients map[string][]float32 // of the first step of this call, clipped, by variable
}

// trainOnHosts trains a cell in chunks on n devices of XLA on processors, each with its own client,
// and stops after a number of steps if stop is not 0.
func trainOnHosts(t *testing.T, cell spec.Cell, n, stop int, checkpoint string) (h hostTraining) {
	t.Helper()
	first, others, err := device.OpenDevices(testkit.HostPlugin(t), n)
	if err != nil {
		t.Fatal(err)
	}
	enc, data, err := catalog.NewBackbone(&cell, device.Options{Device: first})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, b := range append(others, enc.Backend()) {
			b.Finalize()
		}
	}()
	loss, err := training.ParseLoss(cell.Loss)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sum, err := training.Train(ctx, cell.Train, loss, enc, data, training.Options{Devices: []compute.Backend(others), Checkpoint: checkpoint, OnStep: func(s training.Step) {
		if s.Step == stop {
			cancel()
		}
		if h.gradients != nil {
			return
		}
		// AdamW's first moment is then the gradient times 1 - beta1.
		h.gradients = map[string][]float32{}
		for v := range enc.Store().IterVariables() {
			if path, moment := strings.CutPrefix(v.Path(), training.MomentScope+"/m"); moment {
				value, err := v.Value()
				if err == nil {
					h.gradients[path], err = tensors.CopyFlatData[float32](value)
				}
				if err != nil {
					t.Error(err)
				}
				for i := range h.gradients[path] {
					h.gradients[path][i] /= 1 - .9
				}
			}
		}
	}})
	if err != nil && !(stop > 0 && errors.Is(err, context.Canceled)) {
		t.Fatal(err)
	}
	h.curve, h.resumed = sum.Curve, sum.Resumed
	return h
}

// hostCell trains a few steps on batches of 24 rows in chunks of 5 sequences.
func hostCell() spec.Cell {
	cell := spec.DefaultCell()
	cell.Loss, cell.Train.RowsPerGroup, cell.Train.Groups, cell.Train.Chunk, cell.Train.Dropout = "multi(P,I)", 12, 2, 5, .1
	cell.Train = cell.Train.ForSteps(6)
	return cell
}

// checkCurve compares losses and gradient norms.
func checkCurve(t *testing.T, what string, got, want []training.Step) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d steps, want %d", what, len(got), len(want))
	}
	for i, s := range got {
		w := want[i]
		if math.Abs(s.Loss-w.Loss) > 1e-5*w.Loss || math.Abs(s.GradNorm-w.GradNorm) > 1e-5*w.GradNorm || s.Tokens != w.Tokens {
			t.Errorf("%s, step %d: loss %.8g and norm %.8g, want %.8g and %.8g", what, i+1, s.Loss, s.GradNorm, w.Loss, w.GradNorm)
		}
	}
}

// Two and four devices of XLA compute the losses and the gradient of one, and of a batch that is
// not divided: a row's negatives are on all devices.
func TestXLATrainsOnSeveralDevices(t *testing.T) {
	cell := hostCell()
	one := trainOnHosts(t, cell, 1, 0, "")
	if len(one.gradients) == 0 {
		t.Fatal("no gradients")
	}
	check := func(what string, got hostTraining) {
		t.Helper()
		var worst float64
		for path, want := range one.gradients {
			if len(got.gradients[path]) != len(want) {
				t.Fatalf("%s: %s has %d gradients, want %d", what, path, len(got.gradients[path]), len(want))
			}
			for i, g := range got.gradients[path] {
				worst = max(worst, math.Abs(float64(g-want[i])))
			}
		}
		t.Logf("%s: gradients differ by %.2g", what, worst)
		if !(worst <= 1e-5) {
			t.Errorf("%s: gradients differ by %g", what, worst)
		}
	}
	for _, n := range []int{2, 4} {
		what := fmt.Sprintf("%d devices", n)
		several := trainOnHosts(t, cell, n, 0, "")
		checkCurve(t, what, several.curve, one.curve)
		check(what, several)
	}
	cell.Train.Dropout = 0 // is drawn for each chunk
	one = trainOnHosts(t, cell, 2, 1, "")
	cell.Train.Chunk = 0
	undivided := trainOnHosts(t, cell, 1, 1, "")
	checkCurve(t, "undivided", undivided.curve, one.curve)
	check("undivided", undivided)
}

// A training on two devices of XLA that is stopped goes on on four, and then on one, like one that
// was not stopped.
func TestXLAResumesOnAnotherNumber(t *testing.T) {
	cell, folder := hostCell(), t.TempDir()
	whole := trainOnHosts(t, cell, 1, 0, "")
	trainOnHosts(t, cell, 2, 2, folder)
	if leg := trainOnHosts(t, cell, 4, 4, folder); leg.resumed != 2 || len(leg.curve) != 4 {
		t.Fatalf("resumed at %d, stopped at %d; want 2 and 4", leg.resumed, len(leg.curve))
	}
	last := trainOnHosts(t, cell, 1, 0, folder)
	if last.resumed != 4 {
		t.Errorf("resumed at %d, want 4", last.resumed)
	}
	checkCurve(t, "resumed", last.curve, whole.curve)
}
