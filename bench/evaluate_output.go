package main

import (
	"fmt"
	"io"
	"strconv"

	"infbench/bench/results"
	"infbench/bench/sheet"
)

// printScores shows the mean of every scoring of an evaluation, in the measures'
// native range as score prints it, and which tasks were ranked in part.
func printScores(w io.Writer, model string, scores []results.Result) error {
	s := sheet.Sheet{Title: model, Left: 3, Head: []string{"task", "side", "measure", "mean", "n", "undefined"}}
	for _, scoring := range results.ByScoring(scores) {
		value, n := results.Mean(scoring)
		mean, undefined := "undefined", ""
		if n > 0 {
			mean = fmt.Sprintf("%.4f", value)
		}
		if n < len(scoring) { // counted, not averaged
			undefined = strconv.Itoa(len(scoring) - n)
		}
		r := scoring[0]
		s.Rows = append(s.Rows, []string{r.Benchmark + "/" + r.Task, string(r.Side), r.Measure, mean, strconv.Itoa(n), undefined})
	}
	for _, c := range results.PartCovered(scores) {
		s.Notes = append(s.Notes, model+" "+c.String())
	}
	return s.WriteTable(w)
}
