// Package contrast compares systems: every paired test with its interval and its
// correction over a family, ranks, and main effects. It is the one place that
// aligns the values of systems, tests what differs and words what that shows; it
// makes no table of it.
package contrast

import (
	"fmt"

	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// Significant is the level that Holm-corrected p-values are held against.
const Significant = 0.05

// Level is the coverage of all intervals.
const Level = 0.95

// Contrast is one paired comparison: how far B lies above A on a number. What a
// test finds means nothing where Why is set.
type Contrast struct {
	A, B  *scores.System
	On    scores.Number
	pairs []Pairing // where set, their runs of one seed are compared; A and B are the first of them

	N           int            // pairs of values behind the test
	Runs        int            // pairs of runs of one seed behind it
	Dropped     int            // queries that only one of the two has a value for
	Lost        int            // of these, those that only A has
	Difference  float64        // mean of B less that of A
	Effect      stats.Number   // Cohen's d_z
	Interval    stats.Interval // of the difference
	Method      string         // how P was found
	P, Adjusted float64        // Adjusted is corrected over the family
	Why         string         // why there is no test; empty where there is one

	From *table.Link
}

// Verdict is what a corrected test allows to say of a difference.
type Verdict string

// The verdicts. Differs is said of measures of which neither direction is better.
const (
	Better   Verdict = "better"
	Worse    Verdict = "worse"
	Differs  Verdict = "differs"
	Unshown  Verdict = "no difference shown"
	Untested Verdict = "not tested"
)

// Verdict judges B against A by a measure of direction d.
func (c *Contrast) Verdict(d metrics.Direction) Verdict {
	switch {
	case c.Why != "":
		return Untested
	case c.Adjusted > Significant || c.Difference == 0:
		return Unshown
	case d.Better(c.Difference, 0):
		return Better
	case d.Better(0, c.Difference):
		return Worse
	}
	return Differs
}

// Judged is the verdict by the contrast's own measure.
func (c *Contrast) Judged() Verdict { return c.Verdict(c.On.Direction()) }

// Shown reports whether the test tells B and A apart.
func (c *Contrast) Shown() bool { return c.Judged().Shown() }

// Shown reports whether a verdict is that there is a difference.
func (v Verdict) Shown() bool { return v == Better || v == Worse || v == Differs }

// Words is the verdict as tables have it: on which side B lies, said to be better
// or worse where that is not plain.
func (c *Contrast) Words() string {
	v, side := c.Judged(), "lower"
	if c.Difference > 0 {
		side = "higher"
	}
	switch {
	case v == Untested:
		return string(v) + ": " + c.Why
	case !v.Shown():
		return string(v)
	case c.On.Direction() == metrics.Lower:
		return fmt.Sprintf("%s (%s)", side, v)
	}
	return side
}

// Entry is the verdict in a table.
func (c *Contrast) Entry() table.Entry { return table.Entry{Text: c.Words(), Tone: c.Judged().Tone()} }

// Sides says on which side of a number the better ones lie, and the others.
func Sides(d metrics.Direction) (better, worse string) {
	if d == metrics.Lower {
		return "below", "above"
	}
	return "above", "below"
}

// Tone colours a verdict.
func (v Verdict) Tone() table.Tone {
	return map[Verdict]table.Tone{Better: table.Better, Worse: table.Worse, Untested: table.Absent}[v]
}

// sample is what a contrast is computed from.
type sample struct {
	a, b []float64   // of A and B, item by item
	rows [][]float64 // b − a, a row for each replicate: seeds, or one row where they were averaged first
}

// test fills in what the values show.
func (c *Contrast) test(how PairedTest) error {
	x := c.sample()
	if c.Why != "" {
		return nil
	}
	found, err := how.Run(x.a, x.b)
	if err != nil {
		return err
	}
	c.N, c.Difference, c.P, c.Method = found.N, found.MeanDifference, found.P, found.Method
	if how.Interval != nil {
		c.Effect, c.Interval = stats.CohenDz(x.a, x.b), how.Interval(x.rows...)
	}
	return nil
}

// sample gathers the values, or says why there is nothing to test.
func (c *Contrast) sample() sample {
	if c.pairs != nil {
		return c.bySeed()
	}
	found, whole := align([]valuer{c.A.PerQuery, c.B.PerQuery}, c.On.Slots())
	c.Lost, c.Dropped = found.lacking[0], found.lacking[0]+found.lacking[1]
	switch {
	case c.A.Aggregated(c.On) || c.B.Aggregated(c.On):
		c.Why = "a mean is known only, not its queries"
	case !whole && c.B.Empty(c.On):
		c.Why = "no value"
	case !whole:
		c.Why = "a task has no query that both have a value for"
	case len(found.queries) < 2:
		c.Why = "fewer than two queries have a value of both"
	}
	if c.Why != "" {
		return sample{}
	}
	weigh(found.values[0], found.sizes)
	weigh(found.values[1], found.sizes)
	return sample{found.values[0], found.values[1], [][]float64{MinusRows(found.values[1], found.values[0])}}
}

// Moved is a query with its values under A and B, means over their trials.
type Moved struct {
	Query  string  `json:"query"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Moved lists up to most queries whose values differ, the largest difference first.
func (c *Contrast) Moved(most int) []Moved {
	found, _ := align([]valuer{c.A.PerQuery, c.B.PerQuery}, c.On.Slots())
	var out []Moved
	for _, i := range stats.Moved(found.values[0], found.values[1], most) {
		out = append(out, Moved{found.queries[i], found.values[0][i], found.values[1][i]})
	}
	return out
}
