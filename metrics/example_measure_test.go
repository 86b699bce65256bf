package metrics_test

import (
	"fmt"

	"infbench/metrics"
	"infbench/metrics/trec"
)

// FirstRelevant is the rank of the first relevant document.
type FirstRelevant struct{}

func (FirstRelevant) String() string { return "FirstRelevant" }

func (FirstRelevant) Score(c *metrics.Case) (float64, bool) {
	for i, hit := range c.Ranking {
		if c.Judgments[hit.Doc] > 0 {
			return float64(i + 1), true
		}
	}
	return 0, false // undefined: an undefined value is never a zero
}

// A measure of one's own is a type with a name and a Score.
func ExampleMeasure() {
	cases, err := metrics.Inputs{
		Run: trec.Run{
			"q1": {{Doc: "b", Score: 2}, {Doc: "a", Score: 1}},
			"q2": {{Doc: "c", Score: 1}},
			"q3": {{Doc: "b", Score: 1}},
		},
		Qrels: trec.Qrels{"q1": {"a": 1}, "q2": {"c": 1}, "q3": {"d": 1}},
	}.Cases()
	if err != nil {
		panic(err)
	}
	rows := metrics.ScoreAll([]metrics.Measure{FirstRelevant{}}, cases)[0]
	for _, row := range rows {
		fmt.Println(row.Case.Query, row.Value, row.OK)
	}
	mean, _ := metrics.Summarize(FirstRelevant{}, rows)
	fmt.Println("mean", mean)
	// Output:
	// q1 2 true
	// q2 1 true
	// q3 0 false
	// mean 1.5
}
