package encoder

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"infbench/metrics/nearest"
)

// RopeScaling is how rotary frequencies are changed for long contexts
// (config.json rope_scaling).
type RopeScaling struct {
	Type      string  `json:"rope_type,omitempty"` // default, linear, llama3
	OldType   string  `json:"type,omitempty"`      // the key of early versions
	Factor    float64 `json:"factor,omitempty"`
	Low       float64 `json:"low_freq_factor,omitempty"`
	High      float64 `json:"high_freq_factor,omitempty"`
	Positions float64 `json:"original_max_position_embeddings,omitempty"`
	Theta     float64 `json:"rope_theta,omitempty"` // in rope_parameters of later versions
}

// kind is the type under either key.
func (r *RopeScaling) kind() string {
	switch {
	case r == nil:
		return "default"
	case r.Type != "":
		return r.Type
	case r.OldType != "":
		return r.OldType
	}
	return "default"
}

// check returns an error for scalings that are unknown or incomplete.
func (r *RopeScaling) check() error {
	switch kind := r.kind(); kind {
	case "default":
		return nil
	case "linear":
		if r.Factor <= 0 {
			return fmt.Errorf("rope_scaling linear with factor %g", r.Factor)
		}
		return nil
	case "llama3":
		if r.Factor <= 0 || r.Positions <= 0 || r.High <= r.Low || r.Low <= 0 {
			return errors.New("rope_scaling llama3 needs factor, low_freq_factor < high_freq_factor and original_max_position_embeddings")
		}
		return nil
	default:
		return nearest.Unknown("rope_scaling type", kind, []string{"default", "linear", "llama3"})
	}
}

// frequencies returns the d/2 rotary frequencies theta^(-2i/d), scaled.
func (r *RopeScaling) frequencies(theta float64, d int) []float32 {
	list := make([]float32, d/2)
	for i := range list {
		f := float32(1 / math.Pow(theta, float64(2*i)/float64(d)))
		switch r.kind() {
		case "linear":
			f /= float32(r.Factor)
		case "llama3":
			f = r.llama3(f)
		}
		list[i] = f
	}
	return list
}

// llama3 keeps short waves, divides long ones by factor and passes smoothly
// from the one to the other (Llama 3.1).
func (r *RopeScaling) llama3(f float32) float32 {
	wave := 2 * math.Pi / float64(f)
	switch {
	case wave < r.Positions/r.High:
		return f
	case wave > r.Positions/r.Low:
		return f / float32(r.Factor)
	}
	smooth := (r.Positions/wave - r.Low) / (r.High - r.Low)
	return float32((1-smooth)*float64(f)/r.Factor + smooth*float64(f))
}

// rotary turns queries and keys by their positions.
type rotary struct {
	cos, sin *graph.Node // [1,S,1,d]
}

// newRotary builds the tables for positions 0 to length-1 and heads of width
// d. Angles are float32 products, as in transformers.
func newRotary(g *graph.Graph, frequencies []float32, length int) rotary {
	d := 2 * len(frequencies)
	cos, sin := make([]float32, length*d), make([]float32, length*d)
	for p := range length {
		for i, f := range frequencies {
			angle := float64(float32(p) * f)
			for _, at := range []int{p*d + i, p*d + i + d/2} {
				cos[at], sin[at] = float32(math.Cos(angle)), float32(math.Sin(angle))
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
