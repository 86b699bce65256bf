package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// rowsOf calls test with rows of all tail lengths and of several stretches, with ordinary
// values (special 0) and with some difficult ones.
func rowsOf(t *testing.T, test func(t *testing.T, name string, random *rand.Rand, n, special int)) {
	eachSet(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(13, 14))
		for _, n := range append(lengths(), 2*stretch+77) {
			for _, special := range []int{0, 3, 30} {
				test(t, fmt.Sprintf("%s, %d elements, special %d", Name(), n, special), random, n, special)
			}
		}
	})
}

func values(random *rand.Rand, n, special int) []float32 {
	a := make([]float32, n)
	fill(random, a, special)
	return a
}

// in64 returns the sum of f over n elements in float64, and the sum of magnitudes.
func in64(n int, f func(i int) float64) (sum, magnitude float64) {
	for i := range n {
		v := f(i)
		sum += v
		magnitude += math.Abs(v)
	}
	return sum, magnitude
}

func TestSum(t *testing.T) {
	rowsOf(t, func(t *testing.T, name string, random *rand.Rand, n, special int) {
		a := values(random, n, special)
		exact, magnitude := in64(n, func(i int) float64 { return float64(a[i]) })
		if got := Sum(a); !near(float64(got), exact, magnitude, n/16+8) {
			t.Errorf("%s: sum %g, exact %g", name, got, exact)
		}
		anywhere(t, name, []float32{Sum(a)}, func(dst []float32, in ...[]float32) { dst[0] = Sum(in[0]) }, a)
	})
}

func TestMax(t *testing.T) {
	rowsOf(t, func(t *testing.T, name string, random *rand.Rand, n, special int) {
		a := values(random, n, special)
		if n > 0 {
			a[random.IntN(n)] = 7
		}
		want := float32(math.Inf(-1))
		for _, x := range a {
			want = max(want, x)
		}
		anywhere(t, name, []float32{want}, func(dst []float32, in ...[]float32) { dst[0] = Max(in[0]) }, a)
	})
}

func TestSumRows(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(15, 16))
		for _, n := range []int{1, 2, 15, 16, 17, 33, 384} {
			for _, count := range []int{0, 1, 2, 50} {
				a, want := values(random, n*count, 0), make([]float32, n)
				for i, x := range a {
					want[i%n] += x
				}
				got := values(random, n, 0)
				SumRows(got, a)
				same(t, fmt.Sprintf("%d rows of %d", count, n), got, want, 0)
			}
		}
	})
}

// A softmax's shares are within the rounding of e^x (1 ulp), of a - top, of the sum and of
// the product with its inverse.
func TestSoftmax(t *testing.T) {
	rowsOf(t, func(t *testing.T, name string, random *rand.Rand, n, special int) {
		a := values(random, n, 0)
		for i := range a {
			if special > 0 && i%special == 1 {
				a[i] = -1e9 // a masked score
			}
		}
		exact := softmax64(a)
		want := make([]float32, n)
		Softmax(want, a)
		for i, x := range exact {
			if math.Abs(float64(want[i])-x) > (8+float64(n)/32)*0x1p-24*x+math.SmallestNonzeroFloat32 {
				t.Fatalf("%s: share %d is %g, exact %g", name, i, want[i], x)
			}
		}
		anywhere(t, name, want, func(dst []float32, in ...[]float32) { Softmax(dst, in[0]) }, a)
	})
}

func softmax64(a []float32) []float64 {
	top, sum, all := float64(Max(a)), 0.0, make([]float64, len(a))
	for i, x := range a {
		all[i] = math.Exp(float64(x) - top)
		sum += all[i]
	}
	for i := range all {
		all[i] /= sum
	}
	return all
}

func TestSoftmaxOfDifficult(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	eachSet(t, func(t *testing.T) {
		for _, c := range []struct{ a, want []float32 }{
			{[]float32{-1e9, -1e9}, []float32{0.5, 0.5}},
			{[]float32{-inf, 1}, []float32{0, 1}},
			{[]float32{-inf, -inf}, []float32{nan, nan}},
			{[]float32{inf, 1}, []float32{nan, nan}},
			{[]float32{1, nan, 2}, []float32{nan, nan, nan}},
			{[]float32{3e38, -3e38}, []float32{1, 0}},
			{nil, nil},
		} {
			got := make([]float32, len(c.a))
			Softmax(got, c.a)
			same(t, fmt.Sprint(c.a), got, c.want, 0)
		}
	})
}

func TestLogSumExp(t *testing.T) {
	rowsOf(t, func(t *testing.T, name string, random *rand.Rand, n, _ int) {
		a := values(random, n, 0)
		top := float64(Max(a))
		sum, _ := in64(n, func(i int) float64 { return math.Exp(float64(a[i]) - top) })
		want := top + math.Log(sum)
		if got := float64(LogSumExp(a)); got != want && math.Abs(got-want) > 8*0x1p-24*(1+math.Abs(want)) {
			t.Errorf("%s: %g, exact %g", name, got, want)
		}
	})
	for _, special := range []float32{float32(math.Inf(1)), float32(math.NaN())} {
		if got := LogSumExp([]float32{1, special}); ulps(got, special) > 0 {
			t.Errorf("with %g: %g", special, got)
		}
	}
}

func TestSoftmaxGradient(t *testing.T) {
	rowsOf(t, func(t *testing.T, name string, random *rand.Rand, n, _ int) {
		y, v, got := make([]float32, n), values(random, n, 0), make([]float32, n)
		Softmax(y, values(random, n, 0))
		mean, magnitude := in64(n, func(i int) float64 { return float64(y[i]) * float64(v[i]) })
		SoftmaxGradient(got, y, v)
		for i := range got {
			exact := float64(y[i]) * (float64(v[i]) - mean)
			bound := float64(y[i]) * (float64(n+1)*magnitude + 2*math.Abs(float64(v[i])-mean)) * 0x1p-24
			if math.Abs(float64(got[i])-exact) > bound {
				t.Fatalf("%s: %g, exact %g", name, got[i], exact)
			}
		}
		anywhere(t, name, got, func(dst []float32, in ...[]float32) { SoftmaxGradient(dst, in[0], in[1]) }, y, v)
	})
}

// normalized64 returns a row minus its mean, divided by its deviation, and 1/deviation.
func normalized64(a []float32, epsilon float64) (normal []float64, scale float64) {
	n := float64(len(a))
	sum, _ := in64(len(a), func(i int) float64 { return float64(a[i]) })
	squares, _ := in64(len(a), func(i int) float64 { d := float64(a[i]) - sum/n; return d * d })
	scale = 1 / math.Sqrt(squares/n+epsilon)
	for _, x := range a {
		normal = append(normal, (float64(x)-sum/n)*scale)
	}
	return normal, scale
}

const epsilon = float32(1e-5)

// Rows near zero and rows far from zero are normalised to within 2^-21 of 1 or of the value.
func TestLayerNorm(t *testing.T) {
	rowsOf(t, func(t *testing.T, name string, random *rand.Rand, n, special int) {
		a, plain := values(random, n, 0), make([]float32, n)
		Scale(a, a, 1, float32(special*special*special)) // a mean of 0, 27, 27000
		exact, _ := normalized64(a, float64(epsilon))
		LayerNorm(plain, a, nil, nil, epsilon)
		for i, x := range exact {
			if math.Abs(float64(plain[i])-x) > 0x1p-21*(1+math.Abs(x)) {
				t.Fatalf("%s: element %d of mean %d is %g, exact %g", name, i, special*special*special, plain[i], x)
			}
		}
		gain, offset, full := values(random, n, 0), values(random, n, 0), make([]float32, n)
		MultiplyAdd(full, plain, gain, offset)
		anywhere(t, name, plain, func(dst []float32, in ...[]float32) { LayerNorm(dst, in[0], nil, nil, epsilon) }, a)
		anywhere(t, name+" with gain", full, func(dst []float32, in ...[]float32) { LayerNorm(dst, in[0], in[1], in[2], epsilon) }, a, gain, offset)
	})
}

// A row with NaN or an infinity becomes NaN, and equal elements become 0.
func TestLayerNormOfDifficult(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, n := range lengths()[1:] {
			a, got := make([]float32, n), make([]float32, n)
			for i := range a {
				a[i] = 3.7
			}
			LayerNorm(got, a, nil, nil, epsilon)
			same(t, "equal elements", got, make([]float32, n), 0)
			for _, x := range difficult[:3] {
				a[n/2] = x
				LayerNorm(got, a, nil, nil, epsilon)
				for i := range got {
					if got[i] == got[i] {
						t.Fatalf("%d elements with %g: %g", n, x, got[i])
					}
				}
			}
		}
	})
}

func TestLayerNormGradient(t *testing.T) {
	rowsOf(t, func(t *testing.T, name string, random *rand.Rand, n, special int) {
		a, v, gain := values(random, n, 0), values(random, n, 0), values(random, n, 0)
		Scale(a, a, 1, float32(special))
		got, gains, offsets := make([]float32, n), values(random, n, 0), values(random, n, 0)
		gainsBefore, offsetsBefore := append([]float32(nil), gains...), append([]float32(nil), offsets...)
		LayerNormGradient(got, gains, offsets, a, v, gain, epsilon)
		normal, scale := normalized64(a, float64(epsilon))
		u := func(i int) float64 { return float64(v[i]) * float64(gain[i]) }
		sum, _ := in64(n, u)
		along, _ := in64(n, func(i int) float64 { return u(i) * normal[i] })
		for i, x := range normal {
			exact := scale * (u(i) - sum/float64(n) - x*along/float64(n))
			bound := scale * 0x1p-20 * (1 + math.Abs(u(i)) + math.Abs(x))
			if math.Abs(float64(got[i])-exact) > bound {
				t.Fatalf("%s: element %d is %g, exact %g", name, i, got[i], exact)
			}
			if d := float64(gains[i]) - float64(gainsBefore[i]) - float64(v[i])*x; math.Abs(d) > 0x1p-20*(2+math.Abs(float64(v[i])*x)) {
				t.Fatalf("%s: gain %d is off by %g", name, i, d)
			}
			if offsets[i] != offsetsBefore[i]+v[i] {
				t.Fatalf("%s: offset %d is %g", name, i, offsets[i])
			}
		}
		anywhere(t, name, got, func(dst []float32, in ...[]float32) {
			LayerNormGradient(dst, nil, nil, in[0], in[1], in[2], epsilon)
		}, a, v, gain)
		LayerNormGradient(got, nil, nil, a, v, nil, epsilon)
		anywhere(t, name+" without gain", got, func(dst []float32, in ...[]float32) {
			LayerNormGradient(dst, nil, nil, in[0], in[1], nil, epsilon)
		}, a, v)
	})
}
