package backend

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// view is a tensor that is read in place from the values of another node: element (i, j, ...)
// is at offset + i·strides[0] + j·strides[1] + ...
type view struct {
	base          *node
	offset        int
	dims, strides []int
}

// viewOf follows transpositions, slices and reshapes back as far as strides can express them, and
// conversions from float32 to bfloat16, which a product repeats.
func viewOf(n *node) view {
	own := view{base: n, dims: n.Shape.Dimensions, strides: contiguous(n.Shape.Dimensions)}
	switch n.OpType {
	case compute.OpTypeIdentity:
		return viewOf(n.Inputs[0])
	case compute.OpTypeConvertDType:
		if n.Shape.DType == dtypes.BFloat16 && n.Inputs[0].Shape.DType == dtypes.Float32 {
			return viewOf(n.Inputs[0])
		}
	case compute.OpTypeTranspose:
		of := viewOf(n.Inputs[0])
		out := view{base: of.base, offset: of.offset}
		for _, axis := range n.Data.([]int) {
			out.dims, out.strides = append(out.dims, of.dims[axis]), append(out.strides, of.strides[axis])
		}
		return out
	case compute.OpTypeSlice:
		starts, ok := list(n.Data, "starts")
		steps, ok2 := list(n.Data, "strides")
		if !ok || !ok2 {
			return own
		}
		of := viewOf(n.Inputs[0])
		out := view{base: of.base, offset: of.offset, dims: n.Shape.Dimensions}
		for axis, stride := range of.strides {
			out.offset += starts[axis] * stride
			out.strides = append(out.strides, steps[axis]*stride)
		}
		return out
	case compute.OpTypeReshape:
		of := viewOf(n.Inputs[0])
		if strides, ok := reshaped(of.dims, of.strides, n.Shape.Dimensions); ok {
			return view{base: of.base, offset: of.offset, dims: n.Shape.Dimensions, strides: strides}
		}
	}
	return own
}

// contiguous returns the strides of a tensor in row-major order.
func contiguous(dims []int) []int {
	strides := make([]int, len(dims))
	step := 1
	for axis := len(dims) - 1; axis >= 0; axis-- {
		strides[axis] = step
		step *= dims[axis]
	}
	return strides
}

// reshaped returns the strides that read the same values in the same order with other
// dimensions; ok is false if there are none.
func reshaped(dims, strides, to []int) (out []int, ok bool) {
	merged := merge(axesOf(dims, strides))
	out = make([]int, len(to))
	at := len(merged) - 1
	left := 1 // of the axis at, not yet split off
	if at >= 0 {
		left = merged[at].size
	}
	for axis := len(to) - 1; axis >= 0; axis-- {
		if to[axis] == 1 {
			continue
		}
		if left == 1 && at > 0 {
			at--
			left = merged[at].size
		}
		if at < 0 || left%to[axis] != 0 {
			return nil, false
		}
		out[axis] = merged[at].steps[0] * (merged[at].size / left)
		left /= to[axis]
	}
	return out, true
}

// axis is an axis along which several tensors are walked together, with a step in each.
type axis struct {
	size  int
	steps []int
}

// axesOf returns the axes of one tensor.
func axesOf(dims, strides []int) []axis {
	list := make([]axis, len(dims))
	for i, size := range dims {
		list[i] = axis{size, []int{strides[i]}}
	}
	return list
}

// merge drops axes of size 1 and joins adjacent ones that every tensor walks as one.
func merge(list []axis) []axis {
	var out []axis
	for _, a := range list {
		if a.size == 1 {
			continue
		}
		if n := len(out) - 1; n >= 0 && joins(out[n], a) {
			out[n] = axis{out[n].size * a.size, a.steps}
		} else {
			out = append(out, axis{a.size, slices.Clone(a.steps)})
		}
	}
	return out
}

// joins reports whether, in every tensor, a step along outer is as long as all of inner.
func joins(outer, inner axis) bool {
	for i, step := range inner.steps {
		if outer.steps[i] != inner.size*step {
			return false
		}
	}
	return true
}
