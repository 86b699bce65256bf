package kernel

import "math"

// The functions of this file are the portable kernels' mathematics: the polynomials of
// the vector kernels (asm/mathematics.go), evaluated in float64 so that what they differ
// from the exact value by is less than a tenth of float32's ulp.

var negativeZero = float32(math.Copysign(0, -1))

// expOf is e^x: x = n·ln 2 + r with |r| <= ln 2 / 2, and e^x = 2^n·e^r. Outside
// [-150, 150] float32's result is 0 or infinite.
func expOf(x float64) float64 {
	if x < -150 {
		return 0
	}
	x = min(x, 150) // NaN stays
	n := math.Floor(x*math.Log2E + 0.5)
	r := x - n*math.Ln2
	p := 1 + r + r*r*(0.500000001339+r*(0.16666666532+r*(0.0416664654484+r*(0.00833336081674+r*(0.00139336064324+r*0.000198577419438)))))
	return p * math.Float64frombits(uint64(1023+int64(n))<<52)
}

// erfOf is the error function, x·P(x²)/Q(x²) up to where float32's is 1.
func erfOf(x float64) float64 {
	if x > 4 || x < -4 {
		return math.Copysign(1, x)
	}
	z := x * x
	p := 1.12837916921 + z*(0.185154511269+z*(0.0542622350256+z*(0.00384141620553+z*(0.000377461171891+z*(4.62787021229e-6-z*1.28996988158e-8)))))
	q := 1 + z*(0.497422321537+z*(0.113895602898+z*(0.0154381270021+z*(0.00130302979186+z*6.25743197326e-5))))
	return x * p / q
}

// millsOf is Φ(-x)·e^(x²/2) for x from 0 to 15, half of Mills' ratio times φ(0).
func millsOf(x float64) float64 {
	p := 0.500000002971 + x*(0.438499501602+x*(0.183386886746+x*(0.0406844381712+x*0.00412392319737)))
	q := 1 + x*(1.6748839887+x*(1.20313300926+x*(0.469871273029+x*(0.101987140957+x*0.0103370244438))))
	return p / q
}

// tailOf are Φ(-|x|) and e^(-x²/2), both 0 from 15 on.
func tailOf(x float64) (tail, bell float64) {
	x = min(math.Abs(x), 15)
	bell = expOf(-x * x / 2)
	return bell * millsOf(x), bell
}

// geluOf is x·Φ(x) = max(x, 0) - |x|·Φ(-|x|), which keeps the digits of small Φ.
func geluOf(x float64) float64 {
	tail, _ := tailOf(x)
	if x > 0 {
		return x - min(x, 15)*tail
	}
	return x * tail
}

// geluSlopeOf is GELU's derivative, Φ(x) + x·φ(x).
func geluSlopeOf(x float64) float64 {
	tail, bell := tailOf(x)
	if !math.Signbit(x) {
		tail = 1 - tail
	}
	return tail + x*bell*(1/math.Sqrt(2*math.Pi))
}

// tanhOf is the hyperbolic tangent.
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

// logisticOf is 1/(1 + e^-x).
func logisticOf(x float64) float64 {
	e := expOf(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}
