package results

import (
	"math"
	"testing"

	"infbench/metrics/trec"
)

// ranked returns a ranking of documents with scores in order.
func ranked(docs string, scores ...float64) trec.Ranking {
	var r trec.Ranking
	for i, s := range scores {
		r = append(r, trec.Scored{Doc: docs[i : i+1], Score: s})
	}
	r.Sort()
	return r
}

// Computed by hand: a changed document is at rank 1 before; afterwards it is at rank 2 alone
// (+.5), or tied with one at ranks 2 and 3 (+.5 to 2/3).
func TestTies(t *testing.T) {
	value := .5
	scored := []Result{{Benchmark: "b", Task: "t", Query: "1", Measure: "p-MRR", Value: &value}}
	before := ranked("xyz", 3, 2, 1)
	for name, test := range map[string]struct {
		before, after trec.Ranking
		left          int
		want          Ties
		known         bool
	}{
		"no tie":                          {before, ranked("yxz", 3, 2, 1), 0, Ties{"b", "t", 1, 0, .5, .5}, true},
		"a tie of others":                 {ranked("xyz", 3, 2, 2), ranked("yxz", 3, 2, 1), 0, Ties{"b", "t", 1, 0, .5, .5}, true},
		"a tie of the changed":            {before, ranked("yxz", 3, 2, 2), 0, Ties{"b", "t", 1, 1, .5, 2. / 3}, true},
		"a tie, and documents unrecorded": {before, ranked("yxz", 3, 3, 1), 2, Ties{}, false},
		"no tie, documents unrecorded":    {before, ranked("yxz", 3, 2, 1), 2, Ties{"b", "t", 1, 0, .5, .5}, true},
		"a ranking lacks":                 {before, nil, 0, Ties{}, false},
	} {
		run := trec.Run{"1-og": test.before}
		if test.after != nil {
			run["1-changed"] = test.after
		}
		records := []QueryRecord{{Benchmark: "b", Task: "t", Query: "1", Documents: []MovedDocument{{ID: "x"}}, Left: test.left}}
		got, known := tiesOf(records, run, scored)
		if known != test.known || known && (got.Pairs != test.want.Pairs || got.Tied != test.want.Tied || math.Abs(got.Low-test.want.Low) > 1e-12 || math.Abs(got.High-test.want.High) > 1e-12) {
			t.Errorf("%s: %+v, %v; want %+v, %v", name, got, known, test.want, test.known)
		}
	}
}
