package adaptive

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Fit holds the most likely variance components for some cells' values.
type Fit struct {
	Variances
	Freedom float64 // degrees of freedom of System: systems with runs minus the fixed effects that they determine
}

// ratios of System to the mean of Run, and alikes, are the values tried: the likelihood of so
// few systems does not distinguish finer ones.
var (
	ratios = []float64{0, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 1, 2, 4, 8, 16, 32, 64, 128, 256}
	alikes = []float64{0, 0.5, 0.8}
)

// tied is the largest difference of likelihoods that counts as a tie: then the simpler value,
// which is first, wins.
const tied = 1e-3

// Fit estimates the system variance, given the run variances, by the restricted likelihood of
// some cells' values: the likelihood of the part that the fixed effects do not explain
// (Harville 1977, Journal of the American Statistical Association 72), computed from the
// errors of one-step prediction (Durbin and Koopman 2012, Time Series Analysis by State Space
// Methods, section 7.2). The variance is the mean over the values tried, weighted by
// likelihood, at the most likely value of alike. The most likely variance of few systems is
// often 0, and with it too many claims about the systems were false.
func (d *Design) Fit(run []float64, cells []int, values []float64) Fit {
	unit := floats.Sum(run) / float64(len(run))
	best, most := Fit{}, math.Inf(-1)
	for _, alike := range alikes {
		likelihoods, top, effects := make([]float64, len(ratios)), math.Inf(-1), 0
		for i, ratio := range ratios {
			likelihoods[i], effects = d.logLikelihood(Variances{run, ratio * unit, alike}, cells, values)
			top = max(top, likelihoods[i])
		}
		if top <= most+tied {
			continue
		}
		mean, sum := 0.0, 0.0
		for i, ratio := range ratios {
			weight := math.Exp(likelihoods[i] - top)
			mean, sum = mean+weight*ratio, sum+weight
		}
		most = top
		best = Fit{Variances{run, mean / sum * unit, alike}, float64(d.systems(cells) - effects)}
	}
	return best
}

// systems counts the systems with runs among some cells.
func (d *Design) systems(cells []int) int {
	var of []int
	for _, c := range cells {
		of = append(of, d.Cells[c])
	}
	slices.Sort(of)
	return len(slices.Compact(of))
}

// logLikelihood returns the restricted log-likelihood up to a constant, and the number of
// fixed effects that the cells determine.
func (d *Design) logLikelihood(v Variances, cells []int, values []float64) (sum float64, effects int) {
	b := d.Prior(v, false)
	means := make([]float64, len(d.Levels))
	for i, cell := range cells {
		miss := values[i] - means[d.Cells[cell]]
		varied, gain := b.Observe(cell)
		switch {
		case varied == 0:
			continue
		case varied > b.prior/math.Sqrt(diffuse):
			effects++ // an error of any size was expected
		default:
			sum -= (math.Log(varied) + miss*miss/varied) / 2
		}
		floats.AddScaled(means, miss, gain.RawVector().Data)
	}
	return sum, effects
}
