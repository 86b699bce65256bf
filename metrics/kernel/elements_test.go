package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"infbench/internal/testkit"
)

// function is an elementwise function under test: its float64 reference, and the largest
// error in ulps for every set. For values whose absolute value is less than least, the ulps
// are those of least.
type function struct {
	name  string
	f     func(dst, a []float32)
	exact func(float64) float64
	ulps  float64
	least float64
}

func functions() []function {
	return []function{
		{"exp", Exp, math.Exp, 1, 0},
		{"erf", Erf, math.Erf, 2, 0},
		{"tanh", Tanh, math.Tanh, 3, 0},
		{"logistic", Logistic, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 3, 0},
		{"GELU", GELU, exactGELU, 7, 0},
		{"GELU'", geluSlope, exactGELUSlope, 3, 0.5}, // it crosses zero
		{"GELU' below -2", func(dst, a []float32) {
			Minimum(dst, a, []float32{-2})
			geluSlope(dst, dst)
		}, func(x float64) float64 { return exactGELUSlope(min(x, -2)) }, 8, 0},
		{"sqrt", Sqrt, math.Sqrt, 0.5, 0},
		{"reciprocal", Reciprocal, func(x float64) float64 { return 1 / x }, 0.5, 0},
		{"rsqrt", Rsqrt, func(x float64) float64 { return float64(1 / float32(math.Sqrt(x))) }, 1, 0},
		{"sign", Sign, exactSign, 0, 0},
		{"negate", Negate, func(x float64) float64 { return -x }, 0, 0},
		{"absolute", Absolute, math.Abs, 0, 0},
	}
}

// exactGELU computes x·Φ(x) with the complementary error function, which keeps the digits of
// small Φ.
func exactGELU(x float64) float64 { return x * 0.5 * math.Erfc(-x/math.Sqrt2) }

func exactGELUSlope(x float64) float64 {
	return 0.5*math.Erfc(-x/math.Sqrt2) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
}

func geluSlope(dst, a []float32) { GELUGradient(dst, a, []float32{1}) }

func exactSign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// away returns the distance of got from an exact value, in ulps of float32 at that value.
func away(got float32, exact, least float64) float64 {
	rounded := float32(exact)
	switch {
	case ulps(got, rounded) == 0:
		return 0
	case got != got || rounded != rounded || math.IsInf(float64(rounded), 0):
		return math.Inf(1)
	}
	size := max(math.Abs(exact), least, 0x1p-126)
	ulp := math.Ldexp(1, max(math.Ilogb(size), -126)-23)
	return math.Abs(float64(got)-exact) / ulp
}

// sampled returns float32 values of every sign and exponent with many mantissas, and the
// difficult values.
func sampled(mantissas int) []float32 {
	values := append([]float32(nil), difficult...)
	random := rand.New(rand.NewPCG(3, 4))
	share := uint32(1<<23) / uint32(mantissas)
	for high := range uint32(512) {
		for i := range uint32(mantissas) {
			bits := i * share
			if i > 0 { // the first is a power of two
				bits += random.Uint32N(share)
			}
			values = append(values, math.Float32frombits(high<<23|bits))
		}
	}
	return values
}

// Each function is within its ulps of the exact value over all float32, densely sampled.
func TestExactness(t *testing.T) {
	mantissas := 4096
	if !testkit.IsDeep() {
		mantissas = 64
	}
	values := sampled(mantissas)
	got := make([]float32, len(values))
	eachSet(t, func(t *testing.T) {
		for _, f := range functions() {
			f.f(got, values)
			worst, at := 0.0, 0
			for i, x := range values {
				if d := away(got[i], f.exact(float64(x)), f.least); d > worst {
					worst, at = d, i
				}
			}
			t.Logf("%s: %.3f ulp", f.name, worst)
			if worst > f.ulps {
				t.Errorf("%s(%g) is %g, exact %g: %.3f ulp", f.name, values[at], got[at], f.exact(float64(values[at])), worst)
			}
		}
	})
}

// Where a function's values have limits, the limits are reached and never exceeded.
func TestLimits(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	cases := []struct {
		name    string
		f       func(dst, a []float32)
		x, want float32
	}{
		{"exp", Exp, inf, inf}, {"exp", Exp, -inf, 0}, {"exp", Exp, 88.7229, inf}, {"exp", Exp, -104, 0}, {"exp", Exp, 0, 1},
		{"exp", Exp, -103.9, math.SmallestNonzeroFloat32}, {"exp", Exp, -103.2, math.SmallestNonzeroFloat32},
		{"erf", Erf, inf, 1}, {"erf", Erf, -inf, -1}, {"erf", Erf, 4.5, 1},
		{"tanh", Tanh, inf, 1}, {"tanh", Tanh, -20, -1}, {"tanh", Tanh, 1e-40, 1e-40},
		{"logistic", Logistic, inf, 1}, {"logistic", Logistic, -inf, 0}, {"logistic", Logistic, 0, 0.5},
		{"GELU", GELU, inf, inf}, {"GELU", GELU, -inf, nan}, {"GELU", GELU, 3e38, 3e38}, {"GELU", GELU, -20, 0},
		{"GELU'", geluSlope, 20, 1}, {"GELU'", geluSlope, -20, 0}, {"GELU'", geluSlope, 0, 0.5},
		{"sign", Sign, nan, 0}, {"sqrt", Sqrt, -1, nan}, {"reciprocal", Reciprocal, 0, inf}, {"rsqrt", Rsqrt, 0, inf},
	}
	eachSet(t, func(t *testing.T) {
		for _, c := range cases {
			got := []float32{0}
			c.f(got, []float32{c.x})
			if ulps(got[0], c.want) > 0 {
				t.Errorf("%s(%g) is %g, not %g", c.name, c.x, got[0], c.want)
			}
			c.f(got, []float32{nan})
			if got[0] == got[0] && c.name != "sign" {
				t.Errorf("%s of NaN is %g", c.name, got[0])
			}
		}
	})
}

// A result does not depend on the position of an element in its slice, on the slice's place
// in memory, or on whether dst is an argument.
func TestElementsAnywhere(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(5, 6))
		for _, f := range functions() {
			for _, n := range lengths() {
				a, want := make([]float32, n), make([]float32, n)
				fill(random, a, 4)
				for i := range a {
					f.f(want[i:i+1], a[i:i+1])
				}
				anywhere(t, fmt.Sprintf("%s of %d", f.name, n), want, func(dst []float32, in ...[]float32) { f.f(dst, in[0]) }, a)
			}
		}
	})
}

// anywhere checks that f writes want to a new slice, to every argument of the same length,
// and at both ends of guarded memory.
func anywhere(t *testing.T, name string, want []float32, f func(dst []float32, in ...[]float32), in ...[]float32) {
	t.Helper()
	for _, end := range []bool{false, true} {
		for target := -1; target < len(in); target++ {
			var copies [][]float32
			for _, a := range in {
				copies = append(copies, guardedCopy(t, a, end))
			}
			dst := guarded(t, len(want), end)
			if target >= 0 {
				dst = copies[target]
			}
			if len(dst) != len(want) {
				continue
			}
			f(dst, copies...)
			same(t, fmt.Sprintf("%s (end %v, in place %d)", name, end, target), dst, want, 0)
		}
	}
}

// same checks that values are within most ulps of the expected ones.
func same(t *testing.T, name string, got, want []float32, most uint64) {
	t.Helper()
	for i := range want {
		if ulps(got[i], want[i]) > most {
			t.Errorf("%s: element %d is %g, not %g", name, i, got[i], want[i])
			return
		}
	}
}

// pairs are the functions of two elements, which are exact in every set.
func pairs() map[string]struct {
	f     func(dst, a, b []float32)
	exact func(a, b float32) float32
} {
	type pair = struct {
		f     func(dst, a, b []float32)
		exact func(a, b float32) float32
	}
	return map[string]pair{
		"add":      {Add, func(a, b float32) float32 { return a + b }},
		"subtract": {Subtract, func(a, b float32) float32 { return a - b }},
		"multiply": {Multiply, func(a, b float32) float32 { return a * b }},
		"divide":   {Divide, func(a, b float32) float32 { return a / b }},
		"maximum":  {Maximum, func(a, b float32) float32 { return max(a, b) }},
		"minimum":  {Minimum, func(a, b float32) float32 { return min(a, b) }},
	}
}

func TestPairs(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(7, 8))
		for name, p := range pairs() {
			for _, n := range append(lengths(), 3*stretch+5) {
				for i, alone := range [][2]int{{n, n}, {1, n}, {n, 1}, {1, 1}} {
					if i > 0 && n%5 > 1 { // scalars with fewer lengths
						continue
					}
					a, b, want := make([]float32, alone[0]), make([]float32, alone[1]), make([]float32, n)
					fill(random, a, 3)
					fill(random, b, 3)
					for i := range want {
						want[i] = p.exact(a[min(i, len(a)-1)], b[min(i, len(b)-1)])
					}
					anywhere(t, fmt.Sprintf("%s of %d and %d", name, alone[0], alone[1]), want,
						func(dst []float32, in ...[]float32) { p.f(dst, in[0], in[1]) }, a, b)
				}
			}
		}
	})
}

// Zeros have the signs of IEEE 754: the larger zero is positive, the smaller negative.
func TestZeros(t *testing.T) {
	zeros := []float32{0, negativeZero}
	eachSet(t, func(t *testing.T) {
		for name, p := range pairs() {
			for _, a := range zeros {
				for _, b := range zeros {
					got := []float32{1}
					p.f(got, []float32{a}, []float32{b})
					if want := p.exact(a, b); math.Signbit(float64(got[0])) != math.Signbit(float64(want)) && want == want {
						t.Errorf("%s of %g and %g is %g, not %g", name, a, b, got[0], want)
					}
				}
			}
		}
		got := []float32{negativeZero}
		if Scale(got, got, 1, 0); !math.Signbit(float64(got[0])) {
			t.Error("scaling by 1 changed the sign of -0")
		}
	})
}

// A product and sum are rounded once, except for the portable set's rare second rounding.
func TestMultiplyAdd(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(9, 10))
		for _, n := range append(lengths(), stretch+3) {
			a, b, c, want, scaled := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
			for _, values := range [][]float32{a, b, c} {
				fill(random, values, 5)
			}
			for i := range want {
				want[i], scaled[i] = fused(a[i], b[i], c[i]), fused(0.1, a[i], -0.3)
			}
			name := fmt.Sprintf("%s, %d elements", Name(), n)
			got := make([]float32, n)
			MultiplyAdd(got, a, b, c)
			same(t, name, got, want, 1)
			anywhere(t, name, got, func(dst []float32, in ...[]float32) { MultiplyAdd(dst, in[0], in[1], in[2]) }, a, b, c)
			Scale(got, a, 0.1, -0.3)
			same(t, name+" scaled", got, scaled, 1)
			anywhere(t, name+" scaled", got, func(dst []float32, in ...[]float32) { Scale(dst, in[0], 0.1, -0.3) }, a)
			if MultiplyAdd(got, []float32{0.1}, a, []float32{-0.3}); n > 1 {
				same(t, name+" with scalars", got, scaled, 1)
			}
		}
	})
}

func TestGELUGradient(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(11, 12))
		for _, n := range lengths() {
			a, v, want := make([]float32, n), make([]float32, n), make([]float32, n)
			fill(random, a, 4)
			fill(random, v, 4)
			geluSlope(want, a)
			Multiply(want, want, v)
			anywhere(t, fmt.Sprintf("%d elements", n), want, func(dst []float32, in ...[]float32) { GELUGradient(dst, in[0], in[1]) }, a, v)
		}
	})
}

// The vector sets of amd64 do the same operations in the same order: their functions of
// elements have the same bits.
func TestVectorSetsAgree(t *testing.T) {
	sets := Available()
	if len(sets) < 3 {
		t.Skipf("this processor has %q only", sets)
	}
	used := Name()
	t.Cleanup(func() { use(t, used) })
	values := sampled(256)
	got, want := make([]float32, len(values)), make([]float32, len(values))
	for _, f := range functions() {
		use(t, sets[1])
		f.f(want, values)
		use(t, sets[2])
		f.f(got, values)
		same(t, f.name, got, want, 0)
	}
}
