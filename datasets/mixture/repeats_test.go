package mixture

import (
	"testing"

	"infbench/datasets"
)

func TestRepeats(t *testing.T) {
	record := func(rows ...datasets.Row) datasets.Record { return datasets.Record{Rows: rows} }
	triplet := record(datasets.Row{Instruction: "i", Query: "q", Passage: "p"},
		datasets.Row{Instruction: "j", Query: "q", Passage: "r"}, datasets.Row{Instruction: "i", Query: "s", Passage: "t"})
	pair := func(query, passage string, negatives ...string) datasets.Record {
		return record(datasets.Row{Query: query, Passage: passage, Negatives: negatives})
	}
	for name, w := range map[string]struct {
		records []datasets.Record
		mined   int
		queries bool
		want    bool
	}{
		"a triplet":                           {[]datasets.Record{triplet}, 0, false, false},
		"a triplet, each query read anew":     {[]datasets.Record{triplet}, 0, true, true},
		"one passage of two queries":          {[]datasets.Record{pair("a", "x"), pair("b", "x")}, 0, false, true},
		"one query of two passages":           {[]datasets.Record{pair("a", "x"), pair("a", "y")}, 0, false, true},
		"no passages":                         {[]datasets.Record{pair("a", ""), pair("b", "")}, 0, false, false},
		"a negative that nobody takes":        {[]datasets.Record{pair("a", "x", "y"), pair("b", "y")}, 0, false, false},
		"a negative that is a row's passage":  {[]datasets.Record{pair("a", "x", "y"), pair("b", "y")}, 1, false, true},
		"a passage that was a negative":       {[]datasets.Record{pair("a", "x", "y"), pair("b", "y")}, 2, false, true},
		"a passage that becomes a negative":   {[]datasets.Record{pair("a", "x"), pair("b", "y", "z", "x")}, 2, false, true},
		"a negative of two rows, and no more": {[]datasets.Record{pair("a", "x", "z"), pair("b", "y", "z")}, 1, false, false},
	} {
		seen, got := NewRepeats(w.mined, w.queries), false
		for _, r := range w.records {
			got = seen.Add(r) || got
		}
		if got != w.want {
			t.Errorf("%s: %v, want %v", name, got, w.want)
		}
	}
}
