package results

import (
	"errors"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/metrics"
	"infbench/metrics/trec"
)

// listed is a corpus in memory.
type listed []datasets.Document

func (l listed) Len() int { return len(l) }

func (l listed) Documents() iter.Seq2[datasets.Document, error] {
	return func(yield func(datasets.Document, error) bool) {
		for _, d := range l {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// TestDescribeQueries checks shares computed by hand. There are two changed documents: a falls
// from 1 to 4 (1 − 1/4 = .75) and c, not retrieved afterwards, from 3 to 5 (1 − 3/5 = .4). Each
// counts half.
func TestDescribeQueries(t *testing.T) {
	task := &datasets.Task{
		Name:    "t",
		Corpus:  listed{{ID: "a", Title: "A", Text: strings.Repeat("é", 600)}, {ID: "b", Text: "never changed"}, {ID: "c", Text: "short"}},
		Queries: []datasets.Query{{ID: "1-og", Text: "q", Instruction: "A or B"}, {ID: "1-changed", Text: "q", Instruction: "only A"}},
		Pairs:   []datasets.Pair{{ID: "1", Original: "1-og", Changed: "1-changed", Moved: []string{"c", "a"}}},
	}
	run := trec.Run{"1-og": ranking("a", "b", "c"), "1-changed": ranking("b", "x", "y", "a")}
	got, err := DescribeQueries("B", task, run)
	if err != nil {
		t.Fatal(err)
	}
	want := []QueryRecord{{Benchmark: "B", Task: "t", Query: "1", Text: "q", Instruction: "A or B", Changed: "only A", Documents: []MovedDocument{
		{ID: "a", Title: "A", Text: strings.Repeat("é", textAtMost) + cutMark, Before: 1, After: 4, Share: .375},
		{ID: "c", Text: "short", Before: 3, After: 5, Share: .2},
	}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	whole, _ := metrics.PMRR{}.Score(&metrics.Case{Before: run["1-og"], Ranking: run["1-changed"], Changed: task.Pairs[0].Moved})
	if sum := got[0].Documents[0].Share + got[0].Documents[1].Share; math.Abs(sum-whole) > 1e-12 {
		t.Errorf("shares add up to %v, p-MRR is %v", sum, whole)
	}
}

// TestQueriesRoundTrip checks that a trial reads back its records and refuses a changed file.
func TestQueriesRoundTrip(t *testing.T) {
	dir := t.TempDir()
	records := []QueryRecord{{Benchmark: "B", Task: "t", Query: "1", Text: "</script>\x1b", Documents: []MovedDocument{{ID: "d", Before: 1, After: 2, Share: .5}}}}
	if err := At(dir).Writer().Queries("B", "t", records); err != nil {
		t.Fatal(err)
	}
	if err := At(dir).Writer().Complete(nil, nil, Provenance{}); err != nil {
		t.Fatal(err)
	}
	got, err := At(dir).Reader().Queries()
	if err != nil || !reflect.DeepEqual(got, records) {
		t.Fatalf("got %+v, %v", got, err)
	}
	path := filepath.Join(dir, queriesDir, "B.t"+queriesEnding)
	if err := os.WriteFile(path, []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := At(dir).Reader().Queries(); !errors.Is(err, ErrDamaged) {
		t.Errorf("a changed file: %v", err)
	}
}
