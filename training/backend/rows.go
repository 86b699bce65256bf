package backend

import (
	"slices"

	"github.com/gomlx/compute"

	"infbench/metrics/kernel"
)

func registerRows() {
	register(compute.OpTypeFusedSoftmax, softmax)
	register(compute.OpTypeFusedLayerNorm, layerNorm)
	register(compute.OpTypeReduceSum, reduced(kernel.Sum, kernel.Add))
	register(compute.OpTypeReduceMax, reduced(kernel.Max, kernel.Maximum))
}

// softmax over the last axis.
func softmax(c call) (*buffer, bool) {
	a, ok := c.in(0)
	axis, ok2 := field(c.node.Data, "axis")
	if dims := c.node.Shape.Dimensions; !ok || !ok2 || axis.Int() != int64(len(dims)-1) || len(a) == 0 {
		return nil, false
	}
	out, dst := c.output(0)
	c.rows(c.last(), func(from, to int) { kernel.Softmax(dst[from:to], a[from:to]) })
	return out, true
}

// last is the size of the last axis of the result.
func (c call) last() int { return c.node.Shape.Dimensions[c.node.Shape.Rank()-1] }

// rows calls do with the begin and end of each row of the result.
func (c call) rows(width int, do func(from, to int)) {
	c.ranges(c.node.Shape.Size()/width, width, func(from, to int) {
		for i := from; i < to; i++ {
			do(i*width, (i+1)*width)
		}
	})
}

// layerNorm over the last axis.
func layerNorm(c call) (*buffer, bool) {
	axes, ok := list(c.node.Data, "axes")
	epsilon, ok2 := field(c.node.Data, "epsilon")
	a, ok3 := c.in(0)
	if !ok || !ok2 || !ok3 || len(axes) != 1 || axes[0] != c.node.Shape.Rank()-1 || len(a) == 0 {
		return nil, false
	}
	var gains [2][]float32 // gain and offset
	for i := 1; i < len(c.inputs); i++ {
		gains[i-1], _ = c.in(i)
	}
	out, dst := c.output(0)
	c.rows(c.last(), func(from, to int) {
		kernel.LayerNorm(dst[from:to], a[from:to], gains[0], gains[1], float32(epsilon.Float()))
	})
	return out, true
}

// reduced computes sums, or the results of a row's and a pair's kernel, over the first or the
// last axes.
func reduced(row func([]float32) float32, pair func(dst, a, b []float32)) executor {
	return func(c call) (*buffer, bool) {
		a, ok := c.in(0)
		if !ok || len(a) == 0 {
			return nil, false
		}
		outer, middle, inner, ok := split(c.inputs[0].RawShape.Dimensions, c.node.Data.([]int))
		if !ok {
			return nil, false
		}
		out, dst := c.output()
		if inner == 1 {
			c.ranges(outer, middle, func(from, to int) {
				for i := from; i < to; i++ {
					dst[i] = row(a[i*middle : (i+1)*middle])
				}
			})
			return out, true
		}
		for o := range outer {
			block, sums := a[o*middle*inner:(o+1)*middle*inner], dst[o*inner:(o+1)*inner]
			c.columns(inner, middle, func(from, to int) {
				copy(sums[from:to], block[from:to])
				for i := 1; i < middle; i++ {
					pair(sums[from:to], sums[from:to], block[i*inner+from:i*inner+to])
				}
			})
		}
		return out, true
	}
}

// columns calls do for parts of n columns of some values each.
func (c call) columns(n, values int, do func(from, to int)) {
	const narrow = 64 // several cache lines of values
	parts := (n + narrow - 1) / narrow
	c.ranges(parts, values*narrow, func(from, to int) { do(from*narrow, min(n, to*narrow)) })
}

// split divides dimensions into those before, in and after the reduced axes, which must be
// adjacent; no axes means all.
func split(dims, axes []int) (outer, middle, inner int, ok bool) {
	outer, middle, inner = 1, 1, 1
	sorted := slices.Sorted(slices.Values(axes))
	if len(sorted) == 0 {
		for _, d := range dims {
			middle *= d
		}
		return outer, middle, inner, true
	}
	first, last := sorted[0], sorted[len(sorted)-1]
	if last-first != len(sorted)-1 {
		return 0, 0, 0, false
	}
	for axis, d := range dims {
		switch {
		case axis < first:
			outer *= d
		case axis > last:
			inner *= d
		default:
			middle *= d
		}
	}
	return outer, middle, inner, true
}
