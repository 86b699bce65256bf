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

// Family is the contrasts that one Holm correction runs over.
type Family struct {
	Contrasts []*Contrast

	// Of all systems against a reference on all main numbers (or all slices) of a
	// benchmark, contrasts being by column, then system.
	Benchmark string
	Reference string // label, or DefaultReference
	Columns   []scores.Number

	filed sync.Once
	of    map[*scores.System][]*Contrast // by B, made when first asked for
}

// Method is how contrasts are tested, in words.
const Method = "t tests over queries and training runs"

// On lists the contrasts of one column.
func (f *Family) On(c scores.Number) []*Contrast {
	return slices.DeleteFunc(slices.Clone(f.Contrasts), func(have *Contrast) bool { return !have.On.Same(c) })
}

// Of finds the contrast of a system on a column, nil where there is none.
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

// tested lists the contrasts that have a p-value.
func (f *Family) tested() []*Contrast {
	return slices.DeleteFunc(slices.Clone(f.Contrasts), func(c *Contrast) bool { return c.Why != "" })
}

// Tested counts the contrasts that have a p-value.
func (f *Family) Tested() int { return len(f.tested()) }

// Test runs the test of every contrast, then corrects: the one place that both go
// through. Runs are pooled over the systems of all sets.
func (f *Family) Test(sets ...*scores.Set) {
	replication := NewReplication
	if len(sets) == 1 {
		replication = func(on scores.Number, _ []*scores.System) *Replication { return ReplicationOf(sets[0], on) }
	}
	f.testBy(replication, sets)
}

// testBy tests with what replication makes of a number and the systems of some sets.
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

// Correct fills in Holm's adjusted p-values over the tested contrasts, which have intervals
// that hold together: each by itself at 1 − .05 over their number, or at its share. Holm may
// show a difference that this leaves open (see ByHolmAlone).
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
			c.together = int(math.Ceil(total/c.Weight - 1e-9)) // but for rounding
		}
	}
}

// Bounded reports whether a contrast was tested and has an interval.
func (c *Contrast) Bounded() bool {
	return c.Why == "" && c.together > 0 && c.Estimate.Bounded(1-Significant/float64(c.together))
}

// Interval is that of the difference, with those of the family. It takes a quantile, and
// of thousands of contrasts a report shows some.
func (c *Contrast) Interval() stats.Interval {
	if c.together == 0 {
		return stats.Interval{}
	}
	return c.Estimate.Simultaneous(Level, c.together)
}

// ByHolmAlone reports whether Holm's correction, which steps down, shows a difference that
// the interval leaves open, which holds together with those of the family.
func (c *Contrast) ByHolmAlone() bool {
	return c.Shown() && c.Band == 0 && c.together > 0 && c.Estimate.StandardError > 0 && c.pOf(c.Estimate) > Significant/float64(c.together)
}

// HolmAlone is said of a verdict that ByHolmAlone is true of.
const HolmAlone = "by Holm alone"

// HolmNotes explain which of some verdicts are by Holm alone.
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
	return []string{fmt.Sprintf("%s shown %s: its correction steps down and finds more than intervals that hold together, which reach to the other side of 0.", words.Plural(n, "difference is", "differences are"), HolmAlone)}
}

// IntervalWords says what the intervals of a family hold.
func (f *Family) IntervalWords() string {
	if n := f.Tested(); n > 1 {
		return fmt.Sprintf("95%% for all %d together", n)
	}
	return "95%"
}

// Compare tests every system against its reference on the columns of a
// benchmark. It returns nil where no system is a reference.
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

// Name sets what Contrast.Family returns for the contrasts of a family.
func (f *Family) Name(together string) {
	for _, c := range f.Contrasts {
		c.family = together
	}
}

// Means estimates each system on its own, on each of some numbers: by number, then
// system, those with values. Its p-values are of a mean of 0.
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

// Singly estimates systems on their own as Means does, each when it is asked for: where
// some of thousands are shown.
type Singly struct{ set *scores.Set }

// NewSingly estimates systems of a set.
func NewSingly(v *scores.Set) Singly { return Singly{v} }

// Of estimates a system on a number, nil where it has no value.
func (e Singly) Of(s *scores.System, on scores.Number) *Contrast {
	if !e.set.Cell(s, on).State.Valued() {
		return nil
	}
	c := &Contrast{B: s, On: on}
	c.test(ReplicationOf(e.set, on))
	return c
}

// Reference finds what a system is compared with: the system of that label, or its start
// where that is DefaultReference. nil where there is none.
func Reference(v *scores.Set, s *scores.System, reference string) *scores.System {
	return references(v, reference)(s)
}

// references is Reference for one system after the other.
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

// startOf finds what a system was before its first step: the one whose configuration has
// most in common with its own, of equals the one with least of another. nil where there is
// none, or where several are as near: then none of them is known to be the start.
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

// DefaultReference is the model that training must beat: the same network
// before its first step.
const DefaultReference = "untrained"
