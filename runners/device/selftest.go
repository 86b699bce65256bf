package device

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// tolerance returns how far a device may be from the Go backend in the self-test, relative to
// the largest value. TF32 has 10 bits of mantissa.
func (t Target) tolerance() float64 {
	if t.tuning.tf32 {
		return 1e-2
	}
	return 1e-4
}

// errOff marks devices whose results differ from the Go backend's.
var errOff = errors.New("self-test")

// selfTest computes the forward pass of a small network and one gradient on a backend and
// compares both with the Go backend's.
func selfTest(b compute.Backend, tolerance float64) error {
	got, err := passes(b)
	if err != nil {
		return err
	}
	host, err := open(GoBackend, 0)
	if err != nil {
		return err
	}
	defer host.Finalize()
	want, err := passes(host)
	if err != nil {
		return err
	}
	for i, name := range []string{"a forward pass", "a gradient"} {
		if err := near(got[i], want[i], tolerance); err != nil {
			return fmt.Errorf("%w: in %s %w", errOff, name, err)
		}
	}
	return nil
}

// Sizes of the network of the self-test.
const (
	testRows, testWidth, testInner, testClasses = 8, 32, 16, 4
)

// passes returns the logits of a network of two layers on a batch, and the gradient of its mean
// cross-entropy with respect to the first layer's weights.
func passes(b compute.Backend) (list [2][]float32, err error) {
	defer func() { // building the graph may panic
		if p := recover(); p != nil {
			err = fmt.Errorf("self-test: %v", p)
		}
	}()
	exec, err := graph.NewExec(b, func(in []*graph.Node) []*graph.Node {
		x, first, second, labels := in[0], in[1], in[2], in[3]
		logits := graph.MatMul(graph.Tanh(graph.MatMul(x, first)), second)
		loss := graph.Neg(graph.ReduceAllMean(graph.Mul(graph.LogSoftmax(logits), labels)))
		return append([]*graph.Node{logits}, graph.Gradient(loss, first)...)
	})
	if err != nil {
		return list, fmt.Errorf("self-test: %w", err)
	}
	defer exec.Finalize()
	out, err := exec.Call(waves(testRows, testWidth, 1), waves(testWidth, testInner, 0.3), waves(testInner, testClasses, 0.5), firstClasses())
	if err != nil {
		return list, fmt.Errorf("self-test: %w", err)
	}
	for i, t := range out {
		if list[i], err = tensors.CopyFlatData[float32](t); err != nil {
			return list, fmt.Errorf("self-test: %w", err)
		}
		if err := t.FinalizeAll(); err != nil {
			return list, fmt.Errorf("self-test: %w", err)
		}
	}
	return list, nil
}

// waves returns numbers up to scale, without a pattern that a wrong layout would keep.
func waves(rows, columns int, scale float64) *tensors.Tensor {
	flat := make([]float32, rows*columns)
	for i := range flat {
		flat[i] = float32(scale * math.Sin(float64(1+i*i%997)))
	}
	return tensors.FromFlatDataAndDimensions(flat, rows, columns)
}

// firstClasses returns one-hot rows with the classes in turn.
func firstClasses() *tensors.Tensor {
	flat := make([]float32, testRows*testClasses)
	for row := range testRows {
		flat[row*testClasses+row%testClasses] = 1
	}
	return tensors.FromFlatDataAndDimensions(flat, testRows, testClasses)
}

// near compares values with those of the Go backend.
func near(got, want []float32, tolerance float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("it returns %d values, the Go backend %d", len(got), len(want))
	}
	largest, zeros := 0.0, true
	for i := range want {
		largest = max(largest, math.Abs(float64(want[i])))
		zeros = zeros && got[i] == 0
	}
	if zeros {
		return fmt.Errorf("it computes zeros, the Go backend values up to %.3g", largest)
	}
	for i := range want {
		if d := math.Abs(float64(got[i]) - float64(want[i])); !(d <= tolerance*largest) {
			return fmt.Errorf("value %d is %g, the Go backend's %g: more than %g of the largest apart", i, got[i], want[i], tolerance)
		}
	}
	return nil
}
