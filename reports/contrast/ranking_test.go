package contrast

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/reports/reportstest"
	"infbench/reports/scores"
)

// TestRank checks ranks against how the values were made: a and b do not differ
// and share rank 1, c is .05 below both with a standard error of .003, so its
// rank is 3 and its place never another.
func TestRank(t *testing.T) {
	v := viewOf(t, reportstest.Ranked(60, .05, .05, 0)...)
	r, err := Rank(v, scores.Number{Benchmark: "B", Measure: "AP", Tasks: []string{"x"}}, Options{}.WithDefaults())
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

// TestRankDirection: the lowest is the first where lower is better, and a count
// ranks nothing.
func TestRankDirection(t *testing.T) {
	for measure, want := range map[string]string{"AP": "a1 b2 c3 ", "Unjudged@10": "c1 b2 a3 ", "NumRet": ""} {
		v := viewOf(t, reportstest.MeasuredBy(measure, reportstest.Ranked(60, .1, .05, 0)...)...)
		r, err := Rank(v, scores.Number{Benchmark: "B", Measure: measure, Tasks: []string{"x"}}, quick)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i := 0; r != nil && i < len(r.Standings); i++ {
			s := r.Standings[i]
			got += fmt.Sprint(s.System, s.Rank, " ")
			if s.Low != s.Rank || s.High != s.Rank {
				t.Errorf("by %s %s takes the places %s, want its rank %d alone", measure, s.System, s.Places(), s.Rank)
			}
		}
		if got != want {
			t.Errorf("by %s the order is %q, want %q", measure, got, want)
		}
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
	o := Options{}.WithDefaults()
	if words := o.PairedTest(500).Words; !strings.Contains(words, "randomisation") {
		t.Error("500 comparisons:", words)
	}
	if words := o.PairedTest(501).Words; !strings.HasPrefix(words, "paired t tests") {
		t.Error("501 comparisons:", words)
	}
}
