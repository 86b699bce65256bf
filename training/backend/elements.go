package backend

import (
	"github.com/gomlx/compute"

	"infbench/metrics/kernel"
)

func registerElements() {
	for op, do := range map[compute.OpType]func(dst, a []float32){
		compute.OpTypeExp: kernel.Exp, compute.OpTypeErf: kernel.Erf, compute.OpTypeTanh: kernel.Tanh,
		compute.OpTypeLogistic: kernel.Logistic, compute.OpTypeSqrt: kernel.Sqrt, compute.OpTypeRsqrt: kernel.Rsqrt,
		compute.OpTypeSign: kernel.Sign, compute.OpTypeNeg: kernel.Negate, compute.OpTypeAbs: kernel.Absolute,
	} {
		register(op, unary(do))
	}
	register(compute.OpTypeFusedGelu, func(c call) (*buffer, bool) {
		if exact, ok := field(c.node.Data, "exact"); !ok || !exact.Bool() {
			return nil, false
		}
		return unary(kernel.GELU)(c)
	})
	for op, do := range map[compute.OpType]pairwise{
		compute.OpTypeAdd: kernel.Add, compute.OpTypeSub: kernel.Subtract, compute.OpTypeMul: kernel.Multiply,
		compute.OpTypeDiv: kernel.Divide, compute.OpTypeMax: kernel.Maximum, compute.OpTypeMin: kernel.Minimum,
	} {
		register(op, do.binary)
	}
	register(compute.OpTypeWhere, where)
}

// unary runs a kernel over each value.
func unary(do func(dst, a []float32)) executor {
	return func(c call) (*buffer, bool) {
		a, ok := c.in(0)
		if !ok {
			return nil, false
		}
		out, dst := c.output(0)
		c.ranges(len(dst), 1, func(from, to int) { do(dst[from:to], a[from:to]) })
		return out, true
	}
}

// pairwise is a kernel of two arguments; either may have length 1, and then applies to all
// values.
type pairwise func(dst, a, b []float32)

// binary applies a pairwise kernel to two tensors of the same rank, repeating axes of size 1,
// or to a tensor and a scalar.
func (do pairwise) binary(c call) (*buffer, bool) {
	a, ok := c.in(0)
	b, ok2 := c.in(1)
	if !ok || !ok2 {
		return nil, false
	}
	dims := c.node.Shape.Dimensions
	steps := func(i int) []int { return repeated(c.inputs[i].RawShape.Dimensions, dims) }
	axes := axesOf(dims, contiguous(dims))
	for i, step := range steps(0) {
		axes[i].steps = append(axes[i].steps, step)
	}
	for i, step := range steps(1) {
		axes[i].steps = append(axes[i].steps, step)
	}
	axes = merge(axes)
	row := axis{1, []int{1, 0, 0}}
	if n := len(axes) - 1; n >= 0 {
		row, axes = axes[n], axes[:n]
	}
	out, dst := c.output(1, 0)
	if len(axes) == 0 {
		c.ranges(row.size, 1, func(from, to int) { do(dst[from:to], along(a, row, 1, from, to), along(b, row, 2, from, to)) })
		return out, true
	}
	c.ranges(count(axes), row.size, func(from, to int) {
		for i := from; i < to; i++ {
			at := place(axes, i)
			do(dst[at[0]:at[0]+row.size], along(a[at[1]:], row, 1, 0, row.size), along(b[at[2]:], row, 2, 0, row.size))
		}
	})
	return out, true
}

// along returns the values of an argument from one position of a row to another, or its
// single value.
func along(x []float32, row axis, argument, from, to int) []float32 {
	if row.steps[argument] == 0 {
		return x[:1]
	}
	return x[from:to]
}

// repeated returns the steps of a tensor along the axes of a larger one of the same rank: 0
// along repeated axes. A scalar is repeated along all.
func repeated(dims, larger []int) []int {
	steps := make([]int, len(larger))
	if len(dims) != len(larger) {
		return steps
	}
	for axis, stride := range contiguous(dims) {
		if dims[axis] > 1 {
			steps[axis] = stride
		}
	}
	return steps
}

// where picks values by a condition of the same shape, or one of two tensors by a single
// condition.
func where(c call) (*buffer, bool) {
	condition, ok := c.inputs[0].Flat.([]bool)
	yes, ok1 := c.in(1)
	no, ok2 := c.in(2)
	size := c.node.Shape.Size()
	whole := func(n int) bool { return n == 1 || n == size }
	if !ok || !ok1 || !ok2 || !whole(len(condition)) || !whole(len(yes)) || !whole(len(no)) {
		return nil, false
	}
	if len(condition) == 1 {
		return chosen(c, map[bool]int{true: 1, false: 2}[condition[0]])
	}
	out, dst := c.output(1, 2)
	at := func(x []float32, i int) float32 { return x[min(i, len(x)-1)] }
	c.ranges(size, 1, func(from, to int) {
		for i := from; i < to; i++ {
			if condition[i] {
				dst[i] = at(yes, i)
			} else {
				dst[i] = at(no, i)
			}
		}
	})
	return out, true
}

// chosen copies a complete input, repeating a single value.
func chosen(c call, i int) (*buffer, bool) {
	values, _ := c.in(i)
	out, dst := c.output(i)
	if c.inputs[i] == nil {
		return out, true // no copy needed
	}
	c.ranges(len(dst), 1, func(from, to int) {
		if len(values) == 1 {
			for k := from; k < to; k++ {
				dst[k] = values[0]
			}
			return
		}
		copy(dst[from:to], values[from:to])
	})
	return out, true
}
