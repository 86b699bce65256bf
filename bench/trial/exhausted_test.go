package trial

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"

	"infbench/bench/catalog"
	"infbench/bench/device"
	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/datasets/mixture"
	"infbench/training"
	"infbench/training/encoder"
)

// exhaustible is a backend that runs out of memory at one of its executions.
type exhaustible struct {
	compute.Backend
	left atomic.Int64 // executions up to that one
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

// exhaustibleBuffer names the backend that wraps its own.
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

// exhausting are the ways to train that differ in what they execute.
var exhausting = []struct {
	interaction encoder.Interaction
	chunk       int
}{
	{encoder.Concat, 0}, {encoder.Concat, 5},
	{encoder.CrossAttention, 0}, {encoder.CrossAttention, 5}, {encoder.CrossAttentionProjected, 5},
}

// Whichever execution runs out of memory, of a batch in one piece or in chunks, the cell
// is trained in the chunks that smallerChunk says, to the losses of a run that began with
// those. Cross-attention is trained so, too.
func TestExhaustedTrainingIsChunked(t *testing.T) {
	for _, way := range exhausting {
		a := newAttempts(t, way.interaction, way.chunk)
		_, calm := a.train(t, a.cell.Train.Chunk, 0)
		stride := int64(1)
		if calm > 10 { // the second and the last, and some between
			stride = 7
		}
		reference := map[int][]training.Step{}
		for execution := 1 + calm%stride; execution <= calm; execution += stride {
			curve, chunk := a.exhausted(t, execution)
			if reference[chunk] == nil {
				reference[chunk], _ = a.train(t, chunk, 0)
			}
			if len(curve) != len(reference[chunk]) || len(curve) == 0 {
				t.Fatalf("%+v, execution %d: %d steps in chunks of %d, want %d", way, execution, len(curve), chunk, len(reference[chunk]))
			}
			for i, step := range curve {
				if d := math.Abs(step.Loss - reference[chunk][i].Loss); !(d <= 1e-6) {
					t.Errorf("%+v, execution %d: step %d has loss %v, %v in chunks of %d from the start", way, execution, step.Step, step.Loss, reference[chunk][i].Loss, chunk)
				}
			}
		}
	}
}

// attempts are those of one cell.
type attempts struct {
	cell spec.Cell
	enc  *encoder.Encoder
	data mixture.Data
	open func() compute.Backend
}

// newAttempts is a cell of two steps on a few records.
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

// exhausted trains the cell as trials do, where the first attempt runs out of memory at an
// execution; chunk is what the second took.
func (a *attempts) exhausted(t *testing.T, execution int64) (curve []training.Step, chunk int) {
	t.Helper()
	if _, _, err := a.try(t, a.cell.Train.Chunk, execution); err == nil || classify(err) != results.OutOfMemory {
		t.Fatalf("execution %d: %v, want to be out of memory", execution, err)
	}
	chunk, err := smallerChunk(&a.cell, 1)
	if err != nil || chunk == 0 || a.cell.Train.Chunk > 0 && chunk >= a.cell.Train.Chunk {
		t.Fatalf("chunk %d after %d, %v", chunk, a.cell.Train.Chunk, err)
	}
	curve, _ = a.train(t, chunk, 0)
	return curve, chunk
}

// train is try where it must succeed.
func (a *attempts) train(t *testing.T, chunk int, execution int64) (curve []training.Step, executions int64) {
	t.Helper()
	curve, executions, err := a.try(t, chunk, execution)
	if err != nil {
		t.Fatal(err)
	}
	return curve, executions
}

// try trains in chunks on a backend of its own, which runs out of memory at an execution;
// 0: at none.
func (a *attempts) try(t *testing.T, chunk int, execution int64) (curve []training.Step, executions int64, err error) {
	t.Helper()
	loss, err := training.ParseLoss(a.cell.Loss)
	if err != nil {
		t.Fatal(err)
	}
	backend := &exhaustible{Backend: a.open()}
	defer backend.Finalize()
	backend.left.Store(execution)
	enc, err := a.enc.Replica(backend)
	if err != nil {
		t.Fatal(err)
	}
	config := a.cell.Train
	config.Chunk, config.Seed = chunk, a.cell.Seed
	summary, err := training.Train(t.Context(), config, loss, enc, a.data, training.Options{})
	return summary.Curve, execution - backend.left.Load(), err
}
