package encoder

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/nearest"
)

// Precision is the data type in which a training step, or evaluation
// (Encoder.SetPrecision), multiplies matrices.
// Weights, their gradients and their moments are float32 whatever it is.
type Precision string

// The precisions. BFloat16 follows PyTorch's autocast: matrix products and what
// they hand to each other have 8 bits of mantissa; normalisation, softmax,
// activation functions, residual streams, pooling and loss are float32.
const (
	Float32  Precision = "float32"
	BFloat16 Precision = "bf16"
)

// Check refuses unknown names; none stands for Float32.
func (p Precision) Check() error { return nearest.OneOf("precision", p, Float32, BFloat16) }

// Mode is how a training step runs the network. The zero Mode is that of
// evaluation in float32.
type Mode struct {
	Dropout   *Dropout // nil: nothing is dropped
	Precision Precision
	Lookups   *Lookups // of the groups that the graph reads; nil: each reads for itself

	// Checkpoint keeps the input of each layer alone for the gradient and computes
	// what is inside it again (Chen et al. 2016, arXiv 1604.06174).
	Checkpoint bool

	// Pooled leaves vectors as pooling and projections make them, whatever Text.Normalize
	// says. Only evaluation sets it.
	Pooled bool
}

// isPlain reports whether layers compute as in evaluation in float32.
func (m Mode) isPlain() bool {
	m.Pooled = false // which is said of what follows them
	return m == Mode{}
}

// narrow converts to the data type of matrix products.
func (n *network) narrow(x *graph.Node) *graph.Node {
	if n.mode.Precision != BFloat16 || x.DType() == dtypes.BFloat16 {
		return x
	}
	return graph.ConvertDType(x, dtypes.BFloat16)
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
	// What is drawn inside the layer is drawn again, not kept.
	n.mode.Dropout.update((*graph.Node).Checkpoint)
	return plainNode(x).Checkpoint()
}

// plainNode is x as a node without a gradient of its own. GoMLX v0.28.2 takes that
// gradient away from the node before a checkpoint: cloning an OptimizationBarrier
// returns its operand and copies the barrier's attributes to it.
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

// CheckDropout says whether training drops anything in this network.
func (e *Encoder) CheckDropout() error {
	if e.config.ModelType == staticType {
		return fmt.Errorf("dropout: a %s model has no layers in which to drop values", staticType)
	}
	return nil
}
