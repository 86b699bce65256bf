package contrast

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"infbench/internal/parallel"
	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// Replication holds how training runs vary on one number. Runs are replicates of their
// system: whatever their seeds, they are not paired with runs of another system. Two or
// three runs tell little about the variance, so it is pooled over systems unless a test
// shows that they differ in it.
type Replication struct {
	On      scores.Number
	Pooled  stats.Seeds // over the trained systems with several runs
	systems []*scores.System
	seeds   map[*scores.System]*stats.Seeds
	runs    map[*scores.System]int
	unknown map[*scores.System]bool // run once, with unknown variance
	halves  sync.Map                // pairOfRuns -> half the width of further's interval

	crossings crossings
	joined    sync.Map // system -> all of its values, as crossings have them
}

// heterogeneous is the significance level of the test that systems differ in their
// variance of runs.
const heterogeneous = 0.05

// NewReplication measures how the runs of some systems vary on a number.
func NewReplication(on scores.Number, systems []*scores.System) *Replication {
	r := &Replication{On: on, seeds: map[*scores.System]*stats.Seeds{}, runs: map[*scores.System]int{}}
	var trained, all []stats.Replicates
	var of []*scores.System
	known := map[stats.Replicates]bool{}
	strata := on.Strata()
	replicated, counted := make([]stats.Replicates, len(systems)), make([]int, len(systems))
	parallel.Each(len(systems), func(i int) { replicated[i], counted[i] = replicates(systems[i], on, strata) })
	for i, s := range systems {
		found, runs := replicated[i], counted[i]
		r.runs[s] = runs
		if runs < 2 {
			continue
		}
		own := stats.Pool([]stats.Replicates{found})
		r.seeds[s] = &own
		if s.Kind == table.Null {
			continue // random rankings do not vary like trainings
		}
		if found.Variance > 0 && known[found] {
			of = append(of, s) // the same runs in another set
			if s.Kind == table.Trained {
				r.systems = append(r.systems, s)
			}
			continue
		}
		of, all = append(of, s), append(all, found)
		known[found] = true
		if s.Kind == table.Trained {
			trained = append(trained, found)
			r.systems = append(r.systems, s)
		}
	}
	r.Pooled = stats.Pool(trained)
	if together := stats.Pool(all); alike(together) {
		r.share(of, &together)
	} else if alike(r.Pooled) {
		r.share(r.systems, &r.Pooled)
	}
	return r
}

// replicationKey is the key of a number's Replication in a set.
type replicationKey string

// ReplicationOf returns NewReplication for the systems of a set, computed once.
func ReplicationOf(v *scores.Set, on scores.Number) *Replication {
	return v.Keep(replicationKey(on.Key()), func() any { return NewReplication(on, v.Systems) }).(*Replication)
}

// share makes systems use one estimate.
func (r *Replication) share(systems []*scores.System, s *stats.Seeds) {
	for _, of := range systems {
		r.seeds[of] = s
	}
}

// alike reports whether no test shows that the systems' variances differ.
func alike(s stats.Seeds) bool {
	p, tested := s.Alike.Get()
	return !tested || p >= heterogeneous
}

// replicates measures the variance of a system's finished runs that have values for all
// strata, and counts these runs.
func replicates(s *scores.System, on scores.Number, strata []scores.Stratum) (stats.Replicates, int) {
	var from []valuer
	for _, t := range s.Trials {
		if has(t, strata) {
			from = append(from, valuesOf(t))
		}
	}
	if len(from) < 2 {
		return stats.Replicates{}, len(from)
	}
	found, complete := align(from, on)
	if !complete {
		return stats.Replicates{}, 0
	}
	out, _ := stats.ReplicatesOf(found.Layout, found.values)
	return out, len(from)
}

// has reports whether a run has values in every one of some strata.
func has(t *scores.Trial, strata []scores.Stratum) bool {
	return t.Finished() && !slices.ContainsFunc(strata, func(s scores.Stratum) bool {
		return !slices.ContainsFunc(s.Slots, func(at scores.Slot) bool { _, known := t.Scores[at]; return known })
	})
}

// term returns a system's term in a contrast, with values by query.
func (r *Replication) term(s *scores.System, coefficient float64, values []float64) stats.Term {
	t := stats.Term{Coefficient: coefficient, Values: values}
	if seeds := r.seeds[s]; seeds != nil {
		t.Runs, t.Seeds = r.runs[s], seeds
	}
	return t
}

// OneRun reports whether a system was trained once: results about it hold for that run.
func (r *Replication) OneRun(s *scores.System) bool { return s.Kind == table.Trained && r.runs[s] == 1 }

// Half returns half the width of the interval of a system's mean over its training runs.
// It uses the same variance as the tests: pooled over all systems, or the system's own if
// systems differ. ok is false if the variance is based on fewer than LeastRuns runs or is
// 0: if two runs are equal, a third need not be.
func (r *Replication) Half(s *scores.System) (half float64, ok bool) {
	seeds := r.seeds[s]
	if seeds == nil || seeds.Freedom < LeastRuns-1 || seeds.Variance == 0 || s.ChosenByResults() {
		return 0, false
	}
	return seeds.Half(r.runs[s], Level), true
}

// replicated reports whether every trained system has enough runs to predict a further
// one.
func (r *Replication) replicated(systems []*scores.System) bool {
	return !slices.ContainsFunc(systems, func(s *scores.System) bool { return s.Kind == table.Trained && r.runs[s] < LeastRuns })
}

// pairOfRuns is the input of the interval for a further run of two systems.
type pairOfRuns struct {
	coefficients [2]float64
	runs         [2]int
	seeds        [2]*stats.Seeds
}

// further returns the interval for the difference between one more run of each term. Most
// pairs of systems have the same numbers of runs and share one estimate, so the width,
// which needs a quantile, is cached.
func (r *Replication) further(value float64, terms []stats.Term) stats.Interval {
	if len(terms) > 2 {
		return stats.Estimate{Value: value}.Further(Level, terms...)
	}
	var key pairOfRuns
	for i, t := range terms {
		key.coefficients[i], key.runs[i], key.seeds[i] = t.Coefficient, t.Runs, t.Seeds
	}
	half, known := r.halves.Load(key)
	if !known {
		half = stats.Estimate{}.Further(Level, terms...).High
		r.halves.Store(key, half)
	}
	return stats.Interval{Low: value - half.(float64), High: value + half.(float64), Level: Level}
}

// Words describes how runs vary, and whether systems vary alike; "" if no system was
// trained more than once.
func (r *Replication) Words() string {
	if r.Pooled.Freedom == 0 {
		return ""
	}
	text := fmt.Sprintf("runs vary by ±%s about their system (standard deviation ×100, %v degrees of freedom over %s)",
		words.Fixed(100*math.Sqrt(r.Pooled.Variance), 2), r.Pooled.Freedom, words.Plural(r.Pooled.Systems, "system", "systems"))
	if p, ok := r.Pooled.Alike.Get(); ok && alike(r.Pooled) {
		return text + fmt.Sprintf("; the variances of systems do not differ significantly (Bartlett's test, %s)", words.PIs(p))
	} else if ok {
		return text + fmt.Sprintf("; the variances of systems differ (Bartlett's test, %s), so each pair is tested with its own runs", words.PIs(p))
	}
	return text
}
