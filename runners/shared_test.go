package runners

import (
	"testing"

	"infbench/datasets"
	"infbench/internal/testkit"
	"infbench/metrics"
	"infbench/metrics/trec"
)

// sharedTask opens a BEIR collection of the shared data as a task.
func sharedTask(t testing.TB, name string) *datasets.Task {
	t.Helper()
	b, err := datasets.OpenBEIR(testkit.SharedPath(t, "data", name, "beir"))
	if err != nil {
		t.Fatal(err)
	}
	return &b.Tasks[0]
}

// mean is the mean of a measure over the queries that have judgments; queries that are not in
// the run count as 0.
func mean(t testing.TB, measure string, run trec.Run, qrels trec.Qrels) float64 {
	t.Helper()
	m, err := metrics.Parse(measure)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for query, judgments := range qrels {
		value, ok := m.Score(&metrics.Case{Query: query, Judgments: judgments, Ranking: run[query]})
		if ok {
			sum += value
		}
	}
	return sum / float64(len(qrels))
}
