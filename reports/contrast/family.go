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
	"infbench/runners/results"
)

// Family is a set of contrasts with one Holm correction.
type Family struct {
	Contrasts []*Contrast

	// Set if the family compares all systems with a reference on all main numbers (or all
	// slices) of a benchmark. Contrasts are sorted by column, then system.
	Benchmark string
	Reference string // label, or DefaultReference
	Columns   []scores.Number

	filed sync.Once
	of    map[*scores.System][]*Contrast // by B, made on first use
}

// Method names the tests of contrasts.
const Method = "t tests over queries and training runs"

// On returns the contrasts of one column.
func (f *Family) On(c scores.Number) []*Contrast {
	return slices.DeleteFunc(slices.Clone(f.Contrasts), func(have *Contrast) bool { return !have.On.Same(c) })
}

// Of returns the contrast of a system on a column, or nil if there is none.
//
//plain:ok the name of the method
func (f *Family) Of(s *scores.System, c scores.Number) *Contrast {
	f.filed.Do(func() {
		f.of = map[*scores.System][]*Contrast{}
		for _, have := range f.Contrasts {
			f.of[have.B] = append(f.of[have.B], have)
		}
	})
	i := slices.IndexFunc(f.of[s], func(have *Contrast) bool { return have.On.Same(c) })
	if i < 0 {
		return nil
	}
	return f.of[s][i]
}

// tested returns the contrasts that have a p-value.
func (f *Family) tested() []*Contrast {
	return slices.DeleteFunc(slices.Clone(f.Contrasts), func(c *Contrast) bool { return c.Why != "" })
}

// Tested counts the contrasts that have a p-value.
func (f *Family) Tested() int { return len(f.tested()) }

// Test tests every contrast, then corrects the p-values. All tests and corrections go
// through Test. Runs are pooled over the systems of all sets.
func (f *Family) Test(sets ...*scores.Set) {
	replication := NewReplication
	if len(sets) == 1 {
		replication = func(on scores.Number, _ []*scores.System) *Replication { return ReplicationOf(sets[0], on) }
	}
	f.testBy(replication, sets)
}

// testBy tests the contrasts. replication returns the variance of runs for a number and
// the systems of the sets.
func (f *Family) testBy(replication func(scores.Number, []*scores.System) *Replication, sets []*scores.Set) {
	var systems []*scores.System
	for _, v := range sets {
		systems = append(systems, v.Systems...)
	}
	var known []*Replication
	of := make([]*Replication, len(f.Contrasts))
	for i, c := range f.Contrasts {
		at := slices.IndexFunc(known, func(r *Replication) bool { return r.On.Same(c.On) })
		if at < 0 {
			at, known = len(known), append(known, replication(c.On, systems))
		}
		of[i] = known[at]
	}
	parallel.Each(len(f.Contrasts), func(i int) {
		if c := f.Contrasts[i]; c.Why == "" {
			c.test(of[i])
		}
	})
	f.Correct()
}

// Correct sets Holm's adjusted p-values of the tested contrasts and the level of their
// simultaneous intervals: each interval has the level 1 − .05 divided by their number, or
// its weighted share. A difference can be significant by Holm even if its interval
// includes 0 (see ByHolmAlone).
func (f *Family) Correct() {
	tested := f.tested()
	ps, fixed, weights := make([]float64, len(tested)), make([]float64, len(tested)), make([]float64, len(tested))
	total := 0.0
	for i, c := range tested {
		ps[i], fixed[i], weights[i] = c.P, c.fixed, c.Weight
		total += c.Weight
	}
	holm := stats.Holm
	if total > 0 {
		holm = func(p []float64) []float64 { return stats.HolmWeighted(p, weights) }
	}
	adjusted, atHand := holm(ps), holm(fixed)
	for i, c := range tested {
		c.Adjusted, c.AtHand = adjusted[i], atHand[i]
		c.TheseSeedsToo = adjusted[i] > Significant && atHand[i] <= Significant
		if c.together = len(tested); total > 0 {
			c.together = int(math.Ceil(total/c.Weight - 1e-9)) // up to rounding
		}
	}
}

// Bounded reports whether a contrast was tested and has an interval.
func (c *Contrast) Bounded() bool {
	return c.Why == "" && c.together > 0 && c.Estimate.Bounded(1-Significant/float64(c.together))
}

// Interval returns the interval of the difference, simultaneous over the family. It is
// computed on demand, because it needs a quantile and a report shows only some of
// thousands of contrasts.
func (c *Contrast) Interval() stats.Interval {
	if c.together == 0 {
		return stats.Interval{}
	}
	return c.Estimate.Simultaneous(Level, c.together)
}

// ByHolmAlone reports whether a difference is significant by Holm's step-down correction
// although its simultaneous interval includes 0.
func (c *Contrast) ByHolmAlone() bool {
	return c.Shown() && c.Band == 0 && c.together > 0 && c.Estimate.StandardError > 0 && c.pOf(c.Estimate) > Significant/float64(c.together)
}

// HolmAlone is appended to a verdict for which ByHolmAlone is true.
const HolmAlone = "by Holm alone"

// HolmNotes explains the verdicts that are by Holm alone.
func HolmNotes(all []*Contrast) []string {
	n := 0
	for _, c := range all {
		if c != nil && c.ByHolmAlone() {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s shown %s: its step-down correction is more powerful than simultaneous intervals, which include 0 here.", words.Plural(n, "difference is", "differences are"), HolmAlone)}
}

// IntervalWords names the coverage of a family's intervals.
func (f *Family) IntervalWords() string {
	if n := f.Tested(); n > 1 {
		return fmt.Sprintf("95%% for all %d together", n)
	}
	return "95%"
}

// Compare tests every system against its reference on the columns of a benchmark. It
// returns nil if no system is a reference.
func Compare(v *scores.Set, name string, columns []scores.Number, reference string) *Family {
	f := &Family{Benchmark: name, Reference: reference, Columns: columns}
	of := references(v, reference)
	for _, col := range columns {
		cells := v.Cells(col)
		for _, s := range v.Systems {
			ref := of(s)
			if ref != nil && ref != s && cells(s).State != scores.Unplanned {
				c := &Contrast{A: ref, B: s, On: col, From: v.LinkTo("", s.Trials, col)}
				c.From.Against = v.Link("", ref.Trials, nil).Trials
				f.Contrasts = append(f.Contrasts, c)
			}
		}
	}
	if len(f.Contrasts) == 0 {
		return nil
	}
	f.Test(v)
	f.Name(fmt.Sprintf("%s with %s on %s", words.Plural(f.Tested(), "comparison", "comparisons"), reference, name))
	return f
}

// Name sets the result of Contrast.Family for the contrasts of a family.
func (f *Family) Name(together string) {
	for _, c := range f.Contrasts {
		c.family = together
	}
}

// Means estimates the mean of each system that has a value on each of some numbers, by
// number, then system. Its p-values test a mean of 0.
func Means(v *scores.Set, columns []scores.Number) *Family {
	f := &Family{Columns: columns}
	for _, col := range columns {
		for _, s := range v.Systems {
			if v.Cell(s, col).State.Valued() {
				f.Contrasts = append(f.Contrasts, &Contrast{B: s, On: col})
			}
		}
	}
	f.Test(v)
	return f
}

// Singly estimates the means of systems like Means, but on demand, for reports that show
// only some of thousands.
type Singly struct{ set *scores.Set }

// NewSingly returns a Singly for the systems of a set.
func NewSingly(v *scores.Set) Singly { return Singly{v} }

// Of estimates a system's mean on a number; nil if it has no value.
//
//plain:ok the name of the method
func (e Singly) Of(s *scores.System, on scores.Number) *Contrast {
	if !e.set.Cell(s, on).State.Valued() {
		return nil
	}
	c := &Contrast{B: s, On: on}
	c.test(ReplicationOf(e.set, on))
	return c
}

// Reference returns the system that s is compared with: the one with the label reference,
// or the start of s if reference is DefaultReference. It returns nil if there is none.
func Reference(v *scores.Set, s *scores.System, reference string) *scores.System {
	return references(v, reference)(s)
}

// references is like Reference, for many systems.
func references(v *scores.Set, reference string) func(s *scores.System) *scores.System {
	if reference == DefaultReference {
		starts := slices.DeleteFunc(slices.Clone(v.Systems), func(r *scores.System) bool {
			return r.Model != DefaultReference || r.Kind == table.Trained
		})
		return func(s *scores.System) *scores.System { return startOf(s, starts) }
	}
	i := slices.IndexFunc(v.Systems, func(r *scores.System) bool { return r.Label == reference })
	return func(*scores.System) *scores.System {
		if i < 0 {
			return nil
		}
		return v.Systems[i]
	}
}

// startOf returns the state of a system before its first training step. This is the one of
// starts whose configuration shares most settings with s; among equals, the one with
// fewest differing settings. It returns nil if there is none or if several are equally
// close: then the start is not known.
func startOf(s *scores.System, starts []*scores.System) *scores.System {
	var best *scores.System
	var most [3]int
	tied := false
	for _, r := range starts {
		var near [3]int
		for key, value := range r.Config() {
			if s.Config()[key] == value {
				near[0]++
			} else if key != results.Model && key != results.Seed {
				near[1]--
			}
		}
		if r.Trials[0].Experiment == s.Trials[0].Experiment {
			near[2]++
		}
		switch c := slices.Compare(near[:], most[:]); {
		case best == nil || c > 0:
			best, most, tied = r, near, false
		case c == 0:
			tied = true
		}
	}
	if tied {
		return nil
	}
	return best
}

// DefaultReference is the model that training must beat: the same network before its first
// step.
const DefaultReference = "untrained"
