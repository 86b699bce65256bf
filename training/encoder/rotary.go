package encoder

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// rotary rotates queries and keys by their positions.
type rotary struct {
	cos, sin *graph.Node // [1,S,1,d]
}

// newRotary builds the tables for positions 0 to length-1. Angles are float32
// products, as in transformers.
func newRotary(g *graph.Graph, a angles, length int) rotary {
	frequencies, factor := a.frequencies(length)
	d := a.width
	cos, sin := make([]float32, length*d), make([]float32, length*d)
	for p := range length {
		for i, f := range frequencies {
			angle := float64(float32(p) * f)
			for _, at := range []int{p*d + i, p*d + i + d/2} {
				cos[at], sin[at] = float32(math.Cos(angle))*factor, float32(math.Sin(angle))*factor
			}
		}
	}
	table := func(values []float32) *graph.Node {
		return graph.ConstTensor(g, tensors.FromFlatDataAndDimensions(values, 1, length, 1, d))
	}
	return rotary{table(cos), table(sin)}
}

// turn rotates x [B,S,H,d], in float32; component i is paired with i + d/2.
func (r rotary) turn(x *graph.Node) *graph.Node {
	x = wide(x)
	half := x.Shape().Dim(-1) / 2
	front := graph.SliceAxis(x, -1, graph.AxisRangeFromStart(half))
	back := graph.SliceAxis(x, -1, graph.AxisRangeToEnd(half))
	turned := graph.Concatenate([]*graph.Node{graph.Neg(back), front}, -1)
	return graph.Add(graph.Mul(x, r.cos), graph.Mul(turned, r.sin))
}

// rotating marks a family with rotary positions: these exist for every token, also beyond
// max_position_embeddings.
type rotating interface{ rotating() }

func (llama) rotating()      {}
func (modernbert) rotating() {}
func (gemma3) rotating()     {}
func (nvembed) rotating()    {}
