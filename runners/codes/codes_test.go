package codes

import (
	"math"
	"math/rand/v2"
	"testing"

	"infbench/metrics/kernel"
)

// fromHalf is the value of a half.
func fromHalf(h uint16) float32 {
	var value [1]float32
	kernel.WidenHalves(value[:], []uint16{h})
	return value[0]
}

// TestHalves: every finite half is converted to itself, and a float32 to the nearer of the two
// halves around it, or to the even one if both are equally near.
func TestHalves(t *testing.T) {
	for h := uint16(0); h < 0x7c00; h++ {
		for _, sign := range []uint16{0, 0x8000} {
			if got := toHalf(fromHalf(h | sign)); got != h|sign {
				t.Fatalf("half %#x is read as %g and written as %#x", h|sign, fromHalf(h|sign), got)
			}
		}
		if h == 0x7bff {
			break
		}
		low, high := fromHalf(h), fromHalf(h+1)
		middle := low + (high-low)/2
		even := h + h&1
		if got := toHalf(middle); got != even {
			t.Fatalf("between %#x and the next: %#x, want %#x", h, got, even)
		}
		if got := toHalf(math.Nextafter32(middle, 0)); got != h {
			t.Fatalf("below the middle of %#x and the next: %#x", h, got)
		}
		if got := toHalf(math.Nextafter32(middle, 2)); h < 0x3c00 && got != h+1 {
			t.Fatalf("above the middle of %#x and the next: %#x", h, got)
		}
	}
	for h, want := range map[uint16]float32{0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: 0x1p-24, 0x0400: 0x1p-14, 0x3555: 0.333251953125} { // IEEE 754
		if got := fromHalf(h); got != want {
			t.Errorf("half %#x = %g, want %g", h, got, want)
		}
	}
}

// TestCodes: Lost is the length of the difference, and never less.
func TestCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, form := range []Form{Float16, Int8} {
		for _, exponent := range []int{0, 126, -120, -149, 40} {
			const n, dim = 30, 37
			c, all := New(form, n, dim), make([]float32, n*dim)
			for i := range all {
				if all[i] = float32(math.Ldexp(2*rng.Float64()-1, exponent)); i%dim < i/dim {
					all[i] = 0
				}
			}
			for i := range n {
				c.Set(i, all[i*dim:(i+1)*dim])
			}
			wide := make([]float32, n*dim)
			c.Widen(0, n, wide)
			for i := range n {
				apart, long := 0.0, 0.0
				for k := i * dim; k < (i+1)*dim; k++ {
					apart += math.Pow(float64(all[k])-float64(wide[k])*float64(c.Scales[i]), 2)
					long += float64(wide[k]) * float64(wide[k])
				}
				if apart = math.Sqrt(apart); apart > c.Lost[i] || c.Lost[i] > apart*1.0001 || math.Sqrt(long) > c.Longest() {
					t.Errorf("%s, 2^%d: vector %d loses %g, but Lost is %g; codes %g long, bound %g", form, exponent, i, apart, c.Lost[i], math.Sqrt(long), c.Longest())
				}
				if bound := map[Form]float64{Float16: 0x1p-10, Int8: 0.05}[form] * math.Sqrt(squares(all[i*dim:(i+1)*dim])); exponent > -120 && apart > bound {
					t.Errorf("%s, 2^%d: vector %d loses %g, want at most %g", form, exponent, i, apart, bound)
				}
			}
		}
	}
	if _, err := Parse("int4"); err == nil {
		t.Error("int4 is a form")
	}
}
