package kernel

import "math"

// The functions of this file are the mathematics of the portable kernels: the polynomials of
// the vector kernels (asm/mathematics.go), evaluated in float64, so that rounding adds less
// than a tenth of float32's ulp.

var negativeZero = float32(math.Copysign(0, -1))

// expOf returns e^x: x = n·ln 2 + r with |r| <= ln 2 / 2, and e^x = 2^n·e^r. Outside [-150,
// 150] float32's result is 0 or infinite.
func expOf(x float64) float64 {
	if x < -150 {
		return 0
	}
	x = min(x, 150) // keeps NaN
	n := math.Floor(x*math.Log2E + 0.5)
	r := x - n*math.Ln2
	p := 1 + r + r*r*(0.500000001339+r*(0.16666666532+r*(0.0416664654484+r*(0.00833336081674+r*(0.00139336064324+r*0.000198577419438)))))
	return p * math.Float64frombits(uint64(1023+int64(n))<<52)
}

// erfOf returns the error function, from two polynomials: erf(x)/x - 1, and -log(1 - erf(x))
// up to the x from which float32's erf is 1.
func erfOf(x float64) float64 {
	c := min(math.Abs(x), 4)
	if c < 0.875 {
		z := x * x
		return x + x*(0.128379157488+z*(-0.376125504431+z*(0.11282455114+z*(-0.0267914552619+z*(0.00503216984441-z*0.000620319568596)))))
	}
	far := 0.000133461594726 + c*(1.12793664749+c*(0.636736262012+c*(0.104328435908+c*(-0.0224207059105+c*(0.00309242439813-c*0.00020101069126)))))
	return math.Copysign(1-expOf(-far), x)
}

// millsOf returns Φ(-x)·e^(x²/2) for x from 0 to 15.
func millsOf(x float64) float64 {
	p := 0.56350266933441162 + x*(0.49419128894805908+x*(0.20667800307273865+x*(0.045851580798625946+x*0.0046476833522319794)))
	q := 1.1270053386688232 + x*(1.8876031637191772+x*(1.3559373617172241+x*(0.52954745292663574+x*(0.11494005471467972+x*0.011649881489574909))))
	return p / q
}

// tailOf returns Φ(-|x|) and e^(-x²/2), both 0 from 15 on.
func tailOf(x float64) (tail, bell float64) {
	if x = math.Abs(x); x > 15 {
		return 0, 0
	}
	bell = expOf(-x * x / 2)
	return bell * millsOf(x), bell
}

// geluOf returns x·Φ(x) = max(x, 0) - |x|·Φ(-|x|), which keeps the digits of small Φ.
func geluOf(x float64) float64 {
	tail, _ := tailOf(x)
	if x > 15 {
		return x
	}
	return max(x, 0) - math.Abs(x)*tail
}

// geluSlopeOf returns GELU's derivative, Φ(x) + x·φ(x).
func geluSlopeOf(x float64) float64 {
	tail, bell := tailOf(x)
	if !math.Signbit(x) {
		tail = 1 - tail
	}
	return tail + x*bell*(1/math.Sqrt(2*math.Pi))
}

// tanhOf returns the hyperbolic tangent.
func tanhOf(x float64) float64 {
	if y := math.Abs(x); y < 0.3 { // the first terms of its series, which have no cancellation
		z := x * x
		return x + x*z*(-1./3+z*(2./15+z*(-17./315+z*(62./2835-z*(1382./155925)))))
	}
	e := expOf(2 * x)
	if e > 1e20 {
		return 1
	}
	return (e - 1) / (e + 1)
}

// logisticOf returns 1/(1 + e^-x).
func logisticOf(x float64) float64 {
	e := expOf(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}
