package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The polynomials are minimax fits (Lawson's iteration in 50 digits) of the relative
// error, each within 2^-26 of its function; metrics/kernel/mathematics.go evaluates the
// same ones in float64.
var (
	// expTail is (e^r - 1 - r)/r² for |r| <= ln 2 / 2.
	expTail = []float64{0.500000001339, 0.16666666532, 0.0416664654484, 0.00833336081674, 0.00139336064324, 0.000198577419438}
	// erf(x)/x - 1 in x² for |x| < 0.875, and -log(1 - erf(x)) for x from there to 4.
	erfNear = []float64{0.128379157488, -0.376125504431, 0.11282455114, -0.0267914552619, 0.00503216984441, -0.000620319568596}
	erfFar  = []float64{0.000133461594726, 1.12793664749, 0.636736262012, 0.104328435908, -0.0224207059105, 0.00309242439813, -0.00020101069126}
	// Φ(-x)·e^(x²/2) is P(x)/Q(x) for x from 0 to 15. All coefficients are positive, so
	// that nothing cancels, and scaled to where they lose least as float32.
	millsP = []float64{0.56350267, 0.4941913, 0.206678, 0.04585158, 0.0046476834}
	millsQ = []float64{1.1270053, 1.8876032, 1.3559374, 0.52954745, 0.114940055, 0.0116498815}
)

// polynomial is c[0] + c[1]·x + ... .
func (m *machine) polynomial(c []float64, x Register) VecVirtual {
	last := len(c) - 1
	p := m.load(m.number(c[last]))
	for i := last - 1; i >= 0; i-- {
		m.horner(p, x, m.number(c[i]))
	}
	return p
}

// atMost is the smaller of x and a limit, NaN where x is.
func (m *machine) atMost(x Register, limit float64) VecVirtual {
	return m.minimum(m.load(m.number(limit)), x)
}

// atLeast is the larger of x and a limit, NaN where x is.
func (m *machine) atLeast(x Register, limit float64) VecVirtual {
	return m.maximum(m.load(m.number(limit)), x)
}

// Beside 1.5·2^23 float32 are the integers: a number that is added to it is rounded to
// one, which the low bits then hold.
const integers = 3 << 22

// reduced is x = n·ln 2 + r with an integer n and |r| <= ln 2 / 2; shifted is n beside
// integers. ln 2 is subtracted in two parts, of which n times the first is exact.
func (m *machine) reduced(x Register) (shifted, n, r VecVirtual) {
	shifted = m.load(m.number(integers))
	m.accumulate(shifted, x, m.number(1.44269504088896341))
	n = m.subtract(shifted, m.number(integers))
	r = m.copyOf(x)
	m.lessen(r, n, m.bits(0x3f317200)) // ln 2 to 15 bits
	m.lessen(r, n, m.number(1.42860682030941723e-6))
	return shifted, n, r
}

// expm1 is e^r - 1 for |r| <= ln 2 / 2.
func (m *machine) expm1(r Register) VecVirtual {
	p := m.polynomial(expTail, r)
	m.horner(p, m.multiply(r, r), r)
	return p
}

// scaled is p·2^n, rounded once where it is denormal. AVX2 multiplies with two halves of
// the power, since one may be no normal number.
func (m *machine) scaled(p, shifted, n Register) VecVirtual {
	if m.wide() {
		dst := m.register()
		VSCALEFPS(n, p, dst)
		return dst
	}
	whole, half, other := YMM(), YMM(), YMM()
	VPSUBD(m.number(integers).Mem, shifted, whole)
	VPSRAD(Imm(1), whole, half)
	VPSUBD(half, whole, other)
	return m.multiply(m.multiply(p, power(m, half)), power(m, other))
}

// power is 2^n of integers n.
func power(m *machine, n Register) VecVirtual {
	dst := m.register()
	VPSLLD(Imm(23), n, dst)
	m.emit(instruction{VPADDD, VPADDD_BCST}, dst, dst, m.number(1))
	return dst
}

// exp is e^x; from -104 down it is 0, from 89 up infinite.
func (m *machine) exp(x Register) VecVirtual {
	return m.expWithin(m.atMost(m.atLeast(x, -104), 89))
}

// expWithin is e^x for x from -104 to 89.
func (m *machine) expWithin(x Register) VecVirtual {
	shifted, n, r := m.reduced(x)
	return m.scaled(m.add(m.expm1(r), m.number(1)), shifted, n)
}

// bell is e^(-x²/2) for |x| <= 15. x² is taken in two parts: as one float32 it would be
// off by up to 2^-17 of e's exponent.
func (m *machine) bell(x Register) VecVirtual {
	square := m.multiply(x, x)
	rest := m.copyOf(x)
	m.excess(rest, x, square)
	shifted, n, r := m.reduced(m.multiply(square, m.number(-0.5)))
	m.lessen(r, rest, m.number(0.5))
	return m.scaled(m.add(m.expm1(r), m.number(1)), shifted, n)
}

// mills is Φ(-x)·e^(x²/2) for x from 0 to 15.
func (m *machine) mills(x Register) VecVirtual {
	return m.divide(m.polynomial(millsP, x), m.polynomial(millsQ, x))
}

// gelu is max(x, 0) - |x|·Φ(-|x|), with Φ(-|x|) as e^(-x²/2) times mills. The first is
// multiplied last: it may be denormal.
func (m *machine) gelu(x Register) VecVirtual {
	c := m.atMost(m.absolute(x), 15)
	bell := m.bell(c)
	product := m.multiply(m.mills(c), m.absolute(m.atMost(x, 15)))
	y := m.atLeast(x, 0)
	m.lessen(y, bell, product)
	return y
}

// geluGradient is Φ(x) + x·φ(x): 1 where x is positive, plus e^(-x²/2) times x/√2π less
// mills with x's sign.
func (m *machine) geluGradient(x, v Register) VecVirtual {
	c := m.atMost(m.absolute(x), 15)
	bell := m.bell(c)
	y := m.copyOf(x)
	m.excess(y, m.load(m.number(0.398942280401432678)), m.signed(m.mills(c), x))
	m.horner(y, bell, m.andNot(m.negative(x), m.number(1)))
	return m.multiply(y, v)
}

// erf is x + x·erfNear(x²) or 1 - e^-erfFar(|x|), with the sign of x.
func (m *machine) erf(x Register) VecVirtual {
	c := m.atMost(m.absolute(x), 4)
	near := m.polynomial(erfNear, m.multiply(c, c))
	m.horner(near, c, c)
	far := m.expWithin(m.xor(m.polynomial(erfFar, c), m.bits(1<<31)))
	far = m.subtract(m.load(m.number(1)), far)
	return m.signed(m.choose(m.compare(lessThan, c, m.load(m.number(0.875))), near, far), x)
}

// choose is a where the bits of which are set, else b.
func (m *machine) choose(which, a, b Register) VecVirtual {
	return m.or(m.and(a, which), m.andNot(which, b))
}

// tanh is (e^2|x| - 1)/(e^2|x| + 1) with the sign of x, and 1 from 10 on. With
// e^2|x| = s·(1 + e) the numerator is s·e + (s - 1), which keeps the digits of small x.
func (m *machine) tanh(x Register) VecVirtual {
	c := m.atMost(m.absolute(x), 10)
	shifted, _, r := m.reduced(m.add(c, c))
	s := power(m, shifted) // the bits of integers are shifted out
	e := m.expm1(r)
	m.horner(e, s, m.subtract(s, m.number(1)))
	return m.signed(m.divide(e, m.add(e, m.number(2))), x)
}

// logistic is 1/(1 + e^-|x|), times e^-|x| where x is negative.
func (m *machine) logistic(x Register) VecVirtual {
	e := m.exp(m.or(x, m.bits(1<<31)))
	return m.divide(m.choose(m.negative(x), e, m.load(m.number(1))), m.add(e, m.number(1)))
}

// signOf is 1, -1, or 0 for 0 and NaN.
func (m *machine) signOf(x Register) VecVirtual {
	zero := m.xor(x, x)
	return m.or(m.and(m.compare(lessThan, zero, x), m.number(1)), m.and(m.compare(lessThan, x, zero), m.number(-1)))
}

// larger and smaller are NaN where a or b is. The instructions return their last source
// of two zeros and of NaN; the larger zero is the one without sign.
func (m *machine) larger(a, b Register) VecVirtual {
	return m.or(m.and(m.maximum(a, b), m.maximum(b, a)), m.compare(unordered, a, b))
}

func (m *machine) smaller(a, b Register) VecVirtual {
	return m.or(m.or(m.minimum(a, b), m.minimum(b, a)), m.compare(unordered, a, b))
}
