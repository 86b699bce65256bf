// Package contrast compares systems: estimates of a difference with its test, its
// interval and its correction over a family, ranks, and main effects. Only this package
// aligns the values of systems, tests differences and phrases what a test shows; it makes
// no tables.
//
// Queries are a sample, crossed with systems; training runs are a sample of their system;
// tasks are fixed. All tests are t tests of package metrics/stats: p is corrected by Holm
// over the family, and the intervals hold simultaneously with 95 %. An interval that leaves
// out 0 is of a difference that is shown; one that holds 0 may be, "by Holm alone".
package contrast

import (
	"fmt"
	"math"

	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// Significant is the level that Holm-corrected p-values are held against.
const Significant = 0.05

// Level is the coverage of all intervals: of one by itself, or of all of a family
// together.
const Level = 0.95

// Contrast is one comparison: how far B lies above A on a number, or one sum of
// systems above another. What a test finds means nothing where Why is set.
type Contrast struct {
	A, B  *scores.System // A is nil of the mean of B
	On    scores.Number
	terms []Term // where set, what is compared; A and B are the first of them

	// What the test is of: that the difference is Zero, or, with a Band, that it lies
	// no further than that from it (shown by two one-sided tests), or further.
	Zero, Band float64

	N          int     // queries behind the test
	Runs       int     // training runs behind it
	Dropped    int     // queries that only some of the systems have a value for
	Lost       int     // of these, those that A has
	Difference float64 // of B from A

	Estimate      stats.Estimate
	Further       stats.Interval // of the difference between one further run of each, by itself; no wider than it is where nothing was trained, undefined below LeastRuns of what was, and not said of effects
	P, Adjusted   float64        // Adjusted is corrected over the family
	OneRun        bool           // a system of it was trained once, and stands for that run
	TheseSeedsToo bool           // the runs at hand differ, whatever other runs would do
	Why           string         // why there is no test; empty where there is one

	Weight float64 // of its share in the level of a family, if all have one; else they share it alike

	// Of a family that TestRuns tested. Unreplicated says that a system was run once and
	// nothing tells how its runs vary: P is by a bound on that, or 1 without one, and AtHand
	// is all that is known.
	Unreplicated bool
	AtHand       float64 // P of the runs at hand, corrected over the family

	effect   bool    // a main effect or an interaction
	together int     // how many intervals hold together, of which this is one; 0 before there is one
	family   string  // what is corrected together: "24 comparisons with untrained on mini-followir"
	fixed    float64 // P of the runs at hand
	layout   stats.Layout
	runs     []stats.Term // what TestRuns tested
	From     *table.Link
}

// LeastRuns is how many training runs it takes to say where a further one may lie.
const LeastRuns = 3

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
	case c.Adjusted > Significant || stats.Compare(c.Difference, c.Zero) == 0:
		return Unshown
	case d.Better(c.Difference, c.Zero):
		return Better
	case d.Better(c.Zero, c.Difference):
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

// ThisRun is said of a verdict on a system that was trained once.
const ThisRun = "this run"

// TheseSeeds is said of a difference that other training runs may not have.
const TheseSeeds = "for these seeds only"

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
	case !v.Shown() && c.TheseSeedsToo:
		side = side + " " + TheseSeeds
	case !v.Shown():
		side = string(v)
	case c.On.Direction() == metrics.Lower:
		side = fmt.Sprintf("%s (%s)", side, v)
	}
	if c.OneRun {
		side += ", " + ThisRun
	}
	if c.ByHolmAlone() {
		side += ", " + HolmAlone
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

// systems lists the terms, B and A where nothing else is compared.
func (c *Contrast) systems() []Term {
	switch {
	case c.terms != nil:
		return c.terms
	case c.A == nil:
		return []Term{{c.B, 1}}
	}
	return []Term{{c.A, -1}, {c.B, 1}}
}

// test fills in what the values show.
func (c *Contrast) test(r *Replication) {
	terms := c.systems()
	x, coefficients := r.crossing(terms), coefficientsOf(terms)
	c.OneRun, c.Runs, c.Dropped = x.oneRun, x.runs, x.dropped
	c.Lost, c.N = x.found.lacking[0], len(x.found.queries)
	if c.Why = c.untestable(x); c.Why != "" {
		return
	}
	e, ok := x.estimate(r, coefficients)
	if !ok {
		c.Why = "fewer than two queries have a value of all"
		return
	}
	c.settle(e)
	c.fixed = c.pOf(e.AtHand())
	if r.unknown != nil {
		c.keep(r, x.found.Layout, x.terms(r, coefficients))
	}
	if x.replicated && !c.effect {
		c.Further = r.further(e.Value, x.terms(r, coefficients))
	}
}

// settle takes an estimate with the p-value of what the test is of.
func (c *Contrast) settle(e stats.Estimate) { c.Estimate, c.Difference, c.P = e, e.Value, c.pOf(e) }

// pOf is the p-value of what the test is of. With a band it is that of the side on
// which the estimate lies: of two one-sided tests inside it, and outside of a
// two-sided test that the difference is no further than the nearer end. The band's
// end, where both would be wrong at once, is on one side of the claim.
func (c *Contrast) pOf(e stats.Estimate) float64 {
	e.Value -= c.Zero
	if c.Band == 0 {
		return e.P()
	}
	if beyond := math.Abs(e.Value) - c.Band; beyond >= 0 {
		e.Value = beyond
		return e.P()
	}
	return e.Within(c.Band)
}

// untestable says why there is nothing to test.
func (c *Contrast) untestable(x *crossing) string {
	switch {
	case x.untestable != "":
		return x.untestable
	case !x.whole && c.B.Empty(c.On):
		return "no value"
	case !x.whole:
		return "a task has no query that all have a value for"
	}
	return ""
}

// Moved is a query with its values under A and B, means over their trials.
type Moved struct {
	Query  string  `json:"query"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Moved lists up to most queries whose values differ, the largest difference first.
func (c *Contrast) Moved(most int) []Moved {
	found, _ := align([]valuer{c.A.PerQuery, c.B.PerQuery}, c.On)
	var out []Moved
	for _, i := range stats.Moved(found.values[0], found.values[1], most) {
		out = append(out, Moved{found.queries[i], found.values[0][i], found.values[1][i]})
	}
	return out
}
