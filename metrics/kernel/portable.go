package kernel

var portableKernels = set{name: Portable, dot: dotPortable, bfloat16: func() *micro { return &micro{} }, elements: portableElements, rows: portableRows}

// Dot returns the sum of a[i]·b[i] over the elements of a; b has at least as many.
func Dot(a, b []float32) float32 { return current.dot(a, b) }

func dotPortable(a, b []float32) float32 {
	var sum float32
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
