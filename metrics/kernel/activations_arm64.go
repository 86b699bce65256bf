package kernel

var elementsNEON = elements{
	add:          addNEON,
	subtract:     subtractNEON,
	multiply:     multiplyNEON,
	divide:       divideNEON,
	maximum:      maximumNEON,
	minimum:      minimumNEON,
	multiplyAdd:  multiplyAddNEON,
	scale:        scaleNEON,
	sqrt:         sqrtNEON,
	reciprocal:   reciprocalNEON,
	rsqrt:        rsqrtNEON,
	sign:         signNEON,
	negate:       negateNEON,
	absolute:     absoluteNEON,
	exp:          expNEON,
	erf:          erfNEON,
	tanh:         tanhNEON,
	logistic:     logisticNEON,
	gelu:         geluNEON,
	geluGradient: geluGradientNEON,
}

var rowsNEON = rows{
	sum:               sumNEON,
	largest:           largestNEON,
	expSum:            expSumNEON,
	centredProduct:    centredProductNEON,
	moments:           momentsNEON,
	normalize:         normalizeNEON,
	slopes:            slopesNEON,
	normalizeGradient: normalizeGradientNEON,
	addNormalized:     addNormalizedNEON,
}

// expSumNEON returns the sum of the values that it wrote, added in the order of sumNEON.
func expSumNEON(dst, a []float32, top float32) float32 {
	expBelowNEON(dst, a, top)
	return sumNEON(dst)
}

// The names of arguments are those of their positions in the loops (loops_arm64.h).

//go:noescape
func addNEON(dst, a, b []float32)

//go:noescape
func subtractNEON(dst, a, b []float32)

//go:noescape
func multiplyNEON(dst, a, b []float32)

//go:noescape
func divideNEON(dst, a, b []float32)

//go:noescape
func maximumNEON(dst, a, b []float32)

//go:noescape
func minimumNEON(dst, a, b []float32)

//go:noescape
func geluGradientNEON(dst, a, b []float32)

//go:noescape
func multiplyAddNEON(dst, a, b, c []float32)

//go:noescape
func scaleNEON(dst, a []float32, factor, offset float32)

//go:noescape
func sqrtNEON(dst, a []float32)

//go:noescape
func reciprocalNEON(dst, a []float32)

//go:noescape
func rsqrtNEON(dst, a []float32)

//go:noescape
func signNEON(dst, a []float32)

//go:noescape
func negateNEON(dst, a []float32)

//go:noescape
func absoluteNEON(dst, a []float32)

//go:noescape
func expNEON(dst, a []float32)

//go:noescape
func erfNEON(dst, a []float32)

//go:noescape
func tanhNEON(dst, a []float32)

//go:noescape
func logisticNEON(dst, a []float32)

//go:noescape
func geluNEON(dst, a []float32)

//go:noescape
func expBelowNEON(dst, a []float32, top float32)

//go:noescape
func centredProductNEON(dst, a, b []float32, mean float32)

//go:noescape
func normalizeNEON(dst, a, b, c []float32, near, left, scale float32)

//go:noescape
func addNormalizedNEON(dst, a, b, c []float32, near, left, scale float32)

//go:noescape
func normalizeGradientNEON(dst, a, b, c []float32, near, left, scale, mean, along float32)

//go:noescape
func sumNEON(a []float32) float32

//go:noescape
func largestNEON(a []float32) float32

//go:noescape
func momentsNEON(a []float32, near float32) (sum, squares float32)

//go:noescape
func slopesNEON(a, v, gain []float32, near, left, scale float32) (sum, along float32)
