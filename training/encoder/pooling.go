package encoder

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// Pooling is the way in which the hidden states of a text become its vector.
type Pooling string

// The poolings. CLS and Last are the first and last token that is not padding, whichever side the
// padding is on.
const (
	Mean Pooling = "mean"
	CLS  Pooling = "cls"
	Last Pooling = "last"
	// WeightedMean counts the i-th token i times (Muennighoff 2022, SGPT).
	WeightedMean Pooling = "weighted_mean"
	// Max is the largest value of each component, and MeanSqrt the sum of states over
	// the root of their number (sentence-transformers).
	Max      Pooling = "max"
	MeanSqrt Pooling = "mean_sqrt_len"
)

// poolings lists the names for error messages.
func poolings() []string {
	return []string{string(Mean), string(CLS), string(Last), string(WeightedMean), string(Max), string(MeanSqrt)}
}

// Pool reduces hidden states [B,S,D] to [B,D] over the tokens of mask [B,S] (as in HiddenStates).
// A row without any token becomes zeros.
func Pool(p Pooling, states, mask *graph.Node) *graph.Node {
	g, mask := states.Graph(), asBool(mask)
	if p == Max {
		return maxPool(states, mask)
	}
	weights := graph.ConvertDType(mask, dtypes.Float32)
	switch p {
	case CLS, Last:
		weights = graph.ConvertDType(chosen(p, mask), dtypes.Float32)
	case WeightedMean:
		weights = graph.Mul(weights, graph.ConvertDType(tokenCount(mask), dtypes.Float32))
	}
	total := graph.InsertAxes(graph.ReduceSum(weights, 1), -1) // [B,1]
	total = graph.Max(total, graph.ScalarOne(g, dtypes.Float32))
	if p == MeanSqrt {
		total = graph.Sqrt(total)
	}
	// A batched product of [B,S] and [B,S,D] sums without a [B,S,D] product.
	sum := graph.DotGeneral(weights, []int{1}, []int{0}, states, []int{1}, []int{0})
	return graph.Div(sum, total)
}

// maxPool is the maximum over the tokens of mask.
func maxPool(states, mask *graph.Node) *graph.Node {
	among := graph.BroadcastToShape(graph.InsertAxes(mask, -1), states.Shape())
	top := graph.ReduceMax(graph.Where(among, states, graph.Scalar(states.Graph(), states.DType(), forbidden)), 1)
	return graph.Where(graph.Equal(top, graph.Scalar(states.Graph(), states.DType(), forbidden)), graph.ZerosLike(top), top)
}

// padded gives padding the state of its text's first token, [B,S,D].
func padded(states, mask *graph.Node) *graph.Node {
	first := graph.BroadcastToShape(graph.InsertAxes(Pool(CLS, states, mask), 1), states.Shape())
	return graph.Where(graph.BroadcastToShape(graph.InsertAxes(asBool(mask), -1), states.Shape()), states, first)
}

// chosen marks the one token that CLS or Last takes, [B,S].
func chosen(p Pooling, mask *graph.Node) *graph.Node {
	g := mask.Graph()
	position := graph.Iota(g, shapes.Make(dtypes.Int32, mask.Shape().Dimensions...), 1)
	beyond := graph.Scalar(g, dtypes.Int32, mask.Shape().Dim(1))
	if p == CLS {
		first := graph.ReduceMin(graph.Where(mask, position, graph.BroadcastToShape(beyond, position.Shape())), 1)
		return graph.Equal(position, graph.InsertAxes(first, -1))
	}
	none := graph.BroadcastToShape(graph.Scalar(g, dtypes.Int32, -1), position.Shape())
	last := graph.ReduceMax(graph.Where(mask, position, none), 1)
	return graph.Equal(position, graph.InsertAxes(last, -1))
}
