package metrics_test

import (
	"fmt"
	"strings"

	"infbench/metrics"
	"infbench/metrics/trec"
)

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Score a run against judgments, both in TREC's formats.
func Example() {
	qrels := must(trec.Options{}.ReadQrels(strings.NewReader("q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n"), "qrels"))
	run, _, err := trec.Options{}.ReadRun(strings.NewReader("q1 Q0 b 1 9 tag\nq1 Q0 a 2 7 tag\nq2 Q0 c 1 3 tag\n"), "run")
	cases := must(metrics.Inputs{Run: must(run, err), Qrels: qrels}.Cases())
	measures := []metrics.Measure{must(metrics.Parse("nDCG@10")), metrics.AP{}}
	for i, rows := range metrics.ScoreAll(measures, cases) {
		mean, _ := metrics.Summarize(measures[i], rows)
		fmt.Printf("%s: q1 %.3f, q2 %.3f, mean %.3f\n", measures[i], rows[0].Value, rows[1].Value, mean)
	}
	// Output:
	// nDCG@10: q1 0.631, q2 1.000, mean 0.815
	// AP: q1 0.500, q2 1.000, mean 0.750
}

// Score one query under two instructions. The changed instruction makes b irrelevant, and b
// falls from rank 1 to rank 3: 1 - 1/3.
func ExamplePMRR() {
	value, ok := metrics.PMRR{}.Score(&metrics.Case{
		Before:  trec.Ranking{{Doc: "b", Score: 3}, {Doc: "a", Score: 2}, {Doc: "c", Score: 1}},
		Ranking: trec.Ranking{{Doc: "a", Score: 3}, {Doc: "c", Score: 2}, {Doc: "b", Score: 1}},
		Changed: []string{"b"},
	})
	fmt.Printf("p-MRR %.3f %v\n", value, ok)
	// Output:
	// p-MRR 0.667 true
}
