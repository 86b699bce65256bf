package allocation

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

// ratios of System to Run, and alikes, are what is tried: a likelihood of so few systems
// tells no finer ones apart.
var (
	ratios = []float64{0, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 1, 2, 4, 8, 16, 32, 64, 128, 256}
	alikes = []float64{0, 0.5, 0.8}
)

// tied are likelihoods that differ by no more: then the simpler one, which comes first.
const tied = 1e-3

// Fit finds the system variance beside a given run variance, by the restricted likelihood
// of the values of some cells: that of what the fixed effects do not explain (Harville
// 1977, Journal of the American Statistical Association 72), computed from the errors of
// one-step prediction (Durbin and Koopman 2012, Time Series Analysis by State Space
// Methods, section 7.2).
func (d *Design) Fit(run float64, cells []int, values []float64) Fit {
	best, most := Fit{Variances: Variances{Run: run}}, math.Inf(-1)
	for _, ratio := range ratios {
		for _, alike := range alikes {
			v := Variances{Run: run, System: ratio * run, Alike: alike}
			if likelihood, effects := d.logLikelihood(v, cells, values); likelihood > most+tied {
				best = Fit{Variances: v, Freedom: float64(d.systems(cells) - effects)}
				most = likelihood
			}
			if ratio == 0 {
				break
			}
		}
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
