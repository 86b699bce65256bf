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

// contrast returns the contrast of two colours, 1 to 21, as defined by WCAG 2.1.
func contrast(a, b uint32) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

func luminance(hex uint32) float64 {
	linear := func(shift int) float64 {
		v := float64(hex>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(16) + 0.7152*linear(8) + 0.0722*linear(0)
}

// TestSteps checks in both modes that numbers on the colours of cells have the contrast that WCAG
// asks of text, that readers can distinguish neighbouring steps, and that colours get stronger with the
// distance from the middle, which is grey.
func TestSteps(t *testing.T) {
	for name, of := range map[string]func(Colour) uint32{"light": func(c Colour) uint32 { return c.light }, "dark": func(c Colour) uint32 { return c.dark }} {
		chroma := func(c Colour) float64 { lab := oklab(of(c)); return math.Hypot(lab[1], lab[2]) }
		if got := chroma(stepColours[Steps]); got > 0.02 {
			t.Errorf("%s: the middle has a chroma of %.3f", name, got)
		}
		for i, step := range stepColours {
			if c := contrast(of(step), of(ink)); c < 4.5 {
				t.Errorf("%s: a number on %s has a contrast of %.2f", name, step.name, c)
			}
			if i == 0 {
				continue
			}
			if d := distance(of(stepColours[i-1]), of(step)); d < 0.035 {
				t.Errorf("%s: %s and %s look %.3f apart", name, stepColours[i-1].name, step.name, d)
			}
			if rises := chroma(step) > chroma(stepColours[i-1]); rises != (i > Steps) {
				t.Errorf("%s: %s has a chroma of %.3f, %s of %.3f", name, stepColours[i-1].name, chroma(stepColours[i-1]), step.name, chroma(step))
			}
		}
	}
}

// TestStepOf checks that an outlier does not set the length of steps, that small differences look
// small, and where steps end.
func TestStepOf(t *testing.T) {
	for _, c := range []struct {
		differences []float64
		want        float64
	}{
		{[]float64{3, -4, 5, -41, 2}, 2},
		{[]float64{12, -9, 8}, 5},
		{[]float64{-30, 28}, 10},
		{[]float64{-40, 20}, 10},
		{[]float64{-41, 20}, 20},
		{[]float64{.5}, 2},
		{nil, 2},
	} {
		if got := StepOf(c.differences); got != c.want {
			t.Errorf("steps for %v are %v long, want %v", c.differences, got, c.want)
		}
	}
	for difference, want := range map[float64]float64{.1: 1, 2: 1, 2.1: 2, 4: 2, 4.1: 3, 60: 3, -.1: -1, -2.1: -2, -41: -3} {
		if got := Step(difference, 2); got != want {
			t.Errorf("%v is step %v, want %v", difference, got, want)
		}
	}
}
