package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	const line = `{"name": "bert: as saved", "kind": "dense", "folder": "/x/variants/0001", "error": "",
		"queries": [[3, 4], null], "query_ids": [[1, 2], null], "documents": [[0, 2]], "document_ids": [[7]], "scores": [[0.8], [null]], "errors": ["too long"]}`
	right := func() answer {
		return answer{
			Queries: []rows{{{.6, .8}}, {{1, 0}}}, QueryIDs: [][]int32{{1, 2}, {3}},
			Documents: []rows{{{0, 1}}}, DocumentIDs: [][]int32{{7}}, Scores: [][]value{{.8}, {.1}},
		}
	}
	for _, c := range []struct {
		name   string
		change func(v *variant, a *answer)
		err    error
		want   verdict
		why    string
	}{
		{"equal except for the length of vectors and texts the library cannot read", func(*variant, *answer) {}, nil, equal, ""},
		{"rounding", func(_ *variant, a *answer) { a.Queries[0][0][0] += 9e-6 }, nil, equal, ""},
		{"a vector", func(_ *variant, a *answer) { a.Queries[0][0][0] += 3e-5 }, nil, different, "query 0: a vector is off by"},
		{"a vector that is not finite", func(_ *variant, a *answer) { a.Documents[0][0][0] = value(nan) }, nil, different, "document 0: a vector is off by"},
		{"an ID", func(_ *variant, a *answer) { a.DocumentIDs[0][0] = 8 }, nil, different, "document 0: 1 IDs, not 1; from place 0 [8], not [7]"},
		{"a length", func(_ *variant, a *answer) { a.QueryIDs[0] = []int32{1} }, nil, different, "query 0: 1 IDs, not 2; from place 1 [], not [2]"},
		{"a score", func(_ *variant, a *answer) { a.Scores[0][0] = .79 }, nil, different, "score of query 0 and document 0 is 0.79, not 0.8"},
		{"more values", func(_ *variant, a *answer) { a.Documents[0][0] = []value{0, 1, 0} }, nil, different, "document 0: 1 vectors of 3 values, not 1 vectors of 2 values"},
		{"refused by us", func(*variant, *answer) {}, errors.New("open /x/variants/0001: no"), refusedByUs, "open FOLDER: no"},
		{"refused by both", func(v *variant, _ *answer) { v.Error = "KeyError: x" }, errors.New("no"), refusedByBoth, "KeyError: x"},
		{"the library alone", func(v *variant, _ *answer) { v.Error = "KeyError: x" }, nil, refusedByLibrary, "KeyError: x"},
		{"the library reads no text", func(v *variant, _ *answer) {
			v.Queries, v.Documents, v.Scores = []rows{nil}, []rows{nil}, [][]value{{value(nan)}}
		}, nil, refusedByLibrary, "too long"},
		{"trained, refused by the library", func(v *variant, _ *answer) { v.Name, v.Error = "trained: bert", "KeyError: x" }, nil, different, "a trained folder must open"},
	} {
		v, a := new(variant), right()
		if err := json.Unmarshal([]byte(line), v); err != nil {
			t.Fatal(err)
		}
		c.change(v, &a)
		if o := v.judge(a, c.err); o.verdict != c.want || !strings.Contains(o.why, c.why) {
			t.Errorf("%s: verdict %d, %q; want %d, %q", c.name, o.verdict, o.why, c.want, c.why)
		}
	}
}

func TestPrintTable(t *testing.T) {
	v := func(name string) *variant { return &variant{Name: name, Folder: "F"} }
	var out strings.Builder
	silent := printTable(&out, []outcome{
		{v("bert: as saved"), equal, ""}, {v("bert: a = 1"), refusedByUs, "a 1 is not supported"}, {v("bert: a = 2"), refusedByUs, "a 2 is not supported"}, {v("t5: a = 1"), different, "off"},
	})
	for _, want := range []string{"bert                            3      1          0          2            0          0\n", "     2  a 1 is not supported\n        such as bert: a = 1\n", "silent differences: 1\nt5: a = 1 (F)\n    off\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("printed\n%s\nwithout\n%s", out.String(), want)
		}
	}
	if silent != 1 {
		t.Errorf("%d silent differences, want 1", silent)
	}
}
