package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/scores"
	"infbench/runners/results"
)

func TestLetters(t *testing.T) {
	for want, groups := range map[string][]int{"a": {0}, "bc": {1, 2}, "z.aa": {25, 26}, ".ab.ba": {27, 52}, "": nil} {
		if got := letters(groups); got != want {
			t.Errorf("letters(%v) = %q, want %q", groups, got, want)
		}
	}
}

// TestSpread checks the interval over three runs with means .2, .3, .4 by hand: t(.975, 2)
// = 4.3027, the deviation is .1, so half the interval is 4.3027·.1/√3 = .2484.
func TestSpread(t *testing.T) {
	var trials []results.Trial
	for i, mean := range []float64{.2, .3, .4} {
		trials = append(trials, reportstest.TrialOf(fmt.Sprint(i), map[string]string{"model": "m", "seed": fmt.Sprint(i)},
			reportstest.At("B", "x", "", "AP", "1", mean-.1), reportstest.At("B", "x", "", "AP", "2", mean+.1)))
	}
	v := viewOf(t, trials...)
	c := scores.Number{Benchmark: "B", Measure: "AP", Tasks: []string{"x"}}
	if s, ok := spread(v, v.Systems[0], c); !ok || s.words() != "±24.8" || len(s.runs) != 3 {
		t.Errorf("spread %+v, %v", s, ok)
	}
	table := seedTable(v, "seeds", []scores.Number{c}, 0)
	if got := table.Rows[0].Entries[1].Text; got != "30.0 ±24.8 (3)" {
		t.Errorf("entry %q", got)
	}
	if one := viewOf(t, trials[0]); seedTable(one, "seeds", []scores.Number{c}, 0) != nil {
		t.Error("one run has a spread")
	}
}

// TestSpreadIsThatOfTests checks systems with two runs each, whose variances are pooled.
// By hand, ranges of .12, .10 and .06 give the pooled variance (.0072 + .0050 + .0018)/3,
// and t(.975, 3)·√(that/2) = .1537 for each system. If systems differ, as two equal runs
// differ from two others, or if there is one system, the variance has one degree of
// freedom or is 0, and no ± is shown.
func TestSpreadIsThatOfTests(t *testing.T) {
	c := scores.Number{Benchmark: "B", Measure: "AP", Tasks: []string{"x"}}
	for _, test := range []struct {
		ranges []float64
		want   []string
	}{
		{[]float64{.12, .10, .06}, []string{"50.0 ±15.4 (2)", "50.0 ±15.4 (2)", "50.0 ±15.4 (2)"}},
		{[]float64{.12, 0}, []string{"50.0 (2)", "50.0 (2)"}},
		{[]float64{.12}, []string{"50.0 (2)"}},
		{[]float64{0, 0}, []string{"50.0 (2)", "50.0 (2)"}},
	} {
		var trials []results.Trial
		for i, of := range test.ranges {
			for run, mean := range []float64{.5 - of/2, .5 + of/2} {
				trials = append(trials, reportstest.TrialOf(fmt.Sprint(i, run), map[string]string{"model": "trained", "loss": fmt.Sprint(i), "seed": fmt.Sprint(run)},
					reportstest.At("B", "x", "", "AP", "1", mean-.1), reportstest.At("B", "x", "", "AP", "2", mean+.1)))
			}
		}
		for i, row := range seedTable(viewOf(t, trials...), "seeds", []scores.Number{c}, 0).Rows {
			if got := row.Entries[1].Text; got != test.want[i] {
				t.Errorf("ranges %v: system %d has %q, want %q", test.ranges, i, got, test.want[i])
			}
		}
		b := build(t, Options{}, &results.Experiment{Name: "e", Trials: trials}).Boards[0]
		if under, legend := b.Leaderboard.Rows[0].Entries[1].Under, b.Legend(); strings.Contains(under, "±") != strings.Contains(test.want[0], "±") || strings.Contains(under, "±") != strings.Contains(legend, "±") {
			t.Errorf("ranges %v: under the number %q, legend %q", test.ranges, under, legend)
		}
	}
}

// TestSizeClasses checks that the best of a column is chosen within its class, and that a
// model without a rival is not the best.
func TestSizeClasses(t *testing.T) {
	trials := reportstest.Ranked(5, .3, .2, .1, 0)
	for i, n := range []int64{2e9, 20e6, 30e6, 0} {
		trials[i].Parameters = n
	}
	r := build(t, Options{}, &results.Experiment{Name: "e", Trials: trials})
	table := r.Boards[0].Leaderboard
	var got []string
	for _, row := range table.Rows {
		got = append(got, fmt.Sprint(row.Entries[1].Text, " ", row.Entries[2].Best))
	}
	if want := []string{"1B–4B false", "10M–50M true", "10M–50M false", "unknown false"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}
