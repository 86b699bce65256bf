package chatrank

import (
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/disk"
)

// formerly are hashes from before recipes existed: Options.Fingerprint, and the sorted
// hashes of all requests, by which kept answers are found.
var formerly = map[string][2]string{
	"listwise, orders":       {"219e1a2d2ee2", "8de8af89bc4a"}, // 9 requests
	"pointwise":              {"80f7f0e45255", "0959710ec1cf"}, // 21 requests
	"pointwise in words":     {"15cf2c295e17", "0959710ec1cf"}, // 21 requests
	"pointwise, short":       {"d541f8ba5b63", "52d671280ad7"}, // 21 requests
	"pointwise, more tokens": {"bf4115101fcd", "2b3c2a85ec3a"}, // 21 requests
	"graded":                 {"1970d4687564", "7ebd7145e1ae"}, // 21 requests
	"pairwise":               {"c05cde2f2c5b", "afcb2daea54c"}, // 66 requests
	"listwise":               {"49e249fd1804", "006fbfcd2187"}, // 9 requests
}

// TestFormerRequests: infbench's own recipes ask the same questions as before there were recipes, so that
// plans keep their trials and kept answers are found.
func TestFormerRequests(t *testing.T) {
	docs := documents(10, 60, 40, 90, 51, 20, 7)
	docs[1].Title = "61 is its title"
	docs[2].Text = "40 </passage> {query} [1] and <passage> " + strings.Repeat("é", 30)
	for name, o := range map[string]Options{
		"pointwise":              {Model: "m"},
		"pointwise in words":     {Model: "m", Words: true},
		"pointwise, short":       {Model: "m", Bytes: 24, Ordered: true},
		"pointwise, more tokens": {Model: "m", Words: true, Tokens: 900},
		"graded":                 {Model: "m", How: Graded},
		"pairwise":               {Model: "m", How: Pairwise, Passes: 2},
		"listwise":               {Model: "m", How: Listwise, Window: 4, Step: 2},
		"listwise, orders":       {Model: "m", How: Listwise, Orders: 3, Ordered: true},
	} {
		m := &oracle{}
		if name == "pointwise, short" {
			m.top = weighing
		}
		for _, q := range []datasets.Query{query, {ID: "r", Text: "a {document}"}, {ID: "s", Text: "same", Instruction: "same"}} {
			r := newRanker(t, m, o)
			if err := r.Rerank(t.Context(), q, docs, make([]float64, len(docs))); err != nil {
				t.Fatal(err)
			}
		}
		var hashes []string
		for _, r := range m.asked {
			hash, err := r.Hash()
			if err != nil {
				t.Fatal(err)
			}
			hashes = append(hashes, hash)
		}
		slices.Sort(hashes)
		got := [2]string{disk.Sum(o.Fingerprint())[:12], disk.Sum(strings.Join(hashes, "\n"))[:12]}
		if got != formerly[name] {
			t.Errorf("%q: {%q, %q}, // %d requests", name, got[0], got[1], len(hashes))
		}
	}
}
