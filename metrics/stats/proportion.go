package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Wilson returns the share k of n and Wilson's (1927) score interval around it at a level,
// without a correction for continuity: the ends are in [0,1], and the interval has a width
// even if none or all count. It agrees with statsmodels' proportion_confint(k, n,
// method="wilson"). Both are undefined for n = 0.
func Wilson(k, n int, level float64) (Number, Interval) {
	if n <= 0 || k < 0 || k > n {
		return Number{}, Interval{}
	}
	size, share := float64(n), float64(k)/float64(n)
	if level <= 0 || level >= 1 {
		return Defined(share), Interval{}
	}
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	wider := 1 + z*z/size
	centre := (share + z*z/(2*size)) / wider
	half := z / wider * math.Sqrt(share*(1-share)/size+z*z/(4*size*size))
	i := Interval{Low: max(0, centre-half), High: min(1, centre+half), Level: level}
	if k == 0 {
		i.Low = 0 // 0 except for rounding
	}
	if k == n {
		i.High = 1
	}
	return Defined(share), i
}
