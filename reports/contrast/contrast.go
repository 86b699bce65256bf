// Package contrast compares systems. It estimates differences with their tests, intervals
// and corrections over a family, as well as ranks and main effects. Only this package
// aligns the values of systems, tests differences and phrases the results of tests. It
// makes no tables.
//
// Queries are a sample, crossed with systems; training runs are a sample of their system;
// tasks are fixed. All tests are t tests of package metrics/stats. Their p-values are
// corrected by Holm over the family, and the intervals hold simultaneously with 95 %. If
// an interval excludes 0, the difference is significant. If it includes 0, the difference
// can still be significant "by Holm alone".
package contrast

import (
	"fmt"
	"math"

	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// Significant is the significance level for Holm-corrected p-values.
const Significant = 0.05

// Level is the coverage of all intervals, single or simultaneous.
const Level = 0.95

// Contrast is one comparison: the difference of B from A on a number, or of two sums of
// systems. The results of a test are meaningless if Why is set.
type Contrast struct {
	A, B  *scores.System // A is nil if the contrast is the mean of B
	On    scores.Number
	terms []Term // if set, the terms compared; A and B are the first of them

	// The tested hypothesis: the difference is Zero or, with a Band, lies within Band of
	// Zero (shown by two one-sided tests) or outside.
	Zero, Band float64

	N          int     // queries in the test
	Runs       int     // training runs in the test
	Dropped    int     // queries that only some of the systems have a value for
	Lost       int     // those of Dropped that A has
	Difference float64 // B minus A

	Estimate      stats.Estimate
	Further       stats.Interval // interval, not simultaneous, for the difference between one more run of each; it equals the point if nothing was trained, and is undefined for effects and for fewer than LeastRuns runs of a trained system
	P, Adjusted   float64        // Adjusted is corrected over the family
	OneRun        bool           // a system was trained once, so the result is about that run
	TheseSeedsToo bool           // significant for these runs, but not for other runs
	Why           string         // the reason if there is no test, else ""

	Weight float64 // weight of its share in the level of a family if all contrasts have one; else shares are equal

	// Set for families tested by TestRuns. Unreplicated means that a system was run once
	// and the variance of its runs is unknown. P then uses a bound on that variance, or is
	// 1 without one; only AtHand is reliable.
	Unreplicated bool
	AtHand       float64 // P for the available runs only, corrected over the family

	effect   bool    // a main effect or an interaction
	together int     // number of simultaneous intervals that include this one; 0 before Correct
	family   string  // name of the family: "24 comparisons with untrained on mini-followir"
	fixed    float64 // P for the available runs only
	layout   stats.Layout
	runs     []stats.Term // the terms that TestRuns tested
	From     *table.Link
}

// LeastRuns is the number of training runs needed to predict a further one.
const LeastRuns = 3

// Verdict is the result of a corrected test of a difference.
type Verdict string

// The verdicts. Differs is for measures without a better direction.
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

// Judged returns the verdict by the contrast's own measure.
func (c *Contrast) Judged() Verdict { return c.Verdict(c.On.Direction()) }

// Shown reports whether the difference of B and A is significant.
func (c *Contrast) Shown() bool { return c.Judged().Shown() }

// Shown reports whether a verdict states a difference.
func (v Verdict) Shown() bool { return v == Better || v == Worse || v == Differs }

// ThisRun is appended to a verdict on a system that was trained once.
const ThisRun = "this run"

// TheseSeeds is appended to a difference that other training runs may not have.
const TheseSeeds = "for these seeds only"

// Words formats the verdict for tables: whether B is higher or lower and, if lower is
// better, whether that is better or worse.
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

// Entry returns the verdict as a table entry.
func (c *Contrast) Entry() table.Entry { return table.Entry{Text: c.Words(), Tone: c.Judged().Tone()} }

// Sides returns the words for the better and the worse side of a number.
func Sides(d metrics.Direction) (better, worse string) {
	if d == metrics.Lower {
		return "below", "above"
	}
	return "above", "below"
}

// Tone returns the colour of a verdict.
func (v Verdict) Tone() table.Tone {
	return map[Verdict]table.Tone{Better: table.Better, Worse: table.Worse, Untested: table.Absent}[v]
}

// systems returns the terms, which are B and A by default.
func (c *Contrast) systems() []Term {
	switch {
	case c.terms != nil:
		return c.terms
	case c.A == nil:
		return []Term{{c.B, 1}}
	}
	return []Term{{c.A, -1}, {c.B, 1}}
}

// test computes the estimate and the test from the values.
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
		c.Why = "fewer than two queries have a value for all systems"
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

// settle sets an estimate and its p-value.
func (c *Contrast) settle(e stats.Estimate) { c.Estimate, c.Difference, c.P = e, e.Value, c.pOf(e) }

// pOf returns the p-value of the hypothesis. With a band it depends on the side of the
// estimate. Inside, it is the p-value of two one-sided tests; outside, of a two-sided test
// that the difference is at most at the nearer end. The end of the band, where both tests
// would be wrong at once, belongs to one side.
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

// untestable returns the reason why there is nothing to test, or "".
func (c *Contrast) untestable(x *crossing) string {
	switch {
	case x.untestable != "":
		return x.untestable
	case !x.complete && c.B.Empty(c.On):
		return "no value"
	case !x.complete:
		return "a task has no query with a value for all systems"
	}
	return ""
}

// Moved is a query with its mean values over the trials of A and B.
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
