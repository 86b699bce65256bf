package main

import (
	"fmt"
	"io"
	"strconv"

	"infbench/bench/results"
)

// printScores shows the mean of every scoring of an evaluation, in the measures'
// native range as score prints it.
func printScores(w io.Writer, model string, scores []results.Result) error {
	s := sheet{title: model, left: 3, head: []string{"task", "side", "measure", "mean", "n", "undefined"}}
	for len(scores) > 0 {
		of := scores[0]
		n := 0
		for n < len(scores) && sameScoring(scores[n], of) {
			n++
		}
		s.rows = append(s.rows, scoringRow(scores[:n]))
		scores = scores[n:]
	}
	return s.writeTable(w)
}

// sameScoring says whether two values belong to one mean.
func sameScoring(a, b results.Result) bool {
	return a.Benchmark == b.Benchmark && a.Task == b.Task && a.Side == b.Side && a.Measure == b.Measure
}

// scoringRow averages the values of one scoring; queries for which the measure
// is undefined are counted, not averaged.
func scoringRow(values []results.Result) []string {
	value, n := meanOf(values)
	mean, undefined := "undefined", ""
	if n > 0 {
		mean = fmt.Sprintf("%.4f", value)
	}
	if n < len(values) {
		undefined = strconv.Itoa(len(values) - n)
	}
	r := values[0]
	return []string{r.Benchmark + "/" + r.Task, string(r.Side), r.Measure, mean, strconv.Itoa(n), undefined}
}

// meanOf is the mean of the n values that are defined; of none it is 0.
func meanOf(values []results.Result) (mean float64, n int) {
	sum := 0.0
	for _, r := range values {
		if r.Value != nil {
			sum += *r.Value
			n++
		}
	}
	return sum / float64(max(n, 1)), n
}
