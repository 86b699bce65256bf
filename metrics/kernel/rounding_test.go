package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"infbench/internal/testkit"
)

// eachRounding runs the test with every set, and with both kinds of kernels of bfloat16.
func eachRounding(t *testing.T, test func(t *testing.T)) {
	eachSet(t, func(t *testing.T) {
		if !HasBFloat16() {
			test(t)
			return
		}
		for name, m := range roundings {
			t.Run(name, func(t *testing.T) {
				chosen := current.bfloat16
				defer func() { current.bfloat16 = chosen }()
				current.bfloat16 = func() *micro { return m }
				test(t)
			})
		}
	})
}

// small sets some values to numbers whose products and sums are near the smallest normal one.
func small(random *rand.Rand, values []float32) {
	for i := range values {
		switch random.IntN(3) {
		case 0:
			values[i] *= 0x1p-63
		case 1:
			values[i] *= 0x1p-126
		}
	}
}

// checkRounded compares a product of bfloat16 numbers with its chains in plain Go, bit for bit,
// and checks that the memory between rows of C is unchanged.
func checkRounded(t *testing.T, c trial, tiny bool) {
	t.Helper()
	p := c.product(t)
	p.BFloat16 = true
	if tiny {
		random := rand.New(rand.NewPCG(uint64(c.m), uint64(c.n)))
		small(random, p.A.Data)
		small(random, p.B.Data)
		small(random, p.C)
	}
	want := append([]float32(nil), p.C...)
	some := 1 + c.m*c.n*c.k/1_000_000
	skipped := make([]bool, len(want))
	for b := range c.batch {
		for i := range c.m {
			for j := range c.n {
				at := b*p.CBatch + i*p.CRow + j
				if skipped[at] = at%some != 0; !skipped[at] {
					want[at] = p.rounded(want[at], b, i, j)
				}
			}
		}
	}
	p.Run(together)
	for at, got := range p.C {
		if !skipped[at] && math.Float32bits(got) != math.Float32bits(want[at]) && !(got != got && want[at] != want[at]) {
			t.Fatalf("%v, tiny %v: element %d is %x, want %x", c, tiny, at, got, want[at])
		}
	}
}

// rounded returns an element by the description of VDPBF16PS in Intel's manual: multiply-adds
// with one rounding, to the nearest, that read denormal numbers and write denormal results as
// zero.
func (p *Product) rounded(before float32, b, i, j int) float32 {
	normal := func(v float32) float32 {
		if math.Abs(float64(v)) < 0x1p-126 {
			return float32(math.Copysign(0, float64(v)))
		}
		return v
	}
	narrow := func(v float32) float32 {
		upper, rest := math.Float32bits(v)&^0xffff, math.Float32bits(v)&0xffff
		if v == v && (rest > 0x8000 || rest == 0x8000 && upper&0x10000 != 0) {
			upper += 0x10000
		}
		if v != v {
			return v
		}
		return normal(math.Float32frombits(upper))
	}
	sum := float32(0)
	if p.Accumulate {
		sum = before
	}
	for k := range p.K {
		x := narrow(normal(p.A.Data[b*p.ABatch+i*p.A.Row+k*p.A.Column]))
		y := narrow(normal(p.B.Data[b*p.BBatch+k*p.B.Row+j*p.B.Column]))
		exact := math.FMA(float64(x), float64(y), float64(normal(sum)))
		sum = float32(exact)
		if math.Abs(float64(float32(exact*0x1p60))) < 0x1p-66 { // rounded without the limit of small exponents
			sum = float32(math.Copysign(0, exact))
		}
	}
	return sum
}

// Products of bfloat16 numbers of all tail lengths, layouts, and numbers are the chains of the
// instruction, bit for bit with every set, and touch nothing else.
func TestRoundedProduct(t *testing.T) {
	eachRounding(t, func(t *testing.T) {
		for m := range 15 {
			for n := range 66 {
				checkRounded(t, trial{m: m, n: n, k: (m*7 + n) % 19, batch: 1, end: n%2 == 0, accumulate: m%2 == 0}, n%3 == 0)
			}
		}
		sizes := []int{0, 1, 2, 5, 12, 13, 26, 31, 33, 50}
		for i := range 400 {
			c := trial{m: sizes[i%10], n: sizes[i*3/7%10], k: sizes[i*5/11%10], batch: 1 + i%3, end: i%2 == 0, accumulate: i%5 < 2,
				a: layouts[i%5], b: layouts[i/5%5], special: []int{0, 0, 2, 60}[i/25%4]}
			checkRounded(t, c, i%2 == 1)
		}
	})
}

// The same for several tasks, blocks of K and widths of packed panels.
func TestLargeRoundedProduct(t *testing.T) {
	eachRounding(t, func(t *testing.T) {
		if !HasBFloat16() {
			t.Skip("plain Go does not divide products")
		}
		for i, size := range [][3]int{{300, 70, 515}, {40, 130, 300}, {1, 333, 384}, {200, 65, 384}, {131, 50, 41}, {260, 33, 1031}, {270, 4500, 281}} {
			for j, a := range layouts {
				checkRounded(t, trial{m: size[0], n: size[1], k: size[2], batch: 1 + i%2, a: a, b: layouts[(i+j)%5], accumulate: i%2 == 0, end: j%2 == 0}, j%2 == 0)
			}
		}
	})
}

// bfloat16 numbers of torch 2.15, torch.tensor(v).to(torch.bfloat16), which rounds denormal
// numbers to denormal ones.
func TestToBFloat16(t *testing.T) {
	for _, c := range []struct{ v, want float32 }{
		{0, 0}, {1, 1}, {-1, -1}, {0x1.008p0, 0x1p0}, {0x1.01p0, 0x1p0}, {0x1.018p0, 0x1.02p0}, {0x1.03p0, 0x1.04p0},
		{-0x1.03p0, -0x1.04p0}, {math.MaxFloat32, float32(math.Inf(1))}, {0x1.fep127, 0x1.fep127}, {float32(math.Inf(-1)), float32(math.Inf(-1))},
		{0x1p-126, 0x1p-126}, {0x1.ffp-127, 0}, {-0x1p-140, negativeZero},
	} {
		if got := toBFloat16(c.v); math.Float32bits(got) != math.Float32bits(c.want) {
			t.Errorf("%x becomes %x, not %x", c.v, got, c.want)
		}
	}
	if got := toBFloat16(float32(math.NaN())); got == got {
		t.Errorf("NaN becomes %g", got)
	}
}

// FuzzRoundedProduct compares two numbers' products and sum of all sets.
func FuzzRoundedProduct(f *testing.F) {
	f.Add(uint32(0x3f800000), uint32(0x3f810000), uint32(0x00400000), uint32(0xff800000), uint32(1))
	f.Add(uint32(0x3f808000), uint32(0x20000000), uint32(0x9f818000), uint32(0x7fc00000), uint32(0x80000000))
	f.Add(uint32(0x1f7f0000), uint32(0x1f818000), uint32(0x9f7f0000), uint32(0x1f800000), uint32(0x80800000))
	f.Fuzz(func(t *testing.T, a0, a1, b0, b1, c uint32) {
		testkit.Small.Within(t, 20, func() {
			values := func(bits ...uint32) (list []float32) {
				for _, b := range bits {
					list = append(list, math.Float32frombits(b))
				}
				return list
			}
			want := (&Product{K: 2, A: View{values(a0, a1), 2, 1}, B: View{values(b0, b1), 1, 1}, Accumulate: true}).rounded(math.Float32frombits(c), 0, 0, 0)
			eachRounding(t, func(t *testing.T) {
				p := &Product{M: 1, N: 1, K: 2, A: View{values(a0, a1), 2, 1}, B: View{values(b0, b1), 1, 1}, C: values(c), CRow: 1, Accumulate: true, BFloat16: true}
				p.Run(InTurn)
				if got := p.C[0]; math.Float32bits(got) != math.Float32bits(want) && !(got != got && want != want) {
					t.Errorf("%x, want %x", got, want)
				}
			})
		})
	})
}
