package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Replicates is the variation of one number between the runs of a system, which differ in
// their training seed.
type Replicates struct {
	Runs        int
	Variance    float64 // variance of a run's mean about that of the system: seed, and seed by item
	Interaction float64 // the part of Variance caused by items: seed by item
}

// ReplicatesOf estimates the variation of runs[run][item], 2 or more runs on the same items.
// ok is false for fewer.
func ReplicatesOf(l Layout, runs [][]float64) (r Replicates, ok bool) {
	if len(runs) < 2 {
		return r, false
	}
	means := make([]float64, len(runs))
	for i, values := range runs {
		means[i] = l.Mean(values)
	}
	r = Replicates{Runs: len(runs), Variance: stat.Variance(means, nil)}
	l.each(func(k, from, to int) {
		if to-from < 2 {
			return
		}
		cells := make([][]float64, len(runs))
		for i, values := range runs {
			cells[i] = values[from:to]
		}
		n, freedom := float64(to-from), float64((len(runs)-1)*(to-from-1))
		r.Interaction += l.Weights[k] * l.Weights[k] * newTwoWay(cells).residual / freedom / n
	})
	return r, true
}

// Seeds is the variation of a number between training runs, estimated from several systems
// together: the two or three runs of a single system give hardly any information.
type Seeds struct {
	Systems     int
	Variance    float64
	Interaction float64
	Freedom     float64 // the sum of runs − 1

	// Alike is the p-value of Bartlett's test (1937) that all systems have the same variance;
	// undefined for fewer than two.
	Alike Number
}

// Pool combines the estimates of several systems, weighted by their degrees of freedom.
func Pool(systems []Replicates) Seeds {
	var s Seeds
	for _, r := range systems {
		freedom := float64(r.Runs - 1)
		s.Systems++
		s.Variance += freedom * r.Variance
		s.Interaction += freedom * r.Interaction
		s.Freedom += freedom
	}
	if s.Freedom == 0 {
		return s
	}
	s.Variance /= s.Freedom
	s.Interaction /= s.Freedom
	s.Alike = bartlett(systems, s)
	return s
}

// bartlett tests whether variances are equal. Systems whose runs do not vary at all are
// distinguished only from those whose runs vary.
func bartlett(systems []Replicates, pooled Seeds) Number {
	if len(systems) < 2 || pooled.Variance == 0 {
		return Number{}
	}
	statistic, inverse := 0.0, 0.0
	for _, r := range systems {
		freedom := float64(r.Runs - 1)
		if r.Variance == 0 {
			return Defined(0)
		}
		statistic += freedom * math.Log(pooled.Variance/r.Variance)
		inverse += 1 / freedom
	}
	k := float64(len(systems))
	statistic /= 1 + (inverse-1/pooled.Freedom)/(3*(k-1))
	return Defined(distuv.ChiSquared{K: k - 1}.Survival(statistic))
}

// Half returns half the width of the interval of the mean of this number of runs, treated as
// a sample of all possible runs.
func (s Seeds) Half(runs int, level float64) float64 {
	return Estimate{StandardError: math.Sqrt(s.Variance / float64(runs)), Freedom: s.Freedom}.half(level)
}

// Term is a system in a contrast.
type Term struct {
	Coefficient float64
	Values      []float64 // by item, means over its runs
	Runs        int       // the number that Seeds applies to; 0 for a system treated as fixed
	Seeds       *Seeds    // shared by terms of one estimate
}

// Estimate is a weighted sum of systems' means with its uncertainty.
type Estimate struct {
	Value         float64
	StandardError float64
	Freedom       float64 // degrees of freedom of its t; 0 if it does not vary at all
	Effect        Number  // Value in standard deviations of the items, Cohen's d_z
	Values        []float64

	items component // the part of the variance that is of items
}

// Turned returns the estimate of the same sum with all signs reversed.
func (e Estimate) Turned() Estimate {
	e.Value, e.Effect, e.Values = -e.Value, e.Effect.Times(-1), slices.Clone(e.Values)
	floats.Scale(-1, e.Values)
	return e
}

// AtHand returns the same estimate for the present runs alone, which then are not a sample of
// others.
func (e Estimate) AtHand() Estimate {
	e.StandardError, e.Freedom = e.items.withRuns(nil)
	return e
}

// Contrast estimates the sum of terms. Items are crossed with systems, and training runs are
// replicates of their system, not paired with runs of another (Westfall, Kenny and Judd 2014,
// Journal of Experimental Psychology: General 143, "stimuli within conditions"). Its variance
// is that of items, within strata, plus that of runs, minus the part of the latter that the
// items already include. ok is false for a single item.
func (l Layout) Contrast(terms ...Term) (e Estimate, ok bool) {
	return l.ContrastIn(new(Workspace), terms...)
}

// Workspace is reusable memory for contrasts.
type Workspace struct {
	values, squares []float64
	runs            []share
}

// ContrastIn is Contrast with reused memory; Values are valid until the next call with that
// memory. When thousands of pairs are tested, as for ranks, allocating lists is half of the
// work.
func (l Layout) ContrastIn(w *Workspace, terms ...Term) (e Estimate, ok bool) {
	w.values, w.runs = emptied(w.values, l.Items()), w.runs[:0]
	scale := 0.0
	for _, t := range terms {
		floats.AddScaled(w.values, t.Coefficient, t.Values)
		scale = max(scale, math.Abs(t.Coefficient)*largest(t.Values))
		w.runs = t.addTo(w.runs)
	}
	return l.estimate(w, scale)
}

// estimate returns the estimate for the sum in a workspace, whose numbers are as large as
// scale.
func (l Layout) estimate(w *Workspace, scale float64) (e Estimate, ok bool) {
	w.squares = emptied(w.squares, len(l.Sizes))
	e.Values = w.values
	l.settle(e.Values, scale)
	e.Value = settled(l.Mean(e.Values), slack(scale))
	if squares, several := l.squaresIn(w.squares, e.Values); several {
		e.items = l.ofSquares(squares)
		if sd := l.deviation(squares); sd > 0 {
			e.Effect = Defined(e.Value / sd)
		}
	} else if e.items, ok = l.ofStrata(e.Values); !ok {
		return e, false
	}
	e.StandardError, e.Freedom = e.items.withRuns(w.runs)
	return e, true
}

// emptied returns a list of n zeros, in the memory of list if that is large enough.
func emptied(list []float64, n int) []float64 {
	if cap(list) < n {
		return make([]float64, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// largest returns the largest absolute value, or 0 without values.
func largest(values []float64) float64 {
	most := 0.0
	for _, v := range values {
		if v = math.Abs(v); v > most {
			most = v
		}
	}
	return most
}

// share is the part of a sum that uses one estimate of run variance.
type share struct {
	seeds *Seeds
	sum   float64 // of c²/runs over the terms that share it
}

// addTo adds a term to the shares of those before it.
func (t Term) addTo(all []share) []share {
	if t.Runs == 0 || t.Seeds == nil {
		return all
	}
	own := t.Coefficient * t.Coefficient / float64(t.Runs)
	for i := range all {
		if all[i].seeds == t.Seeds {
			all[i].sum += own
			return all
		}
	}
	return append(all, share{t.Seeds, own})
}

// withRuns adds the variance of runs to that of items, and returns the degrees of freedom:
// their inverse is the mean of the inverses for the parts, weighted by variance, which to
// first order gives the critical value of Cochran and Cox (1957, Experimental Designs,
// section 4.14). Satterthwaite's rule (1946), which weights by squared variances, is
// overconfident when two runs happen to be close together: tests of two systems with two runs
// each had size 7.8 %.
func (items component) withRuns(all []share) (se, freedom float64) {
	total, inverse, least := items.variance, 0.0, math.Inf(1)
	if items.variance > 0 {
		inverse, least = items.variance/items.freedom, items.freedom
	}
	for _, s := range all {
		if s.seeds.Freedom == 0 {
			continue
		}
		runs, shared := s.sum*s.seeds.Variance, s.sum*s.seeds.Interaction
		total += max(0, runs-shared) // nothing to add if the items already include the runs
		inverse += runs / s.seeds.Freedom
		least = min(least, s.seeds.Freedom)
	}
	if total == 0 {
		return 0, 0
	}
	return math.Sqrt(total), max(least, total/inverse)
}

// P returns the two-sided p-value of the hypothesis that the value is 0. It is 1 if nothing
// differs at all. If all items differ by the same amount it is the p-value of the sign test:
// the probability of that by chance.
func (e Estimate) P() float64 {
	switch {
	case Compare(e.Value, 0) == 0:
		return 1
	case e.StandardError == 0:
		return math.Pow(2, float64(1-len(e.Values)))
	}
	return 2 * e.student().CDF(-math.Abs(e.Value)/e.StandardError)
}

// Interval returns the t interval of the value. If nothing varies its width is 0, or it is
// undefined if the items are so few that this may be chance.
func (e Estimate) Interval(level float64) Interval {
	if !e.Bounded(level) {
		return Interval{}
	}
	half := e.half(level)
	return Interval{Low: e.Value - half, High: e.Value + half, Level: level}
}

// Bounded reports whether there is an interval.
func (e Estimate) Bounded(level float64) bool {
	return e.StandardError != 0 || Compare(e.Value, 0) == 0 || e.P() <= 1-level
}

// half returns half the width of an interval.
func (e Estimate) half(level float64) float64 {
	if e.StandardError == 0 {
		return 0
	}
	return e.StandardError * e.student().Quantile((1+level)/2)
}

// Further returns the interval of the same sum for one further run of each term that was run
// several times, on the same items: ± t·√Σ c²s²(1+1/runs) (Hahn and Meeker 1991, Statistical
// Intervals, section 4.8), with degrees of freedom as in withRuns. If no term was run several
// times its width is 0: the same run gives the same result.
func (e Estimate) Further(level float64, terms ...Term) Interval {
	total, inverse, least := 0.0, 0.0, math.Inf(1)
	for _, t := range terms {
		if t.Runs > 1 && t.Seeds != nil && t.Seeds.Freedom > 0 {
			part := t.Coefficient * t.Coefficient * t.Seeds.Variance * (1 + 1/float64(t.Runs))
			total += part
			inverse += part / t.Seeds.Freedom
			least = min(least, t.Seeds.Freedom)
		}
	}
	half := 0.0
	if total > 0 {
		of := Estimate{StandardError: math.Sqrt(total), Freedom: max(least, total/inverse)}
		half = of.half(level)
	}
	return Interval{Low: e.Value - half, High: e.Value + half, Level: level}
}

func (e Estimate) student() distuv.StudentsT { return distuv.StudentsT{Sigma: 1, Nu: e.Freedom} }

// Within returns the p-value of the hypothesis that the value is outside ±band, by two
// one-sided t tests (Schuirmann 1987). p ≤ .05 means that the 90 % interval is inside the
// band.
func (e Estimate) Within(band float64) float64 {
	if e.StandardError == 0 {
		if math.Abs(e.Value) < band {
			return 0
		}
		return 1
	}
	return e.student().CDF((math.Abs(e.Value) - band) / e.StandardError)
}

// Smallest returns the smallest true value that is found with probability power at level
// alpha (Bloom 1995, Evaluation Review 19). It depends on how much items and runs vary, not
// on the estimated value.
func (e Estimate) Smallest(power, alpha float64) Number {
	shift, ok := smallestShift(power, e.Freedom, alpha).Get()
	if !ok {
		return Number{}
	}
	return Defined(shift * e.StandardError)
}
