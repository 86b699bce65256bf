package metrics_test

import (
	"fmt"
	"strings"

	"infbench/metrics"
	"infbench/metrics/trec"
)

// Score a run against judgments, both in TREC's formats.
func Example() {
	qrels, err := trec.Options{}.ReadQrels(strings.NewReader("q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n"), "qrels")
	if err != nil {
		panic(err)
	}
	run, _, err := trec.Options{}.ReadRun(strings.NewReader(
		"q1 Q0 b 1 9.5 mine\nq1 Q0 a 2 7.1 mine\nq2 Q0 c 1 3.2 mine\n"), "run")
	if err != nil {
		panic(err)
	}
	cases, err := metrics.Inputs{Run: run, Qrels: qrels}.Cases()
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"nDCG@10", "AP", "R@100"} {
		measure, err := metrics.Parse(name)
		if err != nil {
			panic(err)
		}
		rows := metrics.ScoreAll([]metrics.Measure{measure}, cases)[0]
		mean, _ := metrics.Summarize(measure, rows)
		fmt.Printf("%s: q1 %.3f, q2 %.3f, mean %.3f\n", measure, rows[0].Value, rows[1].Value, mean)
	}
	// Output:
	// nDCG@10: q1 0.631, q2 1.000, mean 0.815
	// AP: q1 0.500, q2 1.000, mean 0.750
	// R@100: q1 1.000, q2 1.000, mean 1.000
}

// Score one query under two instructions. The changed instruction makes b irrelevant, and b
// falls from rank 1 to rank 3: 1 - 1/3.
func ExamplePMRR() {
	pair := &metrics.Case{
		Query:   "q1",
		Before:  trec.Ranking{{Doc: "b", Score: 3}, {Doc: "a", Score: 2}, {Doc: "c", Score: 1}},
		Ranking: trec.Ranking{{Doc: "a", Score: 3}, {Doc: "c", Score: 2}, {Doc: "b", Score: 1}},
		Changed: []string{"b"},
	}
	value, ok := metrics.PMRR{}.Score(pair)
	fmt.Printf("p-MRR %.3f %v\n", value, ok)
	// Output:
	// p-MRR 0.667 true
}
