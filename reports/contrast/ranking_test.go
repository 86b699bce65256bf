package contrast

import (
	"slices"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// TestRank checks ranks against the construction of the values: a and b do not differ and
// share ranks 1 and 2; c is .05 below both with a standard error of .003, so its rank is
// 3.
func TestRank(t *testing.T) {
	v := viewOf(t, reportstest.Ranked(60, .05, .05, 0)...)
	r := Rank(v, scores.Number{Benchmark: "B", Measure: "AP", Tasks: []string{"x"}})
	got := map[string]Standing{}
	for _, s := range r.Standings {
		s.system = nil
		got[s.System] = s
	}
	if a, b, c := got["a"], got["b"], got["c"]; a.Ranks() != "1–2" || b.Ranks() != "1–2" || c.Ranks() != "3" ||
		!slices.Equal(a.Groups, b.Groups) || slices.Equal(a.Groups, c.Groups) {
		t.Errorf("standings %+v", got)
	}
	if r.Pairs != 3 {
		t.Errorf("%d pairs", r.Pairs)
	}
}

// TestRankLeavesOutWhatResultsChose checks that systems of an active sweep that has not
// run all of its cells are not ranked: results decided when to stop.
func TestRankLeavesOutWhatResultsChose(t *testing.T) {
	v := viewOf(t, reportstest.Ranked(60, .05, .05, 0)...)
	on := scores.Number{Benchmark: "B", Measure: "AP", Tasks: []string{"x"}}
	for i, s := range v.Systems {
		for _, trial := range s.Trials {
			trial.Active = true
		}
		r := Rank(v, on)
		if left := len(v.Systems) - 1 - i; left < 2 && r != nil || left >= 2 && (len(r.Standings) != left || r.Of(s) != nil) {
			t.Errorf("%s is chosen, %d systems are not: %+v", s.Label, left, r)
		}
	}
}

// TestRankAll checks that all pairs of more than a hundred systems are tested.
func TestRankAll(t *testing.T) {
	v := viewOf(t, reportstest.Ranked(20, make([]float64, 191)...)...)
	r := Rank(v, scores.Number{Benchmark: "B", Measure: "AP", Tasks: []string{"x"}})
	if n := len(r.Standings); n <= 100 || r.Left != 0 || r.Pairs != n*(n-1)/2 {
		t.Errorf("%d systems, %d pairs, %d left out", n, r.Pairs, r.Left)
	}
}

// TestRankDirection checks that the lowest is first if lower is better, and that a count
// is not ranked.
func TestRankDirection(t *testing.T) {
	for measure, want := range map[string]string{"AP": "a1 b2 c3 ", "Unjudged@10": "c1 b2 a3 ", "NumRet": ""} {
		v := viewOf(t, reportstest.MeasuredBy(measure, reportstest.Ranked(60, .1, .05, 0)...)...)
		r := Rank(v, scores.Number{Benchmark: "B", Measure: measure, Tasks: []string{"x"}})
		got := ""
		for i := 0; r != nil && i < len(r.Standings); i++ {
			s := r.Standings[i]
			got += s.System + s.Ranks() + " "
		}
		if got != want {
			t.Errorf("by %s the order is %q, want %q", measure, got, want)
		}
	}
}

// TestRankingTester checks that pairs aligned once for all systems give the same tests as
// pairs aligned by themselves, and that pairs are aligned by themselves if a system lacks
// queries.
func TestRankingTester(t *testing.T) {
	column := scores.Number{Benchmark: "B", Measure: "AP", Tasks: []string{"x"}}
	trials := reportstest.Ranked(30, .02, .01, 0)
	lacking := reportstest.Ranked(30, .02, .01, 0)
	lacking[2].Results = lacking[2].Results[4:]
	for name, v := range map[string]*scores.Set{"alike": viewOf(t, trials...), "one lacks four": viewOf(t, lacking...)} {
		r := &Ranking{Column: column}
		for _, s := range v.Systems {
			r.Standings = append(r.Standings, Standing{system: s})
		}
		runs := NewReplication(column, v.Systems)
		for a := range r.Standings {
			for b := a + 1; b < len(r.Standings); b++ {
				alone := Contrast{A: r.Standings[a].system, B: r.Standings[b].system, On: column}
				alone.test(runs)
				if p := r.tester(runs)(new(stats.Workspace), a, b); p != alone.P || p <= 0 || p >= 1 {
					t.Errorf("%s: pair %d %d has p %v, by itself %v", name, a, b, p, alone.P)
				}
			}
		}
	}
}
