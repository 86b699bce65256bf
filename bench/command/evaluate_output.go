package command

import (
	"io"
	"strconv"

	"infbench/bench/output"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// printScores shows the mean of every scoring of an evaluation, times 100 as score
// prints it, then what is averaged over several tasks, by the
// definitions that reports have, and which tasks were ranked in part.
func printScores(w io.Writer, model string, values []results.Result, p results.Provenance) error {
	s := output.Sheet{Title: model, Left: 3, Head: []string{"task", "side", "measure", "mean", "n", "undefined"},
		Notes: []string{output.ScaleNote + "; report --format csv and json have them from 0 to 1"}}
	for _, scoring := range results.ByScoring(values) {
		value, n := results.Mean(scoring)
		r := scoring[0]
		s.Rows = append(s.Rows, scoreRow(r.Benchmark+"/"+r.Task, string(r.Side), r.Measure, value, n, len(scoring)-n))
	}
	v, err := scores.New([]*results.Experiment{{Trials: []results.Trial{{ID: model, State: results.Done, Results: values, Provenance: p}}}})
	if err != nil {
		return err
	}
	for _, name := range v.BenchmarkNames() {
		for _, c := range v.Means(name) {
			mean := v.Cell(v.Systems[0], c)
			s.Rows = append(s.Rows, scoreRow(c.Test(), c.Side, c.Measure, mean.Value, mean.Queries, mean.Undefined))
		}
		s.Notes = append(s.Notes, v.MeansNotes(v.MainColumns(name))...)
	}
	for _, c := range results.PartCovered(values) {
		s.Notes = append(s.Notes, model+" "+c.String())
	}
	return s.WriteTable(w)
}

// scoreRow words a mean of n values; undefined ones are counted, not averaged.
func scoreRow(test, side, measure string, mean float64, n, undefined int) []string {
	row := []string{test, side, measure, "undefined", strconv.Itoa(n), ""}
	if n > 0 {
		row[3] = output.Mean(measure, mean)
	}
	if undefined > 0 {
		row[5] = strconv.Itoa(undefined)
	}
	return row
}
