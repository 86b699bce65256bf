package metrics_test

import (
	"fmt"
	"slices"

	"infbench/metrics"
	"infbench/metrics/trec"
)

// FirstRelevant is the rank of the first relevant document, undefined if there is none.
type FirstRelevant struct{}

func (FirstRelevant) String() string { return "FirstRelevant" }

func (FirstRelevant) Score(c *metrics.Case) (float64, bool) {
	i := slices.IndexFunc(c.Ranking, func(hit trec.Scored) bool { return c.Judgments[hit.Doc] > 0 })
	return float64(i + 1), i >= 0
}

// A custom measure is a type with a String and a Score method.
func ExampleMeasure() {
	cases := must(metrics.Inputs{
		Run:   trec.Run{"q1": {{Doc: "b", Score: 2}, {Doc: "a", Score: 1}}, "q2": {{Doc: "c", Score: 1}}},
		Qrels: trec.Qrels{"q1": {"a": 1}, "q2": {"c": 1}},
	}.Cases())
	rows := metrics.ScoreAll([]metrics.Measure{FirstRelevant{}}, cases)[0]
	mean, _ := metrics.Summarize(FirstRelevant{}, rows)
	fmt.Println(rows[0].Value, rows[1].Value, mean)
	// Output: 2 1 1.5
}
