package kernel

import "math"

var portable = set{name: Portable, dot: dotPortable}

// Dot is the sum of a[i]·b[i] over the elements of a; b has at least as many.
func Dot(a, b []float32) float32 { return current.dot(a, b) }

func dotPortable(a, b []float32) float32 {
	var sum float32
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// The following work on each element of dst, which may be the same slice as an argument;
// arguments have at least as many elements.

// Add is dst = a + b.
func Add(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

// Subtract is dst = a - b.
func Subtract(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}

// Multiply is dst = a·b.
func Multiply(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

// Scale is dst = factor·a + offset.
func Scale(dst, a []float32, factor, offset float32) {
	for i := range dst {
		dst[i] = factor*a[i] + offset
	}
}

// Exp is dst = e^a.
func Exp(dst, a []float32) {
	for i := range dst {
		dst[i] = float32(math.Exp(float64(a[i])))
	}
}

// Erf is the error function of a.
func Erf(dst, a []float32) {
	for i := range dst {
		dst[i] = float32(math.Erf(float64(a[i])))
	}
}

// GELU is dst = a·Φ(a) with the normal distribution's Φ, not an approximation of it.
func GELU(dst, a []float32) {
	for i := range dst {
		x := float64(a[i])
		dst[i] = float32(x * 0.5 * (1 + math.Erf(x/math.Sqrt2)))
	}
}

// Softmax is dst = e^a / Σ e^a of one row.
func Softmax(dst, a []float32) {
	if len(dst) == 0 {
		return
	}
	top := a[0]
	for _, v := range a[:len(dst)] {
		top = max(top, v)
	}
	var sum float32
	for i := range dst {
		dst[i] = float32(math.Exp(float64(a[i] - top)))
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
}

// LayerNorm is dst = (a - mean) / √(variance + epsilon) · gain + offset of one row; gain
// and offset may be nil.
func LayerNorm(dst, a, gain, offset []float32, epsilon float32) {
	n := float64(len(dst))
	var mean, variance float64
	for _, v := range a[:len(dst)] {
		mean += float64(v)
	}
	mean /= n
	for _, v := range a[:len(dst)] {
		variance += (float64(v) - mean) * (float64(v) - mean)
	}
	scale := 1 / math.Sqrt(variance/n+float64(epsilon))
	for i := range dst {
		v := float32((float64(a[i]) - mean) * scale)
		if gain != nil {
			v *= gain[i]
		}
		if offset != nil {
			v += offset[i]
		}
		dst[i] = v
	}
}

// Sum adds the elements of a, Max is the largest (NaN where one is NaN, -Inf of none).
func Sum(a []float32) float32 {
	var sum float32
	for _, v := range a {
		sum += v
	}
	return sum
}

// Max is the largest element: NaN where one is NaN, and -Inf of none.
func Max(a []float32) float32 {
	top := float32(math.Inf(-1))
	for _, v := range a {
		top = max(top, v)
	}
	return top
}
