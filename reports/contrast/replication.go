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

// Replication is what is known of how training runs vary on one number. Runs are
// replicates of their system: whichever seed they have, they are paired with none of
// another. Two or three tell hardly anything, so what they vary by is estimated over
// systems together, unless a test says that systems differ in it.
type Replication struct {
	On      scores.Number
	Pooled  stats.Seeds // over the trained systems of several runs
	systems []*scores.System
	seeds   map[*scores.System]*stats.Seeds
	runs    map[*scores.System]int
	unknown map[*scores.System]bool // run once, and nothing says how its runs vary
	halves  sync.Map                // pairOfRuns -> half the width of further's interval

	crossings crossings
	joined    sync.Map // system -> all of its values, as crossings have them
}

// heterogeneous is the level at which systems are said to differ in how their runs
// vary.
const heterogeneous = 0.05

// NewReplication measures the runs of some systems on a number.
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
			continue // a drawn order varies like no training
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

// replicationKey is that of a number, for what a set keeps.
type replicationKey string

// ReplicationOf is NewReplication of the systems of a set, measured once.
func ReplicationOf(v *scores.Set, on scores.Number) *Replication {
	return v.Keep(replicationKey(on.Key()), func() any { return NewReplication(on, v.Systems) }).(*Replication)
}

// share makes systems use one estimate.
func (r *Replication) share(systems []*scores.System, s *stats.Seeds) {
	for _, of := range systems {
		r.seeds[of] = s
	}
}

// alike reports whether nothing says that systems vary differently.
func alike(s stats.Seeds) bool {
	p, tested := s.Alike.Get()
	return !tested || p >= heterogeneous
}

// replicates measures the finished runs of a system that have values of the whole
// number, and counts them.
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
	found, whole := align(from, on)
	if !whole {
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

// term is a system in a contrast, with values by query.
func (r *Replication) term(s *scores.System, coefficient float64, values []float64) stats.Term {
	t := stats.Term{Coefficient: coefficient, Values: values}
	if seeds := r.seeds[s]; seeds != nil {
		t.Runs, t.Seeds = r.runs[s], seeds
	}
	return t
}

// OneRun reports whether a system was trained once: what is said of it is said of
// this run.
func (r *Replication) OneRun(s *scores.System) bool { return s.Kind == table.Trained && r.runs[s] == 1 }

// Half is half of the interval of a system's mean over its training runs, with what tests
// take them to vary by: the pooled variance of all systems, or its own where systems
// differ. ok is false where that is known from fewer than LeastRuns runs, or is nothing: of
// two runs that came out alike the third need not.
func (r *Replication) Half(s *scores.System) (half float64, ok bool) {
	seeds := r.seeds[s]
	if seeds == nil || seeds.Freedom < LeastRuns-1 || seeds.Variance == 0 || s.ChosenByResults() {
		return 0, false
	}
	return seeds.Half(r.runs[s], Level), true
}

// replicated reports whether those of some systems that were trained were so often enough
// to say where a further run may lie.
func (r *Replication) replicated(systems []*scores.System) bool {
	return !slices.ContainsFunc(systems, func(s *scores.System) bool { return s.Kind == table.Trained && r.runs[s] < LeastRuns })
}

// pairOfRuns is what the interval of a further run of two systems depends on.
type pairOfRuns struct {
	coefficients [2]float64
	runs         [2]int
	seeds        [2]*stats.Seeds
}

// further is the interval of a difference between one further run of each term. Most
// pairs of systems were run alike and share one estimate, so that its width, which takes
// a quantile, is that of another pair.
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

// Words says how runs vary, and whether systems do so alike; "" where no system was
// trained more than once.
func (r *Replication) Words() string {
	if r.Pooled.Freedom == 0 {
		return ""
	}
	text := fmt.Sprintf("a run lies ±%s (standard deviation ×100, %v degrees of freedom over %s) about its system",
		words.Fixed(100*math.Sqrt(r.Pooled.Variance), 2), r.Pooled.Freedom, words.Plural(r.Pooled.Systems, "system", "systems"))
	if p, ok := r.Pooled.Alike.Get(); ok && alike(r.Pooled) {
		return text + fmt.Sprintf("; systems do not differ in it as far as can be told (Bartlett's test, %s)", words.PIs(p))
	} else if ok {
		return text + fmt.Sprintf("; systems differ in it (Bartlett's test, %s), so each pair is tested with its own runs", words.PIs(p))
	}
	return text
}
