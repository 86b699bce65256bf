package stats_test

import (
	"math"
	"math/rand/v2"

	"infbench/metrics/stats"
)

// population is the distribution of the differences between systems, item by item. On an item
// that is not live nothing ever differs, neither systems nor their runs.
type population struct {
	name      string
	live      float64                    // share of items on which anything differs
	moved     func(r *rand.Rand) float64 // distance of a system from the reference on a live item
	mean, dev float64                    // mean and deviation of moved times live
}

var normal = population{name: "normal", live: 1, moved: (*rand.Rand).NormFloat64, dev: 1}

// sparse is symmetric: three in ten differences are not zero, and those are normal.
var sparse = population{name: "sparse symmetric", live: .3, moved: (*rand.Rand).NormFloat64, dev: math.Sqrt(.3)}

// skewed has exact zeros with share zeros. Three quarters of the other values are positive; a
// quarter are large, N(1, .5²), the rest uniform up to .1: typical differences between
// systems that agree on most queries. With 60 % zeros a sample of 20 has two large values on
// average, and one sample in eight has none.
func skewed(zeros float64) population {
	p := population{name: "sparse skewed", live: 1 - zeros, moved: func(r *rand.Rand) float64 {
		size := .1 * r.Float64()
		if r.Float64() < .25 {
			size = 1 + .5*r.NormFloat64()
		}
		if r.Float64() < .25 {
			return -size
		}
		return size
	}}
	const size, square = .25*1 + .75*.05, .25*1.25 + .75*.01/3
	p.mean = p.live * .5 * size
	p.dev = math.Sqrt(p.live*square - p.mean*p.mean)
	return p
}

// mirrored has the differences of a population with their signs reversed: for skewed, some
// items lose a lot.
func mirrored(p population) population {
	out := p
	out.name, out.mean = "mirrored "+p.name, -p.mean
	out.moved = func(r *rand.Rand) float64 { return -p.moved(r) }
	return out
}

// alike has no differences between systems on any item: only runs vary.
var alike = population{name: "alike", live: 1, moved: func(*rand.Rand) float64 { return 0 }, dev: 1}

// sample draws n items.
func (p population) sample(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		if p.live == 1 || r.Float64() < p.live {
			out[i] = p.moved(r)
		}
	}
	return out
}

// components are the standard deviations of runs, in units of the population's.
type components struct{ seed, interaction float64 }

// Variation of runs in p-MRR, over uni(P) and multi(P,I) in three generated worlds with eight
// seeds each: a run differs by ±.020 from its loss on all items together, and by ±.145 more
// on one item than on another; the effect of training varies by ±.066 about its mean between
// items. `make seeds-check` measures and prints these values and checks the constants against
// them.
const seedDeviation, interactionDeviation, itemDeviation = .020, .145, .066

var (
	// measured are the components relative to the effect of training.
	measured = components{seedDeviation / itemDeviation, interactionDeviation / itemDeviation}

	// weak are runs that differ less than systems do.
	weak = components{seed: .05, interaction: .5}

	// strong seeds move all items together by half of the deviation between items.
	strong = components{seed: .5, interaction: .5}
)

// design is an experiment to draw repeatedly. The first system is the reference; the others
// differ from it as the population specifies.
type design struct {
	of    population
	sizes []int // sizes of the strata, which have equal weights
	runs  []int // runs of each system; 0 for a system that no seed changes
	by    components
	times []float64 // factor of each system's run deviation; nil: 1 for all
}

// drawn is one outcome of a design with the true values.
type drawn struct {
	layout stats.Layout
	runs   [][][]float64 // by system, run and item, in standard deviations of the population
	truth  []float64     // true value of each system: its mean, or that of its only run
	terms  []stats.Term  // with coefficient 1
	alike  stats.Number
}

func (d design) draw(r *rand.Rand) *drawn {
	k := len(d.sizes)
	out := &drawn{layout: stats.Layout{Sizes: d.sizes}}
	for range d.sizes {
		out.layout.Weights = append(out.layout.Weights, 1/float64(k))
	}
	live := make([]bool, out.layout.Items())
	for i := range live {
		live[i] = d.of.live == 1 || r.Float64() < d.of.live
	}
	for s := range d.runs {
		out.add(d, s, live, r)
	}
	out.pool()
	return out
}

// add draws the runs of one system. Seeds have effects on live items only.
func (o *drawn) add(d design, system int, live []bool, r *rand.Rand) {
	values, truth := make([]float64, len(live)), 0.0
	if system > 0 {
		truth = d.of.mean / d.of.dev
		for i := range values {
			if live[i] {
				values[i] = d.of.moved(r) / d.of.dev
			}
		}
	}
	times := 1.0
	if d.times != nil {
		times = d.times[system]
	}
	var runs [][]float64
	for range d.runs[system] {
		seed := times * d.by.seed * r.NormFloat64()
		run := make([]float64, len(values))
		for i, v := range values {
			run[i] = v
			if live[i] {
				run[i] += (seed + times*d.by.interaction*math.Sqrt(d.of.live)*r.NormFloat64()) / d.of.live
			}
		}
		if d.runs[system] == 1 {
			truth += seed
		}
		runs = append(runs, run)
	}
	if runs == nil {
		runs = [][]float64{values}
	}
	o.runs, o.truth = append(o.runs, runs), append(o.truth, truth)
}

// pool prepares the systems in the same way as boards: run variance is pooled over the
// systems with two or more runs, but each system has its own where Bartlett's test finds a
// difference; a system with a single run is treated as fixed.
func (o *drawn) pool() {
	var all []stats.Replicates
	own := make([]*stats.Seeds, len(o.runs))
	for i, runs := range o.runs {
		if found, ok := stats.ReplicatesOf(o.layout, runs); ok {
			one := stats.Pool([]stats.Replicates{found})
			own[i], all = &one, append(all, found)
		}
	}
	pooled := stats.Pool(all)
	o.alike = pooled.Alike
	p, tested := pooled.Alike.Get()
	for i, runs := range o.runs {
		t := stats.Term{Coefficient: 1, Values: means(runs)}
		if own[i] != nil {
			t.Runs, t.Seeds = len(runs), &pooled
			if tested && p < .05 {
				t.Seeds = own[i]
			}
		}
		o.terms = append(o.terms, t)
	}
}

// means averages runs item by item.
func means(runs [][]float64) []float64 {
	if len(runs) == 1 {
		return runs[0]
	}
	out := make([]float64, len(runs[0]))
	for _, run := range runs {
		for i, v := range run {
			out[i] += v / float64(len(runs))
		}
	}
	return out
}

// over returns the estimate of b minus a, and its true value.
func (o *drawn) over(a, b int) (e stats.Estimate, truth float64) {
	minus := o.terms[a]
	minus.Coefficient = -1
	e, _ = o.layout.Contrast(minus, o.terms[b])
	return e, o.truth[b] - o.truth[a]
}

// off returns an estimate shifted by a constant, as if all items of a system were.
func off(e stats.Estimate, by float64) stats.Estimate {
	e.Value += by
	return e
}
