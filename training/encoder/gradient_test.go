package encoder

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	_ "infbench/training/backend"
)

// TestGradientsOfOurOwn compares values and gradients of each function with a custom gradient
// with its textbook form and the gradient that GoMLX derives for that, with and without gradient
// checkpointing, with the operations for the Go backend and with those for others.
func TestGradientsOfOurOwn(t *testing.T) {
	native, err := compute.NewWithConfig("go:parallelism=-1")
	if err != nil {
		t.Fatal(err)
	}
	defer native.Finalize()
	type function func(in []*graph.Node) *graph.Node
	layerNorm := func(centred bool) function {
		return func(in []*graph.Node) *graph.Node {
			x := in[0]
			mean := func(x *graph.Node) *graph.Node { return graph.InsertAxes(graph.ReduceMean(x, -1), -1) }
			if centred {
				x = graph.Sub(x, mean(x))
			}
			x = graph.Div(x, graph.Sqrt(graph.AddScalar(mean(graph.Square(x)), 1e-3)))
			return graph.Mul(x, graph.ExpandLeftToRank(in[1], x.Rank()))
		}
	}
	for name, c := range map[string]struct {
		dims       [][]int
		ours, want function
	}{
		"product": {[][]int{{2, 5, 7}, {3, 7}}, func(in []*graph.Node) *graph.Node { return product(in[0], in[1]) },
			func(in []*graph.Node) *graph.Node {
				return graph.DotGeneral(in[0], []int{2}, nil, in[1], []int{1}, nil)
			}},
		"wide product of a page of rows": {[][]int{{4, 256, 3}, {9, 3}}, func(in []*graph.Node) *graph.Node { return product(in[0], in[1]) },
			func(in []*graph.Node) *graph.Node {
				return graph.DotGeneral(in[0], []int{2}, nil, in[1], []int{1}, nil)
			}},
		"bias": {[][]int{{2, 5, 7}, {7}}, func(in []*graph.Node) *graph.Node { return addBias(in[0], in[1]) },
			func(in []*graph.Node) *graph.Node { return graph.Add(in[0], graph.ExpandLeftToRank(in[1], 3)) }},
		"layer norm": {[][]int{{2, 5, 7}, {7}}, func(in []*graph.Node) *graph.Node { return normalize(in[0], in[1], 1e-3, true) }, layerNorm(true)},
		"RMS norm":   {[][]int{{2, 5, 7}, {7}}, func(in []*graph.Node) *graph.Node { return normalize(in[0], in[1], 1e-3, false) }, layerNorm(false)},
		"gelu": {[][]int{{2, 5, 7}}, func(in []*graph.Node) *graph.Node { return gelu(in[0]) },
			func(in []*graph.Node) *graph.Node {
				phi := graph.AddScalar(graph.Erf(graph.DivScalar(in[0], math.Sqrt2)), 1)
				return graph.MulScalar(graph.Mul(in[0], phi), 0.5)
			}},
		"fused gelu": {[][]int{{2, 5, 7}}, func(in []*graph.Node) *graph.Node { return fusedGelu(in[0]) }, func(in []*graph.Node) *graph.Node { return gelu(in[0]) }},
		"softmax": {[][]int{{2, 3, 5, 7}}, func(in []*graph.Node) *graph.Node { return softmax(in[0]) },
			func(in []*graph.Node) *graph.Node {
				e := graph.Exp(in[0])
				return graph.Div(e, graph.InsertAxes(graph.ReduceSum(e, -1), -1))
			}},
		"scores":         {[][]int{{2, 5, 3, 1, 4}, {2, 6, 3, 4}}, func(in []*graph.Node) *graph.Node { return scoresOf(in[0], in[1]) }, scoresPlainly},
		"shared scores":  {[][]int{{2, 5, 3, 2, 4}, {2, 6, 3, 4}}, func(in []*graph.Node) *graph.Node { return scoresOf(in[0], in[1]) }, scoresPlainly},
		"mix, few keys":  {[][]int{{2, 3, 1, 5, 2}, {2, 2, 3, 4}}, func(in []*graph.Node) *graph.Node { return mix(in[0], in[1]) }, mixPlainly},
		"mix, many keys": {[][]int{{2, 3, 2, 5, 20}, {2, 20, 3, 4}}, func(in []*graph.Node) *graph.Node { return mix(in[0], in[1]) }, mixPlainly},
		"attention in blocks": {[][]int{{2, 5, 3, 2, 4}, {2, 7, 3, 4}, {2, 7, 3, 4}, {2, 1, 1, 5, 7}},
			func(in []*graph.Node) *graph.Node { return attendInBlocks(in[0], in[1], in[2], in[3], 3) }, attendPlainly},
		"attention in one block, bias of heads": {[][]int{{2, 5, 3, 2, 4}, {2, 6, 3, 4}, {2, 6, 3, 4}, {1, 3, 2, 5, 6}},
			func(in []*graph.Node) *graph.Node { return attendInBlocks(in[0], in[1], in[2], in[3], 8) }, attendPlainly},
		"one input twice": {[][]int{{2, 5, 3, 1, 4}}, func(in []*graph.Node) *graph.Node { return scoresOf(in[0], graph.Squeeze(in[0], 3)) }, func(in []*graph.Node) *graph.Node {
			return scoresPlainly([]*graph.Node{in[0], graph.Squeeze(in[0], 3)})
		}},
	} {
		var values [][]float32
		rng := rand.New(rand.NewPCG(3, 4))
		for _, dims := range c.dims {
			x := make([]float32, size(dims))
			for i := range x {
				x[i] = float32(rng.NormFloat64())
			}
			values = append(values, x)
		}
		results := func(backend compute.Backend, f function, checkpoint bool) [][]float32 {
			exec, err := graph.NewExec(backend, func(in []*graph.Node) []*graph.Node {
				block := make([]*graph.Node, len(in))
				for i, x := range in {
					block[i] = x
					if checkpoint {
						block[i] = x.Checkpoint()
					}
				}
				y := f(block)
				if checkpoint {
					y = y.StopCheckpoint()
				}
				weights := graph.Sin(graph.AddScalar(graph.IotaFull(y.Graph(), y.Shape()), 1))
				loss := graph.ReduceAllSum(graph.Mul(graph.Square(y), weights))
				return append([]*graph.Node{y}, graph.Gradient(loss, in...)...)
			})
			if err != nil {
				t.Fatal(err)
			}
			defer exec.Finalize()
			var in []any // a tensor is bound to a backend
			for i, x := range values {
				in = append(in, tensors.FromFlatDataAndDimensions(x, c.dims[i]...))
			}
			out, err := exec.Call(in...)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var flat [][]float32
			for _, o := range out {
				flat = append(flat, tensors.MustCopyFlatData[float32](o))
			}
			return flat
		}
		want := results(native, c.want, false)
		for _, backend := range []compute.Backend{native, another{native}} {
			for _, checkpoint := range []bool{false, true} {
				for i, got := range results(backend, c.ours, checkpoint) {
					for k := range want[i] {
						if math.Abs(float64(got[k]-want[i][k])) > 1e-5*(1+largest(want[i])) {
							t.Errorf("%s on %s, checkpoint %v: output %d at %d is %g, want %g",
								name, backend.Name(), checkpoint, i, k, got[k], want[i][k])
							break
						}
					}
				}
			}
		}
	}
}

// another is a backend that uses the operations of backends other than Go's.
type another struct{ compute.Backend }

func (another) Name() string { return "another backend" }

func size(dims []int) int {
	size := 1
	for _, d := range dims {
		size *= d
	}
	return size
}

// largest is the largest magnitude.
func largest(values []float32) float64 {
	top := 0.0
	for _, v := range values {
		top = max(top, math.Abs(float64(v)))
	}
	return top
}

// scoresPlainly is scoresOf by multiplication and sum.
func scoresPlainly(in []*graph.Node) *graph.Node {
	q := graph.InsertAxes(graph.TransposeAllAxes(in[0], 0, 2, 3, 1, 4), -2)
	return graph.ReduceSum(graph.Mul(q, graph.InsertAxes(graph.TransposeAllAxes(in[1], 0, 2, 1, 3), 2, 2)), -1)
}

// mixPlainly is mix by multiplication and sum.
func mixPlainly(in []*graph.Node) *graph.Node {
	values := graph.InsertAxes(graph.TransposeAllAxes(in[1], 0, 2, 1, 3), 2, 2)
	return graph.TransposeAllAxes(graph.ReduceSum(graph.Mul(graph.InsertAxes(in[0], -1), values), -2), 0, 3, 1, 2, 4)
}

// attendPlainly is attendInBlocks with all scores at once.
func attendPlainly(in []*graph.Node) *graph.Node {
	e := graph.Exp(graph.Add(scoresPlainly(in), in[3]))
	return mixPlainly([]*graph.Node{graph.Div(e, graph.InsertAxes(graph.ReduceSum(e, -1), -1)), in[2]})
}
