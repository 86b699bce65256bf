package active

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"infbench/metrics/adaptive"
)

// chance is the probability that the complete sweep would settle an open question, given the
// finished cells. The estimate of the complete sweep is normally distributed around the present
// one, with the variance that the remaining cells remove (stochastic curtailment by the
// predictive distribution; Jennison and Turnbull 2000, Group Sequential Methods, section 10.3).
// The test uses the present level of the question. Leaving a question for this reason spends no
// alpha.
func chance(e adaptive.Evidence, level float64) float64 {
	if e.Share >= 1-rounding || !(e.StandardError > 0) {
		return 0 // nothing more will be known
	}
	whole, moves := e.StandardError*math.Sqrt(e.Share), e.StandardError*math.Sqrt(1-e.Share)
	limit := -distuv.UnitNormal.Quantile(level/2) * whole
	return distuv.UnitNormal.CDF((e.Value-limit)/moves) + distuv.UnitNormal.CDF((-e.Value-limit)/moves)
}
