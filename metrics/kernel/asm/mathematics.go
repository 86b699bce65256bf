package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The polynomials are minimax fits (Lawson's iteration in 50 digits) of the relative error,
// each within 2^-26 of its function; metrics/kernel/mathematics.go evaluates the same ones in
// float64.
var (
	// expTail is (e^r - 1 - r)/r² for |r| <= ln 2 / 2.
	expTail = []float64{0.500000001339, 0.16666666532, 0.0416664654484, 0.00833336081674, 0.00139336064324, 0.000198577419438}
	// erf(x)/x - 1 in x² for |x| < 0.875, and -log(1 - erf(x)) for x from there to 4.
	erfNear = []float64{0.128379157488, -0.376125504431, 0.11282455114, -0.0267914552619, 0.00503216984441, -0.000620319568596}
	erfFar  = []float64{0.000133461594726, 1.12793664749, 0.636736262012, 0.104328435908, -0.0224207059105, 0.00309242439813, -0.00020101069126}
	// Φ(-x)·e^(x²/2) is P(x)/Q(x) for x from 0 to 15. All coefficients are positive, so that
	// nothing cancels, and scaled to lose least as float32.
	millsP = []float64{0.56350267, 0.4941913, 0.206678, 0.04585158, 0.0046476834}
	millsQ = []float64{1.1270053, 1.8876032, 1.3559374, 0.52954745, 0.114940055, 0.0116498815}
)

// mathematics are elementwise functions on a machine.
type mathematics struct{ m *machine }

// polynomial returns c[0] + c[1]·x + ... .
func (f mathematics) polynomial(c []float64, x Register) VecVirtual {
	last := len(c) - 1
	p := f.m.load(f.m.number(c[last]))
	for i := last - 1; i >= 0; i-- {
		f.m.horner(p, x, f.m.number(c[i]))
	}
	return p
}

// atMost returns the smaller of x and a limit, or NaN if x is NaN.
func (f mathematics) atMost(x Register, limit float64) VecVirtual {
	return f.m.minimum(f.m.load(f.m.number(limit)), x)
}

// atLeast returns the larger of x and a limit, or NaN if x is NaN.
func (f mathematics) atLeast(x Register, limit float64) VecVirtual {
	return f.m.maximum(f.m.load(f.m.number(limit)), x)
}

// Near 1.5·2^23 the float32 values are the integers: adding a number to it rounds the number
// to an integer, which the low bits then hold.
const integers = 3 << 22

// reduced returns x as n·ln 2 + r with an integer n and |r| <= ln 2 / 2; shifted is n plus
// integers. ln 2 is subtracted in two parts; n times the first part is exact.
func (f mathematics) reduced(x Register) (shifted, n, r VecVirtual) {
	shifted = f.m.load(f.m.number(integers))
	f.m.accumulate(shifted, x, f.m.number(1.44269504088896341))
	n = f.m.subtract(shifted, f.m.number(integers))
	r = f.m.copyOf(x)
	f.m.lessen(r, n, f.m.bits(0x3f317200)) // ln 2 to 15 bits
	f.m.lessen(r, n, f.m.number(1.42860682030941723e-6))
	return shifted, n, r
}

// expm1 returns e^r - 1 for |r| <= ln 2 / 2.
func (f mathematics) expm1(r Register) VecVirtual {
	p := f.polynomial(expTail, r)
	f.m.horner(p, f.m.multiply(r, r), r)
	return p
}

// scaled returns p·2^n, rounded once if it is denormal. AVX2 multiplies by two halves of the
// power, because the power itself may not be a normal number.
func (f mathematics) scaled(p, shifted, n Register) VecVirtual {
	if f.m.wide() {
		dst := f.m.register()
		VSCALEFPS(n, p, dst)
		return dst
	}
	whole, half, other := YMM(), YMM(), YMM()
	VPSUBD(f.m.number(integers).Mem, shifted, whole)
	VPSRAD(Imm(1), whole, half)
	VPSUBD(half, whole, other)
	return f.m.multiply(f.m.multiply(p, f.power(half)), f.power(other))
}

// power returns 2^n for integers n.
func (f mathematics) power(n Register) VecVirtual {
	dst := f.m.register()
	VPSLLD(Imm(23), n, dst)
	f.m.emit(instruction{VPADDD, VPADDD_BCST}, dst, dst, f.m.number(1))
	return dst
}

// exp returns e^x; from -104 down it is 0, from 89 up infinite.
func (f mathematics) exp(x Register) VecVirtual {
	return f.expWithin(f.atMost(f.atLeast(x, -104), 89))
}

// expWithin returns e^x for x from -104 to 89.
func (f mathematics) expWithin(x Register) VecVirtual {
	shifted, n, r := f.reduced(x)
	return f.scaled(f.m.add(f.expm1(r), f.m.number(1)), shifted, n)
}

// bell returns e^(-x²/2) for |x| <= 15. x² is computed in two parts: as one float32 it would
// change the exponent of e by up to 2^-17.
func (f mathematics) bell(x Register) VecVirtual {
	square := f.m.multiply(x, x)
	rest := f.m.copyOf(x)
	f.m.excess(rest, x, square)
	shifted, n, r := f.reduced(f.m.multiply(square, f.m.number(-0.5)))
	f.m.lessen(r, rest, f.m.number(0.5))
	return f.scaled(f.m.add(f.expm1(r), f.m.number(1)), shifted, n)
}

// mills returns Φ(-x)·e^(x²/2) for x from 0 to 15.
func (f mathematics) mills(x Register) VecVirtual {
	return f.m.divide(f.polynomial(millsP, x), f.polynomial(millsQ, x))
}

// gelu returns max(x, 0) - |x|·Φ(-|x|), with Φ(-|x|) as e^(-x²/2) times mills. The first
// factor is multiplied last: it may be denormal.
func (f mathematics) gelu(x Register) VecVirtual {
	c := f.atMost(f.m.absolute(x), 15)
	bell := f.bell(c)
	product := f.m.multiply(f.mills(c), f.m.absolute(f.atMost(x, 15)))
	y := f.atLeast(x, 0)
	f.m.lessen(y, bell, product)
	return y
}

// geluGradient returns Φ(x) + x·φ(x): 1 if x is positive, plus e^(-x²/2) times x/√2π minus
// mills with x's sign.
func (f mathematics) geluGradient(x, v Register) VecVirtual {
	c := f.atMost(f.m.absolute(x), 15)
	bell := f.bell(c)
	y := f.m.copyOf(x)
	f.m.excess(y, f.m.load(f.m.number(0.398942280401432678)), f.m.signed(f.mills(c), x))
	f.m.horner(y, bell, f.m.andNot(f.m.negative(x), f.m.number(1)))
	return f.m.multiply(y, v)
}

// erf returns x + x·erfNear(x²) or 1 - e^-erfFar(|x|), with the sign of x.
func (f mathematics) erf(x Register) VecVirtual {
	c := f.atMost(f.m.absolute(x), 4)
	near := f.polynomial(erfNear, f.m.multiply(c, c))
	f.m.horner(near, c, c)
	far := f.expWithin(f.m.xor(f.polynomial(erfFar, c), f.m.bits(1<<31)))
	far = f.m.subtract(f.m.load(f.m.number(1)), far)
	return f.m.signed(f.m.choose(f.m.compare(lessThan, c, f.m.load(f.m.number(0.875))), near, far), x)
}

// tanh returns (e^2|x| - 1)/(e^2|x| + 1) with the sign of x, and 1 from 10 on. With e^2|x| =
// s·(1 + e) the numerator is s·e + (s - 1), which keeps the digits of small x.
func (f mathematics) tanh(x Register) VecVirtual {
	c := f.atMost(f.m.absolute(x), 10)
	shifted, _, r := f.reduced(f.m.add(c, c))
	s := f.power(shifted) // shifts out the bits of integers
	e := f.expm1(r)
	f.m.horner(e, s, f.m.subtract(s, f.m.number(1)))
	return f.m.signed(f.m.divide(e, f.m.add(e, f.m.number(2))), x)
}

// logistic returns 1/(1 + e^-|x|), times e^-|x| if x is negative.
func (f mathematics) logistic(x Register) VecVirtual {
	e := f.exp(f.m.or(x, f.m.bits(1<<31)))
	return f.m.divide(f.m.choose(f.m.negative(x), e, f.m.load(f.m.number(1))), f.m.add(e, f.m.number(1)))
}

// signOf returns 1, -1, or 0 for 0 and NaN.
func (f mathematics) signOf(x Register) VecVirtual {
	zero := f.m.xor(x, x)
	return f.m.or(f.m.and(f.m.compare(lessThan, zero, x), f.m.number(1)), f.m.and(f.m.compare(lessThan, x, zero), f.m.number(-1)))
}

// larger and smaller return NaN if a or b is NaN. For two zeros or a NaN the instructions
// return their last source; the larger zero is the positive one.
func (f mathematics) larger(a, b Register) VecVirtual {
	return f.m.or(f.m.and(f.m.maximum(a, b), f.m.maximum(b, a)), f.m.compare(unordered, a, b))
}

func (f mathematics) smaller(a, b Register) VecVirtual {
	return f.m.or(f.m.or(f.m.minimum(a, b), f.m.minimum(b, a)), f.m.compare(unordered, a, b))
}
