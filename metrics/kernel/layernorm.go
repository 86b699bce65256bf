package kernel

import "math"

// one and none replace a missing gain and offset.
var (
	one  = []float32{1}
	none = []float32{negativeZero}
)

// LayerNorm computes dst = (a - mean)/√(variance + epsilon)·gain + offset for one row (Ba,
// Kiros and Hinton 2016), with the variance over len(dst); gain and offset may be nil. The
// mean is computed twice, the second time from the rest that the first leaves, so that a row
// far from zero is as exact as its elements. Before gain and offset the result is within
// 2^-21·(1 + |dst|) of the exact value.
func LayerNorm(dst, a, gain, offset []float32, epsilon float32) {
	a = a[:len(dst)]
	near, left, scale := centre(a, epsilon)
	current.normalize(dst, a, orElse(gain, one, len(a)), orElse(offset, none, len(a)), near, left, scale)
}

// LayerNormGradient computes dst = the gradient of a row a from the gradient v of its
// LayerNorm; it adds the row's contributions to the gradients of gain and offset to gainSum
// and offsetSum. gain, gainSum and offsetSum may be nil; dst may be a or v.
//
// With n = (a - mean)·s, s = 1/√(variance + epsilon) and u = v·gain: dst = s·(u - mean(u) -
// n·mean(u·n)), gainSum += v·n, offsetSum += v.
func LayerNormGradient(dst, gainSum, offsetSum, a, v, gain []float32, epsilon float32) {
	a, v, gain = a[:len(dst)], v[:len(dst)], orElse(gain, one, len(dst))
	if offsetSum != nil {
		Add(offsetSum[:len(a)], offsetSum, v)
	}
	near, left, scale := centre(a, epsilon)
	sum, along := current.slopes(a, v, gain, near, left, scale)
	share := 1 / float32(len(a))
	if gainSum != nil {
		current.addNormalized(gainSum[:len(a)], gainSum, a, v, near, left, scale)
	}
	current.normalizeGradient(dst, a, v, gain, near, left, scale, sum*share, along*share)
}

// centre returns the mean of a in two parts and 1/√(variance + epsilon).
func centre(a []float32, epsilon float32) (near, left, scale float32) {
	n := float64(len(a))
	near = float32(float64(Sum(a)) / n)
	var sum, squares float64
	for len(a) > 0 {
		part := a[:min(len(a), widest)]
		s, q := current.moments(part, near)
		sum, squares = sum+float64(s), squares+float64(q)
		a = a[len(part):]
	}
	shift := sum / n
	variance := max(squares/n-shift*shift, 0)
	return near, float32(shift), float32(1 / math.Sqrt(variance+float64(epsilon)))
}

// widest is the number of elements whose squares are added in float32.
const widest = 4096

// orElse returns the first n elements of a, or those of otherwise if a is nil.
func orElse(a, otherwise []float32, n int) []float32 {
	if a == nil {
		return otherwise
	}
	return a[:n]
}
