package datasets

import (
	"maps"
	"slices"

	"infbench/metrics/trec"
)

// Judged makes a task of judgments only: its queries have no text and there are no documents.
// Rankings can be scored with it but not made. It has the measures of a collection without its own.
func Judged(name string, qrels trec.Qrels) Task {
	t := Task{Name: name, Qrels: qrels, Scorings: adHoc()}
	for _, id := range slices.Sorted(maps.Keys(qrels)) {
		t.Queries = append(t.Queries, Query{ID: id})
	}
	return t
}
