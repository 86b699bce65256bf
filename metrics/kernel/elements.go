package kernel

// The functions of this file work on each element of dst, which may be the same slice as an
// argument. Arguments have at least as many elements as dst; if a function allows it, an
// argument of one element is used for all. Results do not depend on the position of an
// element in its slice.

// elements are the elementwise kernels of a set. Arguments are as long as dst, or have one
// element if the exported function allows that.
type elements struct {
	add, subtract, multiply, divide, maximum, minimum func(dst, a, b []float32)
	multiplyAdd                                       func(dst, a, b, c []float32)
	scale                                             func(dst, a []float32, factor, offset float32)

	sqrt, reciprocal, rsqrt, sign, negate, absolute func(dst, a []float32)
	exp, erf, tanh, logistic, gelu                  func(dst, a []float32)
	geluGradient                                    func(dst, a, v []float32)
}

// stretch is the number of elements that a kernel gets at once. Assembly cannot be preempted;
// this many elements take less than 50 µs.
const stretch = 1 << 14

// Add computes dst = a + b; either may have one element.
func Add(dst, a, b []float32) { pairwise(current.add, dst, a, b) }

// Subtract computes dst = a - b; either may have one element.
func Subtract(dst, a, b []float32) { pairwise(current.subtract, dst, a, b) }

// Multiply computes dst = a·b; either may have one element.
func Multiply(dst, a, b []float32) { pairwise(current.multiply, dst, a, b) }

// Divide computes dst = a/b; either may have one element.
func Divide(dst, a, b []float32) { pairwise(current.divide, dst, a, b) }

// Maximum computes the larger of a and b, NaN if one is NaN; either may have one element.
func Maximum(dst, a, b []float32) { pairwise(current.maximum, dst, a, b) }

// Minimum computes the smaller of a and b, NaN if one is NaN; either may have one element.
func Minimum(dst, a, b []float32) { pairwise(current.minimum, dst, a, b) }

// MultiplyAdd computes dst = a·b + c, rounded once; each of a, b and c may have one element.
// The portable kernel, which has no such instruction for float32, rounds twice in one of 2^28
// cases.
func MultiplyAdd(dst, a, b, c []float32) {
	for len(dst) > 0 {
		n := min(len(dst), stretch)
		current.multiplyAdd(dst[:n], head(a, n), head(b, n), head(c, n))
		dst, a, b, c = dst[n:], rest(a, n), rest(b, n), rest(c, n)
	}
}

// Scale computes dst = factor·a + offset, rounded as in MultiplyAdd. An offset of 0 keeps the
// sign of zeros.
func Scale(dst, a []float32, factor, offset float32) {
	if offset == 0 {
		offset = negativeZero // the only offset that changes nothing
	}
	single(func(dst, a []float32) { current.scale(dst, a, factor, offset) }, dst, a)
}

// Sqrt computes the square root of a, correctly rounded.
func Sqrt(dst, a []float32) { single(current.sqrt, dst, a) }

// Reciprocal computes dst = 1/a, correctly rounded.
func Reciprocal(dst, a []float32) { single(current.reciprocal, dst, a) }

// Rsqrt computes dst = 1/√a, both operations correctly rounded.
func Rsqrt(dst, a []float32) { single(current.rsqrt, dst, a) }

// Sign computes 1 where a is positive, -1 where a is negative, else 0, also for NaN.
func Sign(dst, a []float32) { single(current.sign, dst, a) }

// Negate computes dst = -a.
func Negate(dst, a []float32) { single(current.negate, dst, a) }

// Absolute computes dst = |a|.
func Absolute(dst, a []float32) { single(current.absolute, dst, a) }

// Exp computes dst = e^a within 1 ulp, including denormal results.
func Exp(dst, a []float32) { single(current.exp, dst, a) }

// Erf computes the error function of a within 2 ulp.
func Erf(dst, a []float32) { single(current.erf, dst, a) }

// Tanh computes the hyperbolic tangent of a within 3 ulp.
func Tanh(dst, a []float32) { single(current.tanh, dst, a) }

// Logistic computes dst = 1/(1 + e^-a) within 3 ulp.
func Logistic(dst, a []float32) { single(current.logistic, dst, a) }

// GELU computes dst = a·Φ(a) with the normal distribution's Φ, not an approximation of it,
// within 7 ulp also where Φ is small (Hendrycks and Gimpel 2016). As in the formula, the
// result for -Inf is NaN.
func GELU(dst, a []float32) { single(current.gelu, dst, a) }

// GELUGradient computes dst = v·GELU'(a) = v·(Φ(a) + a·φ(a)), where v is the gradient of
// GELU(a). GELU' is within 3 ulp where it is 0.5 or more, within 3 ulp of 0.5 where it is
// less (it crosses zero at -0.75), and within 8 ulp below -2.
func GELUGradient(dst, a, v []float32) { pairwise(current.geluGradient, dst, a, v) }

// pairwise runs a kernel of two arguments in blocks.
func pairwise(kernel func(dst, a, b []float32), dst, a, b []float32) {
	for len(dst) > 0 {
		n := min(len(dst), stretch)
		kernel(dst[:n], head(a, n), head(b, n))
		dst, a, b = dst[n:], rest(a, n), rest(b, n)
	}
}

// single runs a kernel of one argument in blocks.
func single(kernel func(dst, a []float32), dst, a []float32) {
	for len(dst) > 0 {
		n := min(len(dst), stretch)
		kernel(dst[:n], a[:n])
		dst, a = dst[n:], a[n:]
	}
}

// head returns the first n elements of an argument, or the one element that is used for all.
func head(a []float32, n int) []float32 {
	if len(a) == 1 {
		return a
	}
	return a[:n]
}

// rest returns the elements after head.
func rest(a []float32, n int) []float32 {
	if len(a) == 1 {
		return a
	}
	return a[n:]
}
