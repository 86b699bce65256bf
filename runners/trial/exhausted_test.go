package trial

import (
	"errors"
	"math"
	"os"
	"sync/atomic"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"

	"infbench/datasets/mixture"
	"infbench/internal/testkit"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// exhaustible is a backend that runs out of memory at one of its executions.
type exhaustible struct {
	compute.Backend
	left atomic.Int64 // executions until memory runs out
	out  func()       // called at that execution, if it is not nil
}

func (b *exhaustible) Builder(name string) compute.Builder {
	return exhaustibleBuilder{b.Backend.Builder(name), b}
}

func (b *exhaustible) BufferFromFlatData(device compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	buffer, err := b.Backend.BufferFromFlatData(device, flat, shape)
	return exhaustibleBuffer{buffer, b}, err
}

func (b *exhaustible) NewSharedBuffer(device compute.DeviceNum, shape shapes.Shape) (compute.Buffer, any, error) {
	buffer, flat, err := b.Backend.NewSharedBuffer(device, shape)
	return exhaustibleBuffer{buffer, b}, flat, err
}

// exhaustibleBuffer names the wrapping backend.
type exhaustibleBuffer struct {
	compute.Buffer
	of *exhaustible
}

func (b exhaustibleBuffer) Backend() compute.Backend { return b.of }

type exhaustibleBuilder struct {
	compute.Builder
	of *exhaustible
}

func (b exhaustibleBuilder) Compile() (compute.Executable, error) {
	program, err := b.Builder.Compile()
	return exhaustibleProgram{program, b.of}, err
}

type exhaustibleProgram struct {
	compute.Executable
	of *exhaustible
}

func (p exhaustibleProgram) Execute(inputs []compute.Buffer, donate []bool, device compute.DeviceNum) ([]compute.Buffer, error) {
	if p.of.left.Add(-1) == 0 {
		if p.of.out != nil {
			p.of.out()
		}
		return nil, errors.New("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes")
	}
	own := make([]compute.Buffer, len(inputs))
	for i, b := range inputs {
		own[i] = b.(exhaustibleBuffer).Buffer
	}
	out, err := p.Executable.Execute(own, donate, device)
	for i := range out {
		out[i] = exhaustibleBuffer{out[i], p.of}
	}
	return out, err
}

// exhausting lists ways to train whose executions differ.
var exhausting = []struct {
	interaction encoder.Interaction
	chunk       int
}{
	{encoder.Concat, 0}, {encoder.Concat, 5},
	{encoder.CrossAttention, 0}, {encoder.CrossAttention, 5}, {encoder.CrossAttentionProjected, 5},
}

// Any execution may run out of memory, of a batch in one piece or in chunks. The next attempt
// at the trial then starts over with the chunks of smallerChunk, even if the failed attempt had
// saved a checkpoint, and gets the losses of a trial that had these chunks from the start. The
// first executions fail one after the other; later ones, which are steps like others, at
// intervals.
func TestExhaustedTrialsAreChunked(t *testing.T) {
	const each, stride = 8, 7
	for i, way := range exhausting {
		if i > 0 && !testkit.IsDeep() {
			break
		}
		cell := newAttempts(t, way.interaction, way.chunk).cell
		cell.Data, cell.Train = "mini-infir-24", cell.Train.ForSteps(3)
		chunk, err := smallerChunk(&cell, 1)
		if err != nil || chunk == 0 || way.chunk > 0 && chunk >= way.chunk {
			t.Fatalf("%+v: chunk %d, %v", way, chunk, err)
		}
		_, calm := runExhausted(t, newTrialFolder(t), cell, 0)
		smaller := cell
		smaller.Train.Chunk = chunk
		from := newTrialFolder(t)
		runExhausted(t, from, smaller, 0)
		want := from.read(t)

		kept := 0
		for execution := int64(1); execution <= calm; execution++ {
			if execution > each && (calm-execution)%stride != 0 {
				continue
			}
			at := newTrialFolder(t)
			saved, _ := runExhausted(t, at, cell, execution)
			if saved {
				kept++
			}
			failure, err := at.trial().Failures().Read()
			if err != nil || len(failure.Attempts) != 1 || failure.Attempts[0].Class != results.OutOfMemory {
				t.Fatalf("%+v, execution %d: %+v, %v; want to be out of memory once", way, execution, failure, err)
			}
			runExhausted(t, at, cell, 0)
			got := at.read(t)
			if got.Provenance.Chunk != chunk || len(got.Provenance.Attempts) != 1 {
				t.Errorf("%+v, execution %d: chunk %d after %v, want %d", way, execution, got.Provenance.Chunk, got.Provenance.Attempts, chunk)
			}
			if len(got.Curve) != len(want.Curve) || len(got.Curve) != 3 {
				t.Fatalf("%+v, execution %d: %d steps, want %d", way, execution, len(got.Curve), len(want.Curve))
			}
			for i, step := range got.Curve {
				if d := math.Abs(step.Loss - want.Curve[i].Loss); !(d <= 1e-6) {
					t.Errorf("%+v, execution %d: step %d has loss %v, %v in chunks of %d from the start", way, execution, step.Step, step.Loss, want.Curve[i].Loss, chunk)
				}
			}
		}
		if kept == 0 {
			t.Errorf("%+v: no attempt had a checkpoint when it ran out of memory", way)
		}
		t.Logf("%+v: out of memory at executions up to %d, %d times after a checkpoint", way, calm, kept)
	}
}

// trialFolder is a run folder with one trial.
type trialFolder struct{ runs.Folder }

func newTrialFolder(t *testing.T) trialFolder { return trialFolder{runs.At(t.TempDir())} }

func (f trialFolder) trial() results.Folder { return f.Trial("exhausted") }

func (f trialFolder) read(t *testing.T) (read results.Trial) {
	t.Helper()
	if err := f.trial().Reader().Trial(&read); err != nil {
		t.Fatal(err)
	}
	return read
}

// runExhausted runs a trial as sweeps do, on a backend that runs out of memory at an execution.
// With execution 0 it never does, and the trial must succeed. saved reports whether there was a
// checkpoint when memory ran out.
func runExhausted(t *testing.T, at trialFolder, cell spec.Cell, execution int64) (saved bool, executions int64) {
	t.Helper()
	in := Usual(&cell, func(engine.Progress) {})
	in.Every = 1
	var backend *exhaustible
	in.Machine.Around = func(b compute.Backend) compute.Backend {
		backend = &exhaustible{Backend: b, out: func() {
			_, err := os.Stat(at.trial().Checkpoint())
			saved = err == nil
		}}
		backend.left.Store(execution)
		return backend
	}
	err := Run(t.Context(), at.Folder, &spec.Trial{ID: "exhausted", Label: "exhausted", Cell: cell}, in)
	if (err == nil) != (execution == 0) {
		t.Fatalf("execution %d: %v", execution, err)
	}
	if _, err := os.Stat(at.trial().Checkpoint()); err == nil {
		t.Errorf("execution %d: a checkpoint is left", execution)
	}
	return saved, execution - backend.left.Load()
}

// attempts are the attempts at one cell.
type attempts struct {
	cell spec.Cell
	enc  *encoder.Encoder
	data mixture.Data
	open func() compute.Backend
}

// newAttempts returns a cell of two steps on a few records.
func newAttempts(t *testing.T, interaction encoder.Interaction, chunk int) *attempts {
	t.Helper()
	a := &attempts{cell: spec.DefaultCell(), open: func() compute.Backend {
		b, err := device.OpenBackend(device.GoDevice)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}}
	c := &a.cell
	c.Interaction, c.Loss = string(interaction), "multi(P,I)"
	c.Train.RowsPerGroup, c.Train.Chunk, c.Train.LearningRate = 6, chunk, 5e-3
	c.Train = c.Train.ForSteps(2)
	var err error
	if a.enc, a.data, err = catalog.NewBackbone(c, device.Options{Device: device.GoDevice}); err != nil {
		t.Fatal(err)
	}
	a.data = mixture.Data{a.data[0]}
	a.data[0].Records = a.data[0].Records[:8]
	return a
}
