package kernel

import "math"

var portableElements = elements{
	add:         both(func(a, b float32) float32 { return a + b }),
	subtract:    both(func(a, b float32) float32 { return a - b }),
	multiply:    both(func(a, b float32) float32 { return a * b }),
	divide:      both(func(a, b float32) float32 { return a / b }),
	maximum:     both(func(a, b float32) float32 { return max(a, b) }),
	minimum:     both(func(a, b float32) float32 { return min(a, b) }),
	multiplyAdd: multiplyAddPortable,
	scale:       scalePortable,

	sqrt:       each(func(a float32) float32 { return float32(math.Sqrt(float64(a))) }),
	reciprocal: each(func(a float32) float32 { return 1 / a }),
	rsqrt:      each(func(a float32) float32 { return 1 / float32(math.Sqrt(float64(a))) }),
	sign:       each(signOf),
	negate:     each(func(a float32) float32 { return -a }),
	absolute:   each(func(a float32) float32 { return float32(math.Abs(float64(a))) }),

	exp:      inFloat64(expOf),
	erf:      inFloat64(erfOf),
	tanh:     inFloat64(tanhOf),
	logistic: inFloat64(logisticOf),
	gelu:     inFloat64(geluOf),

	geluGradient: both(func(a, v float32) float32 { return v * float32(geluSlopeOf(float64(a))) }),
}

// both is the kernel of a function of two elements.
func both(f func(a, b float32) float32) func(dst, a, b []float32) {
	return func(dst, a, b []float32) {
		stepA, stepB := step(a), step(b)
		for i := range dst {
			dst[i] = f(a[i*stepA], b[i*stepB])
		}
	}
}

// each is the kernel of a function of one element.
func each(f func(float32) float32) func(dst, a []float32) {
	return func(dst, a []float32) {
		for i, x := range a[:len(dst)] {
			dst[i] = f(x)
		}
	}
}

// inFloat64 is each for a function that computes in float64.
func inFloat64(f func(float64) float64) func(dst, a []float32) {
	return each(func(x float32) float32 { return float32(f(float64(x))) })
}

// step is 0 for an argument of one element, which stands for all, else 1.
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

// fused is a·b + c: the product is exact in float64.
func fused(a, b, c float32) float32 { return float32(float64(a)*float64(b) + float64(c)) }
