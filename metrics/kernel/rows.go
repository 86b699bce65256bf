package kernel

import "math"

// The functions of this file work on one row. A row's sums are added in an order that
// its length alone decides.

// rows are the parts of a set that work on rows; all slices of a call are as long as a. A
// row's mean comes in two parts: near, a float32 beside it, and left, the small rest.
type rows struct {
	sum     func(a []float32) float32
	largest func(a []float32) float32 // NaN where one is NaN, -Inf of none

	// expSum is dst = e^(a - top), and the sum of dst.
	expSum func(dst, a []float32, top float32) float32
	// centredProduct is dst = y·(v - mean).
	centredProduct func(dst, y, v []float32, mean float32)
	// moments are Σ (a - near) and Σ (a - near)².
	moments func(a []float32, near float32) (sum, squares float32)
	// normalize is dst = n·gain + offset with n = ((a - near) - left)·scale; gain and
	// offset may be of one element.
	normalize func(dst, a, gain, offset []float32, near, left, scale float32)
	// slopes are Σ u and Σ u·n with n as in normalize and u = v·gain; gain may be of one
	// element.
	slopes func(a, v, gain []float32, near, left, scale float32) (sum, along float32)
	// normalizeGradient is dst = scale·(u - mean - n·along).
	normalizeGradient func(dst, a, v, gain []float32, near, left, scale, mean, along float32)
	// addNormalized is dst = sum + v·n.
	addNormalized func(dst, sum, a, v []float32, near, left, scale float32)
}

// Sum adds the elements of a: in float32 in blocks, whose sums are added in float64.
func Sum(a []float32) float32 {
	var sum float64
	for len(a) > 0 {
		n := min(len(a), stretch)
		sum += float64(current.sum(a[:n]))
		a = a[n:]
	}
	return float32(sum)
}

// Max is the largest element: NaN where one is NaN, and -Inf of none.
func Max(a []float32) float32 {
	top := float32(math.Inf(-1))
	for len(a) > 0 {
		n := min(len(a), stretch)
		top = max(top, current.largest(a[:n]))
		a = a[n:]
	}
	return top
}

// SumRows is the sum of the rows of a, which are as long as dst and follow each other:
// dst[j] = Σ_i a[i·len(dst) + j], added in the order of the rows. What of a is left
// after its last whole row is no part of it.
func SumRows(dst, a []float32) {
	clear(dst)
	for n := len(dst); n > 0 && len(a) >= n; a = a[n:] {
		Add(dst, dst, a[:n])
	}
}

// Softmax is dst = e^a / Σ e^a.
func Softmax(dst, a []float32) {
	a = a[:len(dst)]
	sum := expSum(dst, a, Max(a))
	Scale(dst, dst, float32(1/sum), 0)
}

// expSum is dst = e^(a - top) of a row of any length, and the sum of dst.
func expSum(dst, a []float32, top float32) (sum float64) {
	for len(dst) > 0 {
		n := min(len(dst), stretch)
		sum += float64(current.expSum(dst[:n], a[:n], top))
		dst, a = dst[n:], a[n:]
	}
	return sum
}

// SoftmaxGradient is dst = y·(v - Σ v·y) with softmax's result y and its gradient v.
func SoftmaxGradient(dst, y, v []float32) {
	y, v = y[:len(dst)], v[:len(dst)]
	current.centredProduct(dst, y, v, Dot(v, y))
}

// LogSumExp is log Σ e^a, -Inf of none.
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
