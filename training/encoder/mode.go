package encoder

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/nearest"
)

// Precision is the data type in which a training step, or evaluation (Encoder.SetPrecision),
// multiplies matrices. Weights, their gradients and their moments are always float32.
type Precision string

// The precisions. BFloat16 follows PyTorch's autocast: matrix products and the values between
// them have 8 bits of mantissa; normalisation, softmax, activation functions, residual streams,
// pooling and loss are float32.
const (
	Float32  Precision = "float32"
	BFloat16 Precision = "bf16"
)

// Check returns an error for unknown names; "" means Float32.
func (p Precision) Check() error { return nearest.OneOf("precision", p, Float32, BFloat16) }

// Mode is the way in which a training step runs the network. The zero Mode is evaluation in
// float32.
type Mode struct {
	Dropout   *Dropout // nil: nothing is dropped
	Precision Precision
	Lookups   *Lookups // lookups shared by the groups of the graph; nil: each group has its own

	// Checkpoint keeps only the input of each layer for the gradient and computes the inside of
	// the layer again (Chen et al. 2016, arXiv 1604.06174).
	Checkpoint bool

	// Wide, with BFloat16, leaves the values between matrix products in float32; a product rounds
	// its operands. Only evaluation sets it, on a backend that computes such products.
	Wide bool

	// Pooled leaves vectors as pooling and projections make them, whatever Text.Normalize is.
	// Only evaluation sets it.
	Pooled bool
}

// isPlain reports whether layers compute as in evaluation in float32.
func (m Mode) isPlain() bool {
	m.Pooled = false // it only affects vectors, after the layers
	return m == Mode{}
}

// narrow converts an operand to the data type of matrix products.
func (n *network) narrow(x *graph.Node) *graph.Node {
	if n.mode.Precision != BFloat16 || x.DType() == dtypes.BFloat16 {
		return x
	}
	return graph.ConvertDType(x, dtypes.BFloat16)
}

// between converts a value that passes from one matrix product to another.
func (n *network) between(x *graph.Node) *graph.Node {
	if n.mode.Wide {
		return x
	}
	return n.narrow(x)
}

// wide converts to float32.
func wide(x *graph.Node) *graph.Node {
	if x.DType() == dtypes.Float32 {
		return x
	}
	return graph.ConvertDType(x, dtypes.Float32)
}

// residual adds a layer's output to the stream.
func residual(x, y *graph.Node) *graph.Node { return graph.Add(x, wide(y)) }

// drop applies the mode's dropout.
func (n *network) drop(x *graph.Node) *graph.Node { return n.mode.Dropout.apply(x) }

// beginBlock marks x as the input of a layer.
func (n *network) beginBlock(x *graph.Node) *graph.Node {
	if !n.mode.Checkpoint {
		return x
	}
	// Dropout inside the layer is drawn again, not kept.
	n.mode.Dropout.update((*graph.Node).Checkpoint)
	return plainNode(x).Checkpoint()
}

// plainNode returns x as a node without a custom gradient. GoMLX v0.28.2 drops the custom
// gradient of the node before a checkpoint: cloning an OptimizationBarrier returns its operand
// and copies the barrier's attributes to it.
func plainNode(x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	return graph.Reshape(graph.Reshape(x, d[0]*d[1], d[2]), d...)
}

// endBlocks marks x as the output of the last layer.
func (n *network) endBlocks(x *graph.Node) *graph.Node {
	if !n.mode.Checkpoint {
		return x
	}
	n.mode.Dropout.update((*graph.Node).StopCheckpoint)
	return plainNode(x).StopCheckpoint()
}

// CheckDropout returns an error if dropout has no effect in this network.
func (e *Encoder) CheckDropout() error {
	if e.config.ModelType == staticType {
		return fmt.Errorf("dropout: a %s model has no layers in which to drop values", staticType)
	}
	return nil
}
