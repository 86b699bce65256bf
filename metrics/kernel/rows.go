package kernel

import "math"

// The functions of this file work on one row. The order of summation in a row depends on its
// length alone.

// rows are the kernels of a set that work on rows; all slices of a call are as long as a. A
// row's mean is given in two parts: near, a float32 close to it, and left, the small rest.
type rows struct {
	sum     func(a []float32) float32
	largest func(a []float32) float32 // NaN if one is NaN, -Inf for no elements

	// expSum computes dst = e^(a - top) and returns the sum of dst.
	expSum func(dst, a []float32, top float32) float32
	// centredProduct computes dst = y·(v - mean).
	centredProduct func(dst, y, v []float32, mean float32)
	// moments returns Σ (a - near) and Σ (a - near)².
	moments func(a []float32, near float32) (sum, squares float32)
	// normalize computes dst = n·gain + offset with n = ((a - near) - left)·scale; gain and
	// offset may have one element.
	normalize func(dst, a, gain, offset []float32, near, left, scale float32)
	// slopes returns Σ u and Σ u·n with n as in normalize and u = v·gain; gain may have one
	// element.
	slopes func(a, v, gain []float32, near, left, scale float32) (sum, along float32)
	// normalizeGradient computes dst = scale·(u - mean - n·along).
	normalizeGradient func(dst, a, v, gain []float32, near, left, scale, mean, along float32)
	// addNormalized computes dst = sum + v·n.
	addNormalized func(dst, sum, a, v []float32, near, left, scale float32)
}

// Sum returns the sum of a: blocks are summed in float32, the sums of blocks in float64.
func Sum(a []float32) float32 {
	var sum float64
	for len(a) > 0 {
		n := min(len(a), stretch)
		sum += float64(current.sum(a[:n]))
		a = a[n:]
	}
	return float32(sum)
}

// Max returns the largest element: NaN if one is NaN, and -Inf for an empty slice.
func Max(a []float32) float32 {
	top := float32(math.Inf(-1))
	for len(a) > 0 {
		n := min(len(a), stretch)
		top = max(top, current.largest(a[:n]))
		a = a[n:]
	}
	return top
}

// SumRows computes the sum of the rows of a, which are as long as dst and contiguous: dst[j]
// = Σ_i a[i·len(dst) + j], added in the order of the rows. Elements after the last complete
// row are ignored.
func SumRows(dst, a []float32) {
	clear(dst)
	for n := len(dst); n > 0 && len(a) >= n; a = a[n:] {
		Add(dst, dst, a[:n])
	}
}

// Softmax computes dst = e^a / Σ e^a.
func Softmax(dst, a []float32) {
	a = a[:len(dst)]
	sum := expSum(dst, a, Max(a))
	Scale(dst, dst, float32(1/sum), 0)
}

// expSum computes dst = e^(a - top) for a row of any length, and returns the sum of dst.
func expSum(dst, a []float32, top float32) (sum float64) {
	for len(dst) > 0 {
		n := min(len(dst), stretch)
		sum += float64(current.expSum(dst[:n], a[:n], top))
		dst, a = dst[n:], a[n:]
	}
	return sum
}

// SoftmaxGradient computes dst = y·(v - Σ v·y) from softmax's result y and its gradient v.
func SoftmaxGradient(dst, y, v []float32) {
	y, v = y[:len(dst)], v[:len(dst)]
	current.centredProduct(dst, y, v, Dot(v, y))
}

// LogSumExp returns log Σ e^a, or -Inf for an empty slice.
func LogSumExp(a []float32) float32 {
	top := Max(a)
	if math.IsInf(float64(top), 0) {
		return top
	}
	var e [256]float32
	var sum float64
	for len(a) > 0 {
		n := min(len(a), len(e))
		sum += float64(current.expSum(e[:n], a[:n], top))
		a = a[n:]
	}
	return float32(float64(top) + math.Log(sum))
}
