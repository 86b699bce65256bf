package adaptive

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Spending returns the part of an error rate alpha that may be used at a share of the total
// information: 0 at share 0, alpha at share 1, and never decreasing.
type Spending func(alpha, share float64) float64

// OBrienFleming spends little early, on each side 2 - 2Φ(z(1 - alpha/4)/√share), so that
// the last look is nearly a test at alpha (Lan and DeMets 1983, their first function).
func OBrienFleming(alpha, share float64) float64 {
	switch {
	case share <= 0:
		return 0
	case share >= 1:
		return alpha
	}
	return 4 * distuv.UnitNormal.CDF(distuv.UnitNormal.Quantile(alpha/4)/math.Sqrt(share))
}
