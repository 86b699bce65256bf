package contrast

import (
	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Elsewhere returns how the runs of a system vary in a number, as other results than those
// that are compared show it. Where none show it, seen is false, and the seeds are a bound
// on it, or nil.
type Elsewhere func(on scores.Number, s *scores.System) (seeds *stats.Seeds, seen bool)

// TestRuns is Test for a question about what is trained, of which any run is a sample:
// one that was run once varies as the trained systems beside it do, where those are
// alike, else as is known from elsewhere, which may be nil. Where neither tells, it is
// Unreplicated.
func (f *Family) TestRuns(elsewhere Elsewhere, sets ...*scores.Set) {
	f.testBy(func(on scores.Number, systems []*scores.System) *Replication {
		r := NewReplication(on, systems)
		r.lend(systems, elsewhere)
		return r
	}, sets)
}

// lend gives systems that were run once what is known of how runs vary.
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

// atLeast raises a bound to what the runs of any trained system vary by.
func (r *Replication) atLeast(bound stats.Seeds) *stats.Seeds {
	for _, s := range r.systems {
		bound.Variance = max(bound.Variance, r.seeds[s].Variance)
	}
	return &bound
}

// reseeds reports whether another seed makes another system: a drawn order varies by
// query only, which the values of queries show.
func reseeds(s *scores.System) bool {
	return s.Kind == table.Trained || s.Kind != table.Null && s.Config()[results.Seed] != ""
}

// keep notes what was tested, and whether nothing tells how its runs vary: then P is by the
// bound, or 1 without one. What is not trained comes out the same of the same seed.
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

// Smallest is the smallest true difference that the test of a contrast of TestRuns finds
// with a chance of power at level alpha.
func (c *Contrast) Smallest(power, alpha float64) stats.Number {
	found := c.layout.Smallest(0, power, alpha, c.runs...)
	if _, ok := found.Get(); !ok {
		return c.Estimate.Smallest(power, alpha)
	}
	return found
}

// RunsFor is how many runs of each trained system would find a true difference of a
// size with a chance of power at level alpha. ok is false where none of up to 64 would,
// or nothing was trained.
func (c *Contrast) RunsFor(size, power, alpha float64) (runs int, ok bool) {
	const most = 64
	for runs = 2; runs <= most; runs++ {
		if found, ok := c.layout.Smallest(runs, power, alpha, c.runs...).Get(); ok && found <= size {
			return runs, true
		}
	}
	return 0, false
}

// Pooled gives each of some systems what is known of how runs vary: of all together, or
// of it alone where a test tells them apart.
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
