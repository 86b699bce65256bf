package stats

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// panels and perPanel define the quadrature: Gauss-Legendre with perPanel points on each of
// panels equal pieces.
const (
	panels   = 8
	perPanel = 16
)

// integrate returns ∫f over [low, high] for a smooth f.
func integrate(f func(float64) float64, low, high float64) float64 {
	var sum float64
	width := (high - low) / panels
	for i := range panels {
		from := low + float64(i)*width
		sum += quad.Fixed(f, from, from+width, perPanel, quad.Legendre{}, 0)
	}
	return sum
}

// overScale returns E[f(S)], S = sqrt(χ²_ν/ν): the standard deviation of ν+1
// normal values in units of the true one. f must be smooth and bounded.
func overScale(nu float64, f func(s float64) float64) float64 {
	lgamma, _ := math.Lgamma(nu / 2)
	scale := math.Ln2 + nu/2*math.Log(nu/2) - lgamma
	density := func(s float64) float64 {
		return math.Exp(scale + (nu-1)*math.Log(s) - nu*s*s/2)
	}
	// S has a standard deviation of about 1/sqrt(2ν); ten of them on either side leave out
	// less than 1e-18.
	reach := 10 / math.Sqrt(2*nu)
	low, high := max(0, 1-reach), 1+reach
	// s = low + (high−low)u² puts more points near low, where f falls steeply when ν is 1 or
	// 2 and q is large.
	return integrate(func(u float64) float64 {
		s := low + (high-low)*u*u
		return density(s) * f(s) * 2 * (high - low) * u
	}, 0, 1)
}
