package chart

import (
	"math"
	"testing"
)

// oklab returns a colour in Ottosson's OKLab (2020), whose distances match perceived ones.
func oklab(hex uint32) [3]float64 {
	var c [3]float64
	for i, shift := range []int{16, 8, 0} {
		v := float64(hex>>shift&0xff) / 255
		if v <= 0.04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	l := math.Cbrt(0.4122214708*c[0] + 0.5363325363*c[1] + 0.0514459929*c[2])
	m := math.Cbrt(0.2119034982*c[0] + 0.6806995451*c[1] + 0.1073969566*c[2])
	s := math.Cbrt(0.0883024619*c[0] + 0.2817188376*c[1] + 0.6299787005*c[2])
	return [3]float64{0.2104542553*l + 0.7936177850*m - 0.0040720468*s, 1.9779984951*l - 2.4285922050*m + 0.4505937099*s, 0.0259040371*l + 0.7827717662*m - 0.8086757660*s}
}

func distance(a, b uint32) float64 {
	x, y := oklab(a), oklab(b)
	return math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
}

// TestScale checks that equal steps of the scale look about equal and become lighter all
// the way, which suffices for colour-blind readers, and that numbers have the contrast
// that WCAG asks of text.
func TestScale(t *testing.T) {
	const steps = 32
	least, most := math.Inf(1), 0.0
	for i := range steps {
		a, b := scaleAt(float64(i)/steps), scaleAt(float64(i+1)/steps)
		least, most = min(least, distance(a, b)), max(most, distance(a, b))
		if rise := oklab(b)[0] - oklab(a)[0]; rise < 0.008 {
			t.Errorf("from %06x to %06x lightness rises by %.4f", a, b, rise)
		}
		if c := contrast(a, inkOn(a)); c < 4.5 {
			t.Errorf("a number on %06x has a contrast of %.2f", a, c)
		}
	}
	if most > 3*least {
		t.Errorf("steps look from %.4f to %.4f long", least, most)
	}
	if c := contrast(offScale, inkOn(offScale)); c < 4.5 {
		t.Errorf("a number off the scale has a contrast of %.2f", c)
	}
}

// TestScaleOf checks that 85 and 90 can be distinguished if there is an outlier, and that
// half a point looks small.
func TestScaleOf(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		low, high float64
	}{
		{[]float64{90.4, 45.8, 85, 86.5, 88.5, 87.1, 89, 88, 88, 87.5, 89.8}, 85, 90.4},
		{[]float64{85, 90}, 85, 90},
		{[]float64{50, 60, 70, 80}, 50, 80},
		{[]float64{87, 87.5}, 84.75, 89.75},
		{[]float64{3}, .5, 5.5},
		{nil, 0, 5},
	} {
		if got := ScaleOf(c.values); math.Abs(got.Low-c.low) > 1e-9 || math.Abs(got.High-c.high) > 1e-9 {
			t.Errorf("scale of %v is %v, want %v to %v", c.values, got, c.low, c.high)
		}
	}
	m := Mark{Scale: ScaleOf([]float64{90.4, 45.8, 85, 86.5, 88.5, 87.1, 89, 88, 88, 87.5, 89.8})}
	low, _ := m.colourOf(Datum{Value: 85})
	high, _ := m.colourOf(Datum{Value: 90})
	if d := distance(low, high); d < 0.3 {
		t.Errorf("85 and 90 look %.3f apart", d)
	}
	if off, _ := m.colourOf(Datum{Value: 45.8}); off != offScale {
		t.Errorf("what is off the scale is %06x", off)
	}
}
