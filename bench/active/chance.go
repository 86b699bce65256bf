package active

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"infbench/metrics/adaptive"
)

// chance is how likely all cells together would show what is open, given the cells at
// hand: the estimate of the whole sweep lies about the present one with the variance that
// the rest takes off (stochastic curtailment by the predictive distribution; Jennison and
// Turnbull 2000, Group Sequential Methods, section 10.3), and is held against a test at the
// level that the question has now. To leave a question for that spends nothing of alpha.
func chance(e adaptive.Evidence, level float64) float64 {
	if e.Share >= 1-rounding || !(e.StandardError > 0) {
		return 0 // nothing more will be known
	}
	whole, moves := e.StandardError*math.Sqrt(e.Share), e.StandardError*math.Sqrt(1-e.Share)
	limit := -distuv.UnitNormal.Quantile(level/2) * whole
	return distuv.UnitNormal.CDF((e.Value-limit)/moves) + distuv.UnitNormal.CDF((-e.Value-limit)/moves)
}
