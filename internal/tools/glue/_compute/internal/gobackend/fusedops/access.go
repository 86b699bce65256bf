package fusedops

// SoftmaxAxis is the axis of a FusedSoftmax node.
func SoftmaxAxis(data any) int { return data.(*nodeFusedSoftmax).axis }

// GeluIsExact reports whether a FusedGelu node uses erf.
func GeluIsExact(data any) bool { return data.(*nodeFusedGelu).exact }

// LayerNormOf returns the axes and epsilon of a FusedLayerNorm node.
func LayerNormOf(data any) (axes []int, epsilon float64) {
	d := data.(*nodeFusedLayerNorm)
	return d.axes, d.epsilon
}
