package datasets

import (
	"maps"
	"slices"

	"infbench/metrics/trec"
)

// Judged makes a task of judgments alone: its queries have no text and there are
// no documents, so that rankings can be scored but none made. It is scored as a
// collection that names no measure itself.
func Judged(name string, qrels trec.Qrels) Task {
	t := Task{Name: name, Qrels: qrels, Scorings: adHoc()}
	for _, id := range slices.Sorted(maps.Keys(qrels)) {
		t.Queries = append(t.Queries, Query{ID: id})
	}
	return t
}
