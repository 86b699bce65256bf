// Package contrast compares systems: every paired test with its interval and its
// correction over a family, ranks, and main effects.
package contrast

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// Significant is the level that Holm-corrected p-values are held against.
const Significant = 0.05

// coverage of all intervals.
const Level = 0.95

// Comparison is a paired test of one system against its reference on one
// number of the leaderboard.
type Comparison struct {
	System    string
	Kind      table.Kind
	Reference string
	At        scores.Slot // Task is empty where the number is a mean over tasks
	Test      stats.Test
	Effect    stats.Number   // Cohen's d_z
	Interval  stats.Interval // BCa bootstrap of the mean difference
	Holm      float64        // P corrected over the family
	Dropped   int            // queries that only one of the two has a value for
	Why       string         // why there is no test; empty where there is one

	Of   scores.Number
	From *table.Link
}

// Verdict words what the corrected test allows to say.
func (c *Comparison) Verdict() string {
	switch {
	case c.Why != "":
		return "not tested: " + c.Why
	case c.Holm > Significant || c.Test.MeanDifference == 0:
		return "no difference shown"
	case c.Test.MeanDifference > 0:
		return "higher"
	}
	return "lower"
}

// Family is the set of comparisons that one Holm correction runs over: all
// systems on all main numbers (or all slices) of one benchmark.
type Family struct {
	Benchmark   string
	Reference   string // model name
	Method      string // of the tests, in words
	Columns     []scores.Number
	Comparisons []*Comparison // by column, then system
}

// On lists the comparisons of one column.
func (f *Family) On(c scores.Number) []*Comparison {
	return slices.Collect(func(yield func(*Comparison) bool) {
		for _, have := range f.Comparisons {
			if have.Of.Scoring() == c.Scoring() && slices.Equal(have.Of.Tasks, c.Tasks) && !yield(have) {
				return
			}
		}
	})
}

// Tested counts the comparisons that have a p-value.
func (f *Family) Tested() int {
	n := 0
	for _, c := range f.Comparisons {
		if c.Why == "" {
			n++
		}
	}
	return n
}

// Compare tests every system against its reference on the columns of a
// benchmark. It returns nil where no system is a reference.
func Compare(v *scores.Set, name string, columns []scores.Number, o Options) (*Family, error) {
	f := &Family{Benchmark: name, Reference: o.Reference, Columns: columns}
	type pair struct {
		s, ref *scores.System
		col    scores.Number
	}
	var pairs []pair
	for _, col := range columns {
		for _, s := range v.Systems {
			ref := Reference(v, s, o.Reference)
			if ref != nil && ref != s && v.Cell(s, col).State != scores.Unplanned {
				pairs = append(pairs, pair{s, ref, col})
			}
		}
	}
	if len(pairs) == 0 {
		return nil, nil
	}
	f.Comparisons = make([]*Comparison, len(pairs))
	how := o.PairedTest(len(pairs))
	f.Method = how.Words
	err := InParallel(len(pairs), func(i int) (err error) {
		p := pairs[i]
		if f.Comparisons[i], err = test(p.s, p.ref, p.col, how); err != nil {
			return fmt.Errorf("%s against %s on %s: %w", p.s.Label, p.ref.Label, p.col.Test(), err)
		}
		f.Comparisons[i].From = v.Link("", p.s.Trials, p.col.Slots())
		f.Comparisons[i].From.Against = v.Link("", p.ref.Trials, nil).Trials
		return nil
	})
	if err != nil {
		return nil, err
	}
	f.correct()
	return f, nil
}

// InParallel calls do for 0 to n-1 on all processors. Each call has its own
// random source, so the results do not depend on how many there are.
func InParallel(n int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}

// correct fills in Holm's adjusted p-values over the tested comparisons.
func (f *Family) correct() {
	var tested []*Comparison
	var ps []float64
	for _, c := range f.Comparisons {
		if c.Why == "" {
			tested = append(tested, c)
			ps = append(ps, c.Test.P)
		}
	}
	for i, adjusted := range stats.Holm(ps) {
		tested[i].Holm = adjusted
	}
}

// Reference finds what a system is compared with: among the systems of that
// model, the one whose configuration agrees with it in most keys, the first of
// equals. nil where there is none.
func Reference(v *scores.Set, s *scores.System, model string) *scores.System {
	var best *scores.System
	most := -1
	for _, r := range v.Systems {
		if r.Model != model || r.Kind == table.Trained {
			continue
		}
		agree := 0
		for key, value := range r.Config() {
			if s.Config()[key] == value {
				agree++
			}
		}
		if agree > most {
			best, most = r, agree
		}
	}
	return best
}

// test compares one system with its reference on one column by the queries that
// both have a value for.
func test(s, ref *scores.System, col scores.Number, how PairedTest) (*Comparison, error) {
	c := &Comparison{System: s.Label, Kind: s.Kind, Reference: ref.Label, Of: col,
		At: scores.Slot{Benchmark: col.Benchmark, Side: col.Side, Measure: col.Measure}}
	if len(col.Tasks) == 1 {
		c.At.Task = col.Tasks[0]
	}
	a, b, dropped, whole := paired(ref, s, col)
	c.Dropped = dropped
	switch {
	case s.Aggregated(col) || ref.Aggregated(col):
		c.Why = "a mean is known only, not its queries"
		return c, nil
	case !whole:
		c.Why = "a task has no query that both have a value for"
		if s.Empty(col) {
			c.Why = "no value"
		}
		return c, nil
	case len(a) < 2:
		c.Why = "fewer than two queries have a value of both"
		return c, nil
	}
	var err error
	if c.Test, err = how.Run(a, b); err != nil {
		return nil, err
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = b[i] - a[i]
	}
	c.Effect = stats.CohenDz(a, b)
	c.Interval = how.Interval(d)
	return c, nil
}

// paired returns the values of two systems query by query. Over several tasks
// each value is weighted by (all queries)/(tasks × queries of its task), which
// makes the plain mean of the weighted values the unweighted mean over tasks;
// with one task the weight is 1. whole is false where a task has no pair.
func paired(ref, s *scores.System, col scores.Number) (a, b []float64, dropped int, whole bool) {
	sizes := make([]int, 0, len(col.Tasks))
	for _, at := range col.Slots() {
		refQueries, refValues := ref.PerQuery(at)
		queries, values := s.PerQuery(at)
		size := 0
		for i, q := range queries {
			if j, ok := slices.BinarySearch(refQueries, q); ok {
				a = append(a, refValues[j])
				b = append(b, values[i])
				size++
			}
		}
		dropped += len(refQueries) + len(queries) - 2*size
		if size == 0 {
			return nil, nil, dropped, false
		}
		sizes = append(sizes, size)
	}
	weigh(a, sizes)
	weigh(b, sizes)
	return a, b, dropped, true
}

// weigh multiplies the values of each task, one after the other and sizes long,
// by the weight that makes the plain mean the unweighted mean over tasks.
func weigh(values []float64, sizes []int) {
	i := 0
	for _, size := range sizes {
		weight := float64(len(values)) / float64(len(sizes)*size)
		for j := range size {
			if math.Abs(weight-1) >= 1e-12 { // equal sizes: leave the values as they are
				values[i+j] *= weight
			}
		}
		i += size
	}
}
