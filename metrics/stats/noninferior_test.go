package stats_test

import (
	"math/rand/v2"
	"testing"

	"infbench/metrics/stats"
)

// margins compares a trained system (with several runs, or one of several systems) with a
// start that no seed changes. The true difference is minus the margin. So a verdict of "not
// inferior", or of "inferior", is false in 2.5 % of cases each.
func margins(populations []population) []cell {
	var out []cell
	for _, p := range populations {
		for _, sizes := range [][]int{{20}, {52}, {300}, {52, 32, 20}, {300, 93}} { // the last two are means over collections
			for _, by := range []components{measured, weak, strong} {
				for _, runs := range [][]int{{0, 3}, {0, 5}, {0, 3, 3, 3, 3}, {3, 3}} {
					quick := len(runs) == 2 && runs[0] == 0 && (by == strong || len(sizes) == 1)
					out = append(out, atMargin(quick, design{of: p, sizes: sizes, runs: runs, by: by}))
				}
			}
		}
	}
	return out
}

// Limits for rates of false verdicts of nominally 2.5 %, with room for the error of a
// simulation of 4,000 and, for skewed differences, for the effect of few items.
const mostAtMargin, mostAtMarginSkewed = .035, .042

func atMargin(quick bool, d design) cell {
	most := mostAtMargin
	if d.of.mean != 0 {
		most = mostAtMarginSkewed
	}
	const margin = .5 // in standard deviations of the population
	return cell{
		design: d.String() + ", at the margin", quick: quick,
		checks: []check{{what: "not inferior", size: true, most: most}, {what: "inferior", size: true, most: most}},
		once: func(r *rand.Rand) []bool {
			e, truth := d.draw(r).over(0, 1)
			verdict := off(e, -margin-truth).Noninferiority(margin, .025)
			return []bool{verdict == stats.NotInferior, verdict == stats.Inferior}
		},
	}
}

// By hand: ten differences with mean −.010 and standard error .004 on 9 degrees of freedom
// have one-sided 97.5 % bounds at −.010 ± 2.262·.004 (table of Student's t), from −.0190
// to −.0010.
func TestNoninferiority(t *testing.T) {
	e := stats.Estimate{Value: -.010, StandardError: .004, Freedom: 9}
	low, high, ok := e.Bounds(.025).Get()
	if !ok {
		t.Fatal("no bounds")
	}
	near(t, "lower bound", low, -.01905, 1e-5)
	near(t, "upper bound", high, -.00095, 1e-5)
	for margin, want := range map[float64]stats.Noninferiority{.02: stats.NotInferior, .015: stats.Undecided, .001: stats.Undecided, .0009: stats.Inferior} {
		if got := e.Noninferiority(margin, .025); got != want {
			t.Errorf("margin %v: %s, want %s", margin, got, want)
		}
	}
	alike := stats.Estimate{Values: make([]float64, 20)} // no differences at all
	if got := alike.Noninferiority(.001, .025); got != stats.NotInferior {
		t.Errorf("of equal systems: %s", got)
	}
	few := stats.Estimate{Value: -.1, Values: []float64{-.1, -.1, -.1}} // perhaps by chance
	if got := few.Noninferiority(.01, .025); got != stats.Undecided {
		t.Errorf("of three equal differences: %s", got)
	}
	skewed := stats.Estimate{Value: -.05, StandardError: .01, Freedom: 19, Values: append(make([]float64, 18), -.5, -.5)}
	if got := skewed.Noninferiority(.1, .025); got != stats.Undecided {
		t.Errorf("of 2 of 20 queries that lose a lot: %s", got)
	}
}
