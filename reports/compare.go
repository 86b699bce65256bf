package reports

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"infbench/metrics/stats"
)

// significant is the level that Holm-corrected p-values are held against.
const significant = 0.05

// coverage of all intervals.
const level = 0.95

// Comparison is a paired test of one system against its reference on one
// number of the leaderboard.
type Comparison struct {
	System    string
	Kind      Kind
	Reference string
	At        slot // Task is empty where the number is a mean over tasks
	Test      stats.Test
	Effect    stats.Number   // Cohen's d_z
	Interval  stats.Interval // BCa bootstrap of the mean difference
	Holm      float64        // P corrected over the family
	Dropped   int            // queries that only one of the two has a value for
	Why       string         // why there is no test; empty where there is one

	of   column
	from *Link
}

// Verdict words what the corrected test allows to say.
func (c *Comparison) Verdict() string {
	switch {
	case c.Why != "":
		return "not tested: " + c.Why
	case c.Holm > significant || c.Test.MeanDifference == 0:
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
	Columns     []column
	Comparisons []*Comparison // by column, then system
}

// on lists the comparisons of one column.
func (f *Family) on(c column) []*Comparison {
	return slices.Collect(func(yield func(*Comparison) bool) {
		for _, have := range f.Comparisons {
			if have.of.scoring() == c.scoring() && slices.Equal(have.of.Tasks, c.Tasks) && !yield(have) {
				return
			}
		}
	})
}

// tested counts the comparisons that have a p-value.
func (f *Family) tested() int {
	n := 0
	for _, c := range f.Comparisons {
		if c.Why == "" {
			n++
		}
	}
	return n
}

// compare tests every system against its reference on the columns of a
// benchmark. It returns nil where no system is a reference.
func (v *view) compare(name string, columns []column, o Options) (*Family, error) {
	f := &Family{Benchmark: name, Reference: o.Reference, Columns: columns}
	type pair struct {
		s, ref *system
		col    column
	}
	var pairs []pair
	for _, col := range columns {
		for _, s := range v.systems {
			ref := v.reference(s, o.Reference)
			if ref != nil && ref != s && v.cell(s, col).State != Unplanned {
				pairs = append(pairs, pair{s, ref, col})
			}
		}
	}
	if len(pairs) == 0 {
		return nil, nil
	}
	f.Comparisons = make([]*Comparison, len(pairs))
	how := o.pairedTest(len(pairs))
	f.Method = how.words
	err := inParallel(len(pairs), func(i int) (err error) {
		p := pairs[i]
		if f.Comparisons[i], err = test(p.s, p.ref, p.col, how); err != nil {
			return fmt.Errorf("%s against %s on %s: %w", p.s.label, p.ref.label, p.col.test(), err)
		}
		f.Comparisons[i].from = v.link("", p.s.trials, p.col.slots())
		f.Comparisons[i].from.Against = v.link("", p.ref.trials, nil).Trials
		return nil
	})
	if err != nil {
		return nil, err
	}
	f.correct()
	return f, nil
}

// inParallel calls do for 0 to n-1 on all processors. Each call has its own
// random source, so the results do not depend on how many there are.
func inParallel(n int, do func(i int) error) error {
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

// reference finds what a system is compared with: among the systems of that
// model, the one whose configuration agrees with it in most keys, the first of
// equals. nil where there is none.
func (v *view) reference(s *system, model string) *system {
	var best *system
	most := -1
	for _, r := range v.systems {
		if r.model != model || r.kind == Trained {
			continue
		}
		agree := 0
		for key, value := range r.config() {
			if s.config()[key] == value {
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
func test(s, ref *system, col column, how pairedTest) (*Comparison, error) {
	c := &Comparison{System: s.label, Kind: s.kind, Reference: ref.label, of: col,
		At: slot{Benchmark: col.Benchmark, Side: col.Side, Measure: col.Measure}}
	if len(col.Tasks) == 1 {
		c.At.Task = col.Tasks[0]
	}
	a, b, dropped, whole := paired(ref, s, col)
	c.Dropped = dropped
	switch {
	case s.aggregated(col) || ref.aggregated(col):
		c.Why = "a mean is known only, not its queries"
		return c, nil
	case !whole:
		c.Why = "a task has no query that both have a value for"
		if s.empty(col) {
			c.Why = "no value"
		}
		return c, nil
	case len(a) < 2:
		c.Why = "fewer than two queries have a value of both"
		return c, nil
	}
	var err error
	if c.Test, err = how.run(a, b); err != nil {
		return nil, err
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = b[i] - a[i]
	}
	c.Effect = stats.CohenDz(a, b)
	c.Interval = how.interval(d)
	return c, nil
}

// paired returns the values of two systems query by query. Over several tasks
// each value is weighted by (all queries)/(tasks × queries of its task), which
// makes the plain mean of the weighted values the unweighted mean over tasks;
// with one task the weight is 1. whole is false where a task has no pair.
func paired(ref, s *system, col column) (a, b []float64, dropped int, whole bool) {
	sizes := make([]int, 0, len(col.Tasks))
	for _, at := range col.slots() {
		refQueries, refValues := ref.perQuery(at)
		queries, values := s.perQuery(at)
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

// table lists the comparisons of one column.
func (f *Family) table(id string, col column) *Table {
	t := &Table{ID: id,
		Title: fmt.Sprintf("%s on %s against %s", col.scoring(), col.test(), f.Reference),
		Columns: []Column{{Name: "system"}, {Name: "n", Number: true}, {Name: "difference", Number: true},
			{Name: "95% interval", Number: true}, {Name: "d_z", Number: true}, {Name: "p", Number: true}, {Name: "p (Holm)", Number: true}, {Name: "verdict"}},
	}
	for _, c := range f.on(col) {
		t.Rows = append(t.Rows, c.row())
		if c.Dropped > 0 && c.Why == "" {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: left out %s that only one of the two systems has a value for.",
				c.System, plural(c.Dropped, "query", "queries")))
		}
	}
	return t
}

func (c *Comparison) row() Row {
	verdict := Entry{Text: c.Verdict()}
	if c.Why != "" {
		dash := Entry{Text: undefinedMark, Tone: Absent}
		verdict.Tone = Absent
		return Row{Kind: c.Kind, Entries: []Entry{{Text: c.System}, dash, dash, dash, dash, dash, dash, verdict}}
	}
	switch verdict.Text {
	case "higher":
		verdict.Tone = Better
	case "lower":
		verdict.Tone = Worse
	}
	return Row{Kind: c.Kind, Entries: []Entry{
		{Text: c.System},
		c.number(StatCount, group(c.Test.N), float64(c.Test.N)),
		c.number(StatDifference, signed(c.Test.MeanDifference), c.Test.MeanDifference),
		c.number(StatBetween, interval(c.Interval), c.Interval.Low),
		c.effect(),
		c.number(StatP, pValue(c.Test.P), c.Test.P),
		c.number(StatHolm, pValue(c.Holm), c.Holm),
		verdict,
	}}
}

// number is an entry that links to what c compares.
func (c *Comparison) number(stat, text string, v float64) Entry {
	e := number(text, v)
	e.From = c.from.as(stat)
	return e
}

// effect words the effect size, which is undefined where the differences do not
// vary.
func (c *Comparison) effect() Entry {
	v, ok := c.Effect.Get()
	if !ok {
		return Entry{Text: undefinedMark, Tone: Absent}
	}
	return c.number(StatEffect, c.Effect.Format(2), v)
}
