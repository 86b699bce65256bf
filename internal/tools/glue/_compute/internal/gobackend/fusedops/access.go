package fusedops

// SoftmaxAxis is the axis of a FusedSoftmax node.
func SoftmaxAxis(data any) int { return data.(*nodeFusedSoftmax).axis }

// GeluIsExact says whether a FusedGelu node's is by erf.
func GeluIsExact(data any) bool { return data.(*nodeFusedGelu).exact }

// LayerNormOf are the axes and epsilon of a FusedLayerNorm node.
func LayerNormOf(data any) (axes []int, epsilon float64) {
	d := data.(*nodeFusedLayerNorm)
	return d.axes, d.epsilon
}
