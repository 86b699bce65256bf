package kernel

import "math"

var portableElements = elements{
	add:         spread(addPortable),
	subtract:    spread(subtractPortable),
	multiply:    spread(multiplyPortable),
	divide:      spread(dividePortable),
	maximum:     spread(maximumPortable),
	minimum:     spread(minimumPortable),
	multiplyAdd: multiplyAddPortable,
	scale:       scalePortable,

	sqrt:       elementwise(func(a float32) float32 { return float32(math.Sqrt(float64(a))) }),
	reciprocal: elementwise(func(a float32) float32 { return 1 / a }),
	rsqrt:      elementwise(func(a float32) float32 { return 1 / float32(math.Sqrt(float64(a))) }),
	sign:       elementwise(signOf),
	negate:     elementwise(func(a float32) float32 { return -a }),
	absolute:   elementwise(func(a float32) float32 { return float32(math.Abs(float64(a))) }),

	exp:      inFloat64(expOf),
	erf:      inFloat64(erfOf),
	tanh:     inFloat64(tanhOf),
	logistic: inFloat64(logisticOf),
	gelu:     inFloat64(geluOf),

	geluGradient: spread(geluGradientPortable),
}

// spread adapts a kernel of two arguments as long as dst to arguments that may have one
// element.
func spread(kernel func(dst, a, b []float32)) func(dst, a, b []float32) {
	return func(dst, a, b []float32) {
		if step(a)*step(b) == 1 {
			kernel(dst, a, b)
			return
		}
		var copiesA, copiesB [256]float32
		for len(dst) > 0 {
			n := min(len(dst), len(copiesA))
			kernel(dst[:n], repeated(a, copiesA[:n]), repeated(b, copiesB[:n]))
			dst, a, b = dst[n:], rest(a, n), rest(b, n)
		}
	}
}

// repeated returns the beginning of a, or copies of its one element.
func repeated(a, copies []float32) []float32 {
	if step(a) == 1 {
		return a
	}
	for i := range copies {
		copies[i] = a[0]
	}
	return copies
}

func addPortable(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func subtractPortable(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}

func multiplyPortable(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

func dividePortable(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
}

func maximumPortable(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = max(a[i], b[i])
	}
}

func minimumPortable(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = min(a[i], b[i])
	}
}

func geluGradientPortable(dst, a, v []float32) {
	for i, x := range a[:len(dst)] {
		dst[i] = v[i] * float32(geluSlopeOf(float64(x)))
	}
}

// elementwise returns the kernel of a function of one element.
func elementwise(f func(float32) float32) func(dst, a []float32) {
	return func(dst, a []float32) {
		for i, x := range a[:len(dst)] {
			dst[i] = f(x)
		}
	}
}

// inFloat64 is elementwise for a function that computes in float64.
func inFloat64(f func(float64) float64) func(dst, a []float32) {
	return elementwise(func(x float32) float32 { return float32(f(float64(x))) })
}

// step returns 0 for an argument of one element, which is used for all, else 1.
func step(a []float32) int { return min(len(a)-1, 1) }

func signOf(a float32) float32 {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return -1
	}
	return 0
}

func multiplyAddPortable(dst, a, b, c []float32) {
	stepA, stepB, stepC := step(a), step(b), step(c)
	for i := range dst {
		dst[i] = fused(a[i*stepA], b[i*stepB], c[i*stepC])
	}
}

func scalePortable(dst, a []float32, factor, offset float32) {
	for i := range dst {
		dst[i] = fused(factor, a[i], offset)
	}
}

// fused returns a·b + c: the product is exact in float64.
func fused(a, b, c float32) float32 { return float32(float64(a)*float64(b) + float64(c)) }
