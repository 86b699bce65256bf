package metrics

import (
	"testing"

	"infbench/metrics/trec"
)

// CutSide inverts Query.
func TestCutSide(t *testing.T) {
	for query, want := range map[string]struct {
		pair string
		side Side
	}{
		"301-og": {"301", Original}, "301-changed": {"301", Changed}, "301-reversed": {"301", Reversed},
		"301": {"301", None}, "301-og-changed": {"301-og", Changed}, "-og": {"", Original}, "": {"", None},
	} {
		pair, side := CutSide(query)
		if pair != want.pair || side != want.side || side.Query(pair) != query {
			t.Errorf("%q: %q on side %q", query, pair, side)
		}
	}
}

// A measure of pairs is undefined with only one ranking, and only p-MRR, in either order of ties,
// is a shift.
func TestPairMeasures(t *testing.T) {
	c := &Case{Judgments: map[string]int{"a": 2, "b": 0, "c": 1}, Ranking: trec.Ranking{{Doc: "a", Score: 2}, {Doc: "c", Score: 1}}}
	for _, f := range Families() {
		if !f.Pairs || f.Name == "FollowIR" { // it needs a measure
			continue
		}
		if _, defined := f.make(&arguments{}).Score(c); defined {
			t.Errorf("%s is defined for one ranking", f.Name)
		}
	}
	for name, want := range map[string]struct{ pairs, shift, run bool }{
		"p-MRR": {true, true, true}, "p-MRR(ties='insertion')": {true, true, true}, "pmrr": {true, true, true},
		"FollowIR(measure=AP@1000,qrels='original')": {true, false, true}, "WISE": {true, false, true}, "SICR": {true, false, true},
		"IRS(documents=9)": {true, false, true}, "FlipRate": {true, false, true},
		"nDCG@10": {false, false, true}, "DeltaRecall@1": {false, false, true}, "INSTFOL": {false, false, false},
	} {
		m, err := Parse(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if NeedsPairs(m) != want.pairs || IsOfPairs(name) != want.pairs || IsShift(name) != want.shift || NeedsRun(m) != want.run {
			t.Errorf("%s: pairs %v, shift %v, run %v", name, NeedsPairs(m), IsShift(name), NeedsRun(m))
		}
	}
	if IsOfPairs("p-MRRs") || IsShift("somebody's own") {
		t.Error("a measure that is not ours is of pairs")
	}
}
