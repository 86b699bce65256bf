package reports

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// asked returns a trial with records of two pairs and a single query.
func asked(id string, records ...results.QueryRecord) results.Trial {
	t := reportstest.TrialOf(id, map[string]string{"model": id}, reportstest.At("B", "t", "", "p-MRR", "1", .5))
	t.Queries = records
	return t
}

// TestQueryPages checks how the records of two systems are combined: each document once,
// in the order of the first system, and 0 for a rank that was not kept.
func TestQueryPages(t *testing.T) {
	pair := func(docs ...results.MovedDocument) results.QueryRecord {
		return results.QueryRecord{Benchmark: "B", Task: "t", Query: "1", Text: "q", Instruction: "A or B", Changed: "only A", Documents: docs}
	}
	v := viewOf(t,
		asked("a", pair(results.MovedDocument{ID: "x", Text: "X", Before: 1, After: 4, Share: .375}, results.MovedDocument{ID: "y", Before: 2, After: 1, Share: -.25})),
		asked("b", pair(results.MovedDocument{ID: "y", Before: 3, After: 6, Share: .25}), results.QueryRecord{Benchmark: "B", Task: "s", Query: "2", Text: "single"}),
		reportstest.TrialOf("c", map[string]string{"model": "c"}, reportstest.At("B", "t", "", "p-MRR", "1", .5)),
	)
	p := newQueryPages(v)
	if len(p.Systems) != 2 || p.Left != 0 || len(p.Queries) != 2 {
		t.Fatalf("pages %+v", p)
	}
	q := p.Queries[0]
	if want := [][]int{{1, 4, 2, 1}, {0, 0, 3, 6}}; !reflect.DeepEqual(q.Ranks, want) {
		t.Errorf("ranks %v, want %v", q.Ranks, want)
	}
	if want := [][]float64{{.375, -.25}, {0, .25}}; !reflect.DeepEqual(q.Shares, want) {
		t.Errorf("shares %v, want %v", q.Shares, want)
	}
	if p.Documents[q.Documents[0]].Text != "X" || p.Queries[1].Documents != nil {
		t.Errorf("documents %+v of %+v", p.Documents, p.Queries)
	}
	row := p.Movers.Rows[0].Entries
	if len(p.Movers.Rows) != 1 || row[0].Text != "B/t/1" || row[1].Text != "a" || row[4].Text != "x" || row[7].Text != "+37.5" {
		t.Errorf("movers %+v", p.Movers.Rows)
	}
}

// TestQueryPagesBounded checks that the page stays small for any trials, names what it
// leaves out, and keeps the pair that systems treat most differently.
func TestQueryPagesBounded(t *testing.T) {
	var records, other []results.QueryRecord
	for i := range 3000 {
		r := results.QueryRecord{Benchmark: "B", Task: "t", Query: fmt.Sprint(i), Changed: "c", Text: strings.Repeat("t", 500),
			Documents: []results.MovedDocument{{ID: fmt.Sprint("d", i), Text: strings.Repeat("x", 2000), Before: 1, After: 2, Share: .5}}}
		records = append(records, r)
		if i == 2999 {
			r.Documents = []results.MovedDocument{{ID: "d2999", Before: 2, After: 1, Share: -.5}}
		}
		other = append(other, r)
	}
	p := newQueryPages(viewOf(t, asked("a", records...), asked("b", other...)))
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > pagesAtMost || p.Left == 0 || len(p.Queries)+p.Left != 3000 || !strings.Contains(p.Note, "left out") {
		t.Errorf("%d bytes, %d shown, %d left: %s", len(data), len(p.Queries), p.Left, p.Note)
	}
	if last := p.Queries[len(p.Queries)-1]; last.Query != "2999" {
		t.Errorf("the pair that systems treat most differently is not there; last is %s", last.Query)
	}
}
