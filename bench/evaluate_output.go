package main

import (
	"fmt"
	"io"
	"strconv"

	"infbench/bench/results"
	"infbench/bench/sheet"
)

// printScores shows the mean of every scoring of an evaluation, in the measures'
// native range as score prints it.
func printScores(w io.Writer, model string, scores []results.Result) error {
	s := sheet.Sheet{Title: model, Left: 3, Head: []string{"task", "side", "measure", "mean", "n", "undefined"}}
	for _, scoring := range results.ByScoring(scores) {
		s.Rows = append(s.Rows, scoringRow(scoring))
	}
	return s.WriteTable(w)
}

// scoringRow averages the values of one scoring; queries for which the measure
// is undefined are counted, not averaged.
func scoringRow(values []results.Result) []string {
	value, n := results.Mean(values)
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
