package backend

import (
	"slices"

	"github.com/gomlx/compute"

	"infbench/metrics/kernel"
)

func registerCopies() {
	register(compute.OpTypeTranspose, transposed)
	register(compute.OpTypeSlice, sliced)
	register(compute.OpTypeBroadcastInDim, broadcast)
	register(compute.OpTypeGather, gathered)
	register(compute.OpTypeScatterSum, scattered)
}

// transposed and sliced copy the values that the node's view reads from its input.
func transposed(c call) (*buffer, bool) {
	dims := c.inputs[0].RawShape.Dimensions
	strides := contiguous(dims)
	var steps []int
	for _, axis := range c.node.Data.([]int) {
		steps = append(steps, strides[axis])
	}
	return c.copied(0, steps)
}

func sliced(c call) (*buffer, bool) {
	starts, ok := list(c.node.Data, "starts")
	strides, ok2 := list(c.node.Data, "strides")
	if !ok || !ok2 {
		return nil, false
	}
	offset := 0
	var steps []int
	for axis, step := range contiguous(c.inputs[0].RawShape.Dimensions) {
		offset += starts[axis] * step
		steps = append(steps, strides[axis]*step)
	}
	return c.copied(offset, steps)
}

// broadcast repeats values along axes.
func broadcast(c call) (*buffer, bool) {
	steps := make([]int, c.node.Shape.Rank())
	dims := c.inputs[0].RawShape.Dimensions
	for axis, step := range contiguous(dims) {
		if dims[axis] > 1 {
			steps[c.node.Data.([]int)[axis]] = step
		}
	}
	return c.copied(0, steps)
}

// copied writes the values of the input that are read from an offset, by steps along the axes
// of the result.
func (c call) copied(offset int, steps []int) (*buffer, bool) {
	a, ok := c.in(0)
	if !ok || c.node.Shape.Size() == 0 {
		return nil, false
	}
	out, dst := c.output()
	dims := c.node.Shape.Dimensions
	axes := axesOf(dims, contiguous(dims))
	for i, step := range steps {
		axes[i].steps = append(axes[i].steps, step, 0)
	}
	axes = merge(axes)
	row := axis{1, []int{1, 1, 0}}
	if n := len(axes) - 1; n >= 0 {
		row, axes = axes[n], axes[:n]
	}
	a = a[offset:]
	if len(axes) == 0 {
		c.ranges(row.size, 1, func(from, to int) { copyRow(dst[from:to], a[from*row.steps[1]:], row.steps[1]) })
		return out, true
	}
	if tall := consecutiveInput(axes); tall >= 0 && row.steps[1] > 1 {
		return out, c.squares(dst, a, row, axes, tall)
	}
	c.ranges(count(axes), row.size, func(from, to int) {
		for i := from; i < to; i++ {
			at := place(axes, i)
			copyRow(dst[at[0]:at[0]+row.size], a[at[1]:], row.steps[1])
		}
	})
	return out, true
}

// copyRow writes consecutive values, read at a step; a step of 0 repeats one value.
func copyRow(dst, a []float32, step int) {
	switch step {
	case 1:
		copy(dst, a)
	case 0:
		v := a[0]
		for i := range dst {
			dst[i] = v
		}
	default:
		for i := range dst {
			dst[i] = a[i*step]
		}
	}
}

// consecutiveInput returns the axis along which the input has consecutive values, or -1.
func consecutiveInput(axes []axis) int {
	for i, a := range axes {
		if a.steps[1] == 1 {
			return i
		}
	}
	return -1
}

// squares transposes blocks that fit the cache: the input's rows run along axes[tall].
func (c call) squares(dst, a []float32, row axis, axes []axis, tall int) bool {
	const side = 32
	column, outer := without(axes, tall)
	down, across := (column.size+side-1)/side, (row.size+side-1)/side
	c.ranges(count(outer)*down, side*row.size, func(from, to int) {
		for i := from; i < to; i++ {
			at := place(outer, i/down)
			top := i % down * side
			for left := range across {
				left *= side
				for j := left; j < min(row.size, left+side); j++ {
					source := a[at[1]+j*row.steps[1]:]
					for k := top; k < min(column.size, top+side); k++ {
						dst[at[0]+k*column.steps[0]+j] = source[k]
					}
				}
			}
		}
	})
	return true
}

// indices returns the values of an integer input.
func indices(b *buffer) ([]int32, bool) {
	list, ok := b.Flat.([]int32)
	return list, ok
}

// has reports whether a node's data has a list of integers with these values.
func has(data any, name string, values ...int) bool {
	found, ok := list(data, name)
	return ok && slices.Equal(found, values)
}

// takesRows reports whether a Gather node takes complete rows of a matrix, by one index each.
func takesRows(data any, columns int) bool {
	return has(data, "startIndexMap", 0) && has(data, "collapsedSlicesAxes", 0) && has(data, "sliceSizes", 1, columns)
}

// addsRows reports whether a Scatter node writes complete rows of a matrix, by one index each.
func addsRows(data any, updateRank int) bool {
	return has(data, "scatterAxesToOperandAxes", 0) && has(data, "insertedWindowAxes", 0) && has(data, "updateWindowAxes", updateRank-1)
}

// gathered takes rows of a matrix; an index out of range takes the nearest row.
func gathered(c call) (*buffer, bool) {
	table, ok := c.in(0)
	ids, ok2 := indices(c.inputs[1])
	dims := c.inputs[0].RawShape.Dimensions
	if !ok || !ok2 || len(dims) != 2 || !takesRows(c.node.Data, dims[1]) || c.node.Shape.Size() != len(ids)*dims[1] || c.last() != dims[1] {
		return nil, false
	}
	out, dst := c.output()
	width := dims[1]
	c.ranges(len(ids), width, func(from, to int) {
		for i := from; i < to; i++ {
			id := max(0, min(int(ids[i]), dims[0]-1))
			copy(dst[i*width:(i+1)*width], table[id*width:])
		}
	})
	return out, true
}

// scattered adds rows to those of a matrix, in the order of the added rows.
func scattered(c call) (*buffer, bool) {
	ids, ok := indices(c.inputs[1])
	rows, ok2 := c.in(2)
	dims := c.node.Shape.Dimensions
	of := c.inputs[2].RawShape.Dimensions
	if !ok || !ok2 || len(dims) != 2 || len(of) == 0 || of[len(of)-1] != dims[1] || len(rows) != len(ids)*dims[1] || !addsRows(c.node.Data, len(of)) {
		return nil, false
	}
	for _, id := range ids {
		if id < 0 || int(id) >= dims[0] {
			return nil, false
		}
	}
	before := c.inputs[0].Flat.([]float32)
	out, dst := c.output(0)
	if c.inputs[0] != nil {
		c.ranges(len(dst), 1, func(from, to int) { copy(dst[from:to], before[from:to]) })
	}
	width := dims[1]
	c.columns(width, len(ids), func(from, to int) {
		for i, id := range ids {
			sum := dst[int(id)*width+from : int(id)*width+to]
			kernel.Add(sum, sum, rows[i*width+from:i*width+to])
		}
	})
	return out, true
}
