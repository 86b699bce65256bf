package reports

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/bench/results"
)

// ranked makes systems whose values on n queries lie shift[i] above those of the
// first, with noise that all share and a little of their own.
func ranked(n int, shift ...float64) []results.Trial {
	var out []results.Trial
	for i, up := range shift {
		shared, own := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(2, uint64(i)))
		var values []value
		for q := range n {
			values = append(values, value{"B", "x", "", "AP", fmt.Sprintf("%03d", q), .4 + up + .1*shared.NormFloat64() + .02*own.NormFloat64()})
		}
		name := string(rune('a' + i))
		out = append(out, trialOf(name, map[string]string{"model": name}, values...))
	}
	return out
}

// TestRank checks ranks against how the values were made: a and b do not differ
// and share rank 1, c is .05 below both with a standard error of .003, so its
// rank is 3 and its place never another.
func TestRank(t *testing.T) {
	v := viewOf(t, ranked(60, .05, .05, 0)...)
	r, err := v.rank(column{Benchmark: "B", Measure: "AP", Tasks: []string{"x"}}, Options{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Standing{}
	for _, s := range r.Standings {
		s.system = nil
		got[s.System] = s
	}
	if a, b, c := got["a"], got["b"], got["c"]; a.Rank != 1 || b.Rank != 1 || c.Rank != 3 || c.Low != 3 || c.High != 3 ||
		min(a.Low, b.Low) != 1 || max(a.High, b.High) != 2 || !slices.Equal(a.Groups, b.Groups) || slices.Equal(a.Groups, c.Groups) {
		t.Errorf("standings %+v", got)
	}
	if r.Pairs != 3 || !strings.Contains(r.Method, "randomisation") {
		t.Errorf("%d pairs by %s", r.Pairs, r.Method)
	}
}

// TestCompetition checks places by hand: equal means share the higher one.
func TestCompetition(t *testing.T) {
	got := competition([]float64{.2, .5, .2, .9}, make([]int, 4))
	if !slices.Equal(got, []int{3, 2, 3, 1}) {
		t.Errorf("places %v, want 3 2 3 1", got)
	}
}

// TestPairedTestOfLargeFamily: 10,000 flips give p ≥ 1/10,001, and 501 times that
// is above 0.05.
func TestPairedTestOfLargeFamily(t *testing.T) {
	o := Options{}.withDefaults()
	if words := o.pairedTest(500).words; !strings.Contains(words, "randomisation") {
		t.Error("500 comparisons:", words)
	}
	if words := o.pairedTest(501).words; !strings.HasPrefix(words, "paired t tests") {
		t.Error("501 comparisons:", words)
	}
}

func TestLetters(t *testing.T) {
	for want, groups := range map[string][]int{"a": {0}, "bc": {1, 2}, "z.aa": {25, 26}, ".ab.ba": {27, 52}, "": nil} {
		if got := letters(groups); got != want {
			t.Errorf("letters(%v) = %q, want %q", groups, got, want)
		}
	}
}

// TestSpread checks the interval over three runs of means .2, .3, .4 by hand:
// t(.975, 2) = 4.3027, deviation .1, so half of it is 4.3027·.1/√3 = .2484.
func TestSpread(t *testing.T) {
	var trials []results.Trial
	for i, mean := range []float64{.2, .3, .4} {
		trials = append(trials, trialOf(fmt.Sprint(i), map[string]string{"model": "m", "seed": fmt.Sprint(i)},
			value{"B", "x", "", "AP", "1", mean - .1}, value{"B", "x", "", "AP", "2", mean + .1}))
	}
	v := viewOf(t, trials...)
	c := column{Benchmark: "B", Measure: "AP", Tasks: []string{"x"}}
	if s, ok := v.spread(v.systems[0], c); !ok || s.words() != "±24.8" || len(s.runs) != 3 {
		t.Errorf("spread %+v, %v", s, ok)
	}
	table := v.seedTable("seeds", []column{c})
	if got := table.Rows[0].Entries[1].Text; got != "30.0 ±24.8 (3)" {
		t.Errorf("entry %q", got)
	}
	if one := viewOf(t, trials[0]); one.seedTable("seeds", []column{c}) != nil {
		t.Error("one run has a spread")
	}
}

// TestSizeClasses: the best of a column is that of its class, and one model
// without a rival is no best.
func TestSizeClasses(t *testing.T) {
	trials := ranked(5, .3, .2, .1, 0)
	for i, n := range []int64{2e9, 20e6, 30e6, 0} {
		trials[i].Parameters = n
	}
	r := build(t, quick, &results.Experiment{Name: "e", Trials: trials})
	table := r.Boards[0].Leaderboard
	var got []string
	for _, row := range table.Rows {
		got = append(got, fmt.Sprint(row.Entries[1].Text, " ", row.Entries[2].Best))
	}
	if want := []string{"1B–4B false", "10M–50M true", "10M–50M false", "unknown false"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}
