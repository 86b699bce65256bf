package contrast

import (
	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Elsewhere returns how the runs of a system vary on a number, as seen in results other
// than those compared. If there are no such results, seen is false and seeds is a bound on
// the variance, or nil.
type Elsewhere func(on scores.Number, s *scores.System) (seeds *stats.Seeds, seen bool)

// TestRuns is like Test, for questions about trained systems whose runs are only
// samples. A system with one run is assumed to vary like the other trained systems, if
// those vary alike, else as elsewhere reports, which may be nil. If neither is available,
// the contrast is Unreplicated.
func (f *Family) TestRuns(elsewhere Elsewhere, sets ...*scores.Set) {
	f.testBy(func(on scores.Number, systems []*scores.System) *Replication {
		r := NewReplication(on, systems)
		r.lend(systems, elsewhere)
		return r
	}, sets)
}

// lend sets how runs vary for systems with one run.
func (r *Replication) lend(systems []*scores.System, elsewhere Elsewhere) {
	r.unknown = map[*scores.System]bool{}
	for _, s := range systems {
		if r.runs[s] != 1 || !reseeds(s) {
			continue
		}
		if s.Kind == table.Trained && r.Pooled.Freedom > 0 && alike(r.Pooled) {
			r.seeds[s] = &r.Pooled
			continue
		}
		if elsewhere != nil {
			seeds, seen := elsewhere(r.On, s)
			if seen {
				r.seeds[s] = seeds
				continue
			}
			if seeds != nil {
				r.seeds[s] = r.atLeast(*seeds)
			}
		}
		r.unknown[s] = true
	}
}

// atLeast raises a bound to the variance of every replicated trained system.
func (r *Replication) atLeast(bound stats.Seeds) *stats.Seeds {
	for _, s := range r.systems {
		bound.Variance = max(bound.Variance, r.seeds[s].Variance)
	}
	return &bound
}

// reseeds reports whether another seed makes another system. A random ranking varies only
// by query, and the per-query values show that.
func reseeds(s *scores.System) bool {
	return s.Kind == table.Trained || s.Kind != table.Null && s.Config()[results.Seed] != ""
}

// keep stores the tested terms and sets Unreplicated if the variance of a system's runs is
// unknown: P then uses the bound, or is 1 without one. Untrained systems give the same
// result with the same seed.
func (c *Contrast) keep(r *Replication, l stats.Layout, runs []stats.Term) {
	c.layout, c.runs = l, runs
	for _, t := range c.systems() {
		again := t.System.Kind == table.Trained || c.A != nil && c.A.Config()[results.Seed] != c.B.Config()[results.Seed]
		if r.unknown[t.System] && again {
			if c.Unreplicated = true; r.seeds[t.System] == nil {
				c.P = 1
			}
		}
	}
}

// Smallest returns the smallest true difference that a contrast tested by TestRuns detects
// with the given power at level alpha.
func (c *Contrast) Smallest(power, alpha float64) stats.Number {
	found := c.layout.Smallest(0, power, alpha, c.runs...)
	if _, ok := found.Get(); !ok {
		return c.Estimate.Smallest(power, alpha)
	}
	return found
}

// RunsFor returns the number of runs of each trained system needed to detect a true
// difference of the given size with the given power at level alpha. ok is false if up to
// 64 runs do not suffice or nothing was trained.
func (c *Contrast) RunsFor(size, power, alpha float64) (runs int, ok bool) {
	const most = 64
	for runs = 2; runs <= most; runs++ {
		if found, ok := c.layout.Smallest(runs, power, alpha, c.runs...).Get(); ok && found <= size {
			return runs, true
		}
	}
	return 0, false
}

// Pooled returns how the runs of each system vary: pooled over all systems, or separate if
// a test shows that they differ.
func Pooled(found []stats.Replicates) []*stats.Seeds {
	out := make([]*stats.Seeds, len(found))
	all := stats.Pool(found)
	for i := range found {
		if out[i] = &all; !alike(all) {
			own := stats.Pool(found[i : i+1])
			out[i] = &own
		}
	}
	return out
}
