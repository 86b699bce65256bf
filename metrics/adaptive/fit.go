package adaptive

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Fit is the components that some cells' values are likeliest under.
type Fit struct {
	Variances
	Freedom float64 // of System: systems that were run less the fixed effects that they tell
}

// ratios of System to the mean of Run, and alikes, are what is tried: a likelihood of so few systems
// tells no finer ones apart.
var (
	ratios = []float64{0, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 1, 2, 4, 8, 16, 32, 64, 128, 256}
	alikes = []float64{0, 0.5, 0.8}
)

// tied are likelihoods that differ by no more: then the simpler one, which comes first.
const tied = 1e-3

// Fit finds the system variance beside given run variances, by the restricted likelihood
// of the values of some cells: that of what the fixed effects do not explain (Harville
// 1977, Journal of the American Statistical Association 72), computed from the errors of
// one-step prediction (Durbin and Koopman 2012, Time Series Analysis by State Space
// Methods, section 7.2). The variance is the mean over what was tried, weighed by
// likelihood, at the likeliest alike: the likeliest variance of few systems is often 0,
// and what they were said to have in common was then false too often.
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

// systems counts those that some cells are runs of.
func (d *Design) systems(cells []int) int {
	var of []int
	for _, c := range cells {
		of = append(of, d.Cells[c])
	}
	slices.Sort(of)
	return len(slices.Compact(of))
}

// logLikelihood is the restricted one, but for a constant, with how many fixed effects the
// cells tell.
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
			effects++ // a miss of any size was to be expected
		default:
			sum -= (math.Log(varied) + miss*miss/varied) / 2
		}
		floats.AddScaled(means, miss, gain.RawVector().Data)
	}
	return sum, effects
}
