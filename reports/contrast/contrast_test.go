package contrast

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// TestPairedWeights checks that the mean of the weighted differences is the unweighted
// mean over tasks of unequal size. Task x has 3 queries with difference .1, task y one
// with .5, so the mean is (.1+.5)/2 = .3 and not .2.
func TestPairedWeights(t *testing.T) {
	var a, b []reportstest.Value
	for q := range 3 {
		a = append(a, reportstest.At("B", "x", "", "AP", fmt.Sprint(q), .2))
		b = append(b, reportstest.At("B", "x", "", "AP", fmt.Sprint(q), .3))
	}
	a = append(a, reportstest.At("B", "y", "", "AP", "0", .1), reportstest.At("B", "y", "", "AP", "only a", .1))
	b = append(b, reportstest.At("B", "y", "", "AP", "0", .6))
	v := viewOf(t, reportstest.TrialOf("a", map[string]string{"model": "a"}, a...), reportstest.TrialOf("b", map[string]string{"model": "b"}, b...))
	c := &Contrast{A: v.Systems[0], B: v.Systems[1], On: scores.Number{Benchmark: "B", Measure: "AP", Tasks: []string{"x", "y"}}}
	(&Family{Contrasts: []*Contrast{c}}).Test(v)
	if c.N != 4 || c.Dropped != 1 || c.Lost != 1 || c.Why != "" || math.Abs(c.Difference-.3) > 1e-12 {
		t.Errorf("mean difference %v over %d pairs, %d dropped, %d lost, %q; want .3, 4, 1, 1", c.Difference, c.N, c.Dropped, c.Lost, c.Why)
	}
}

// TestVerdict checks each outcome of a test with each direction.
func TestVerdict(t *testing.T) {
	shown := func(d float64) *Contrast { return &Contrast{Difference: d, Adjusted: .01} }
	unshown, untested := &Contrast{Difference: 1, Adjusted: .2}, &Contrast{Difference: 1, Why: "no value"}
	for _, c := range []struct {
		of         *Contrast
		measure    string
		want       Verdict
		word, tone string
	}{
		{shown(1), "AP", Better, "higher", "better"},
		{shown(-1), "AP", Worse, "lower", "worse"},
		{shown(1), "Unjudged@10", Worse, "higher (worse)", "worse"},
		{shown(-1), "Unjudged@10", Better, "lower (better)", "better"},
		{shown(1), "NumRet", Differs, "higher", ""},
		{shown(-1), "NumRet", Differs, "lower", ""},
		{shown(0), "AP", Unshown, "no difference shown", ""},
		{unshown, "Unjudged@10", Unshown, "no difference shown", ""},
		{untested, "AP", Untested, "not tested: no value", "absent"},
	} {
		c.of.On.Measure = c.measure
		if e := c.of.Entry(); c.of.Judged() != c.want || e.Text != c.word || string(e.Tone) != c.tone {
			t.Errorf("%+v by %s: %s, %q in the tone %q; want %+v", c.of, c.measure, c.of.Judged(), e.Text, e.Tone, c)
		}
	}
}

// TestCoverageNotes checks the warning on coverage for few differences, most of them 0 and
// the others skewed. For as many symmetric differences there is no warning.
func TestCoverageNotes(t *testing.T) {
	of := func(values ...float64) *Contrast {
		e, _ := stats.OneStratum(len(values)).Contrast(stats.Term{Coefficient: 1, Values: values})
		return &Contrast{B: &scores.System{Label: "uni(P)"}, On: scores.Number{Tasks: []string{"x"}}, N: len(values), Estimate: e}
	}
	sparse := make([]float64, 20)
	copy(sparse, []float64{1.2, .05, .05, -.02, .8, .01, -.05, .03})
	if notes := CoverageNotes([]*Contrast{of(sparse...)}); len(notes) != 1 || !strings.Contains(notes[0], "uni(P) on x about 8") || !strings.Contains(notes[0], "n = 20, 60%") {
		t.Errorf("notes %q", notes)
	}
	if notes := CoverageNotes([]*Contrast{of(1, -1, 2, -2, .5, -.5)}); notes != nil {
		t.Errorf("notes %q", notes)
	}
}
