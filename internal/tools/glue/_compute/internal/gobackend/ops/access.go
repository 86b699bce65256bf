package ops

// SliceOf returns the starts and steps of a Slice node, by axis.
func SliceOf(data any) (starts, strides []int) {
	d := data.(*sliceNode)
	return d.starts, d.strides
}

// GathersRows reports whether a Gather node takes complete rows of a matrix, by one index
// each.
func GathersRows(data any, columns int) bool {
	d := data.(*gatherNode)
	return len(d.startIndexMap) == 1 && d.startIndexMap[0] == 0 && len(d.collapsedSlicesAxes) == 1 && d.collapsedSlicesAxes[0] == 0 &&
		len(d.sliceSizes) == 2 && d.sliceSizes[0] == 1 && d.sliceSizes[1] == columns
}

// ScattersRows reports whether a Scatter node writes complete rows of a matrix, by one index
// each.
func ScattersRows(data any, updateRank int) bool {
	d := data.(*scatterNode)
	return len(d.scatterAxesToOperandAxes) == 1 && d.scatterAxesToOperandAxes[0] == 0 && len(d.insertedWindowAxes) == 1 && d.insertedWindowAxes[0] == 0 &&
		len(d.updateWindowAxes) == 1 && d.updateWindowAxes[0] == updateRank-1
}
