package runs

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"infbench/metrics"
	"infbench/runners/results"
)

// The rule that stops hopeless trials.
//
// During its training a trial is looked at K times, whenever it is evaluated on held-out
// queries. It is compared, query by query, with the best of the m finished trials with which it
// competes: its best weights so far against the final weights of the other. Let d be the mean
// of the n differences, below 0 if the trial is worse, and s their standard deviation. Then the
// mean difference on all queries like these is below
//
//	u = d + t(1 - alpha/(K·m), n-1) · s/√n
//
// at every look and against every rival at once with a probability of at least 1 - alpha
// (Bonferroni over looks and rivals, which also covers the choice of the best of m). Training
// may still improve the trial: no finished trial has improved by more than g from the same
// share of its training to its end. The trial is hopeless when
//
//	u + g < 0 .
//
// So alpha bounds the probability that the sampling of queries stops a trial that is already as
// good as the best. The rule assumes that the trial will not improve more from there on than
// every finished trial did. No query can test this assumption. Where it is wrong a late bloomer
// is lost, so the rule is off by default.

// leastQueries is the smallest number of queries with which a trial is stopped: t intervals of
// fewer skewed values do not keep their level.
const leastQueries = 20

// Rival is a finished trial.
type Rival struct {
	ID     string
	Values map[string]*float64 // of the held-out queries by name; nil if undefined
	Mean   float64
	Gain   float64 // its improvement from the same share of its training to its end
}

// TrialVerdict is the result of one look at a trial.
type TrialVerdict struct {
	Hopeless   bool
	Rival      string
	Queries    int
	Difference float64 // d
	Upper      float64 // u
	Gain       float64 // g
}

// JudgeTrial looks at a trial once. looks is K; values are the trial's values by query, of a
// measure with a direction.
func JudgeTrial(better metrics.Direction, values map[string]*float64, rivals []Rival, looks int, alpha float64) TrialVerdict {
	if len(rivals) == 0 {
		return TrialVerdict{}
	}
	best := rivals[0]
	v := TrialVerdict{Gain: math.Inf(-1)}
	for _, r := range rivals {
		if better.Better(r.Mean, best.Mean) {
			best = r
		}
		v.Gain = max(v.Gain, r.Gain)
	}
	var d []float64
	for _, query := range slices.Sorted(maps.Keys(values)) { // a fixed order of summation
		if x, y := values[query], best.Values[query]; x != nil && y != nil {
			d = append(d, better.Oriented(*x-*y))
		}
	}
	v.Rival, v.Queries = best.ID, len(d)
	if len(d) < leastQueries {
		return v
	}
	n := float64(len(d))
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1 - alpha/float64(looks*len(rivals)))
	mean, sd := stat.MeanStdDev(d, nil)
	v.Difference, v.Upper = mean, mean+t*sd/math.Sqrt(n)
	v.Hopeless = v.Upper+max(v.Gain, 0) < 0
	return v
}

// ValidationByQuery names the values of held-out queries. A query can have several, one for
// each side.
func ValidationByQuery(scores []results.Result) map[string]*float64 {
	values := map[string]*float64{}
	for _, r := range scores {
		values[fmt.Sprint(r.Task, "\x00", r.Side, "\x00", r.Query)] = r.Value
	}
	return values
}

// GainFrom returns how much the best weights of a finished trial improved from a share of its
// training to the end; false if it had not been evaluated by then.
func GainFrom(better metrics.Direction, evaluations []results.Evaluation, share float64) (float64, bool) {
	if len(evaluations) == 0 {
		return 0, false
	}
	last := float64(evaluations[len(evaluations)-1].Step)
	then, top, known := 0.0, evaluations[0].Value, false
	for _, e := range evaluations {
		if better.Better(e.Value, top) {
			top = e.Value
		}
		if float64(e.Step) <= share*last+1e-9 && (!known || better.Better(e.Value, then)) {
			then, known = e.Value, true
		}
	}
	return better.Oriented(top - then), known
}
