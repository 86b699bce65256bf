package encoder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"infbench/metrics/kernel"
)

// A product of Mode.Wide has the bits of the float32 product of numbers that were rounded to
// bfloat16 before, and reads transposed and reshaped operands in place.
func TestWideProducts(t *testing.T) {
	if !kernel.HasBFloat16() {
		t.Skip("this processor has no kernels for bfloat16")
	}
	type form func(dot func(x, y *graph.Node) *graph.DotBuilder, x, y *graph.Node) *graph.Node
	linear := func(dot func(x, y *graph.Node) *graph.DotBuilder, x, y *graph.Node) *graph.Node {
		return dot(x, y).General([]int{-1}, nil, []int{1}, nil)
	}
	for name, c := range map[string]struct {
		x, y []int
		f    form
	}{
		"linear layer": {[]int{3, 40, 27}, []int{33, 27}, linear},
		"head of one":  {[]int{2, 5, 64}, []int{1, 64}, linear},
		"scores": {[]int{2, 9, 3, 2, 5}, []int{2, 7, 3, 5}, func(dot func(x, y *graph.Node) *graph.DotBuilder, x, y *graph.Node) *graph.Node {
			return perHead(dot(x, y))
		}},
		"shares": {[]int{2, 3, 2, 9, 7}, []int{2, 7, 3, 5}, func(dot func(x, y *graph.Node) *graph.DotBuilder, x, y *graph.Node) *graph.Node {
			return perShares(dot(x, y))
		}},
		"heads of one matrix": {[]int{2, 9, 30}, []int{2, 7, 15}, func(dot func(x, y *graph.Node) *graph.DotBuilder, x, y *graph.Node) *graph.Node {
			return perHead(dot(graph.Reshape(x, 2, 9, 3, 2, 5), graph.Reshape(y, 2, 7, 3, 5)))
		}},
		"transposed": {[]int{8, 6}, []int{8, 5}, func(dot func(x, y *graph.Node) *graph.DotBuilder, x, y *graph.Node) *graph.Node {
			return dot(graph.TransposeAllAxes(x, 1, 0), y).General([]int{1}, nil, []int{0}, nil)
		}},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		values := func(dims []int) *tensors.Tensor {
			list := make([]float32, size(dims))
			for i := range list {
				list[i] = float32(random.NormFloat64())
			}
			return tensors.FromFlatDataAndDimensions(list, dims...)
		}
		narrow := func(x *graph.Node) *graph.Node { return graph.ConvertDType(x, dtypes.BFloat16) }
		exec, err := graph.NewExec(goBackend(t), func(x, y *graph.Node) []*graph.Node {
			return []*graph.Node{
				c.f(wideDot, narrow(x), narrow(y)),
				c.f(graph.Dot, wide(narrow(x)), wide(narrow(y))),
				c.f(graph.Dot, x, y),
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Call(values(c.x), values(c.y))
		exec.Finalize()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, want, exact := tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1]), tensors.MustCopyFlatData[float32](out[2])
		if !slices.Equal(got, want) || slices.Equal(got, exact) {
			t.Errorf("%s: %v, want %v; without rounding %v", name, got[:5], want[:5], exact[:5])
		}
	}
}
