package command

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"infbench/bench/output"
	"infbench/datasets"
	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// printScores shows the mean of every scoring of an evaluation, times 100 as score prints it,
// then the averages over several tasks as reports define them, and the tasks that were ranked
// in part.
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
		for _, c := range v.Columns(name).Means() {
			mean := v.Cell(v.Systems[0], c)
			s.Rows = append(s.Rows, scoreRow(c.Test(), c.Side, c.Measure, mean.Value, mean.Queries, mean.Undefined))
		}
		s.Notes = append(s.Notes, scores.MeansNotes(v, v.Columns(name).Main())...)
	}
	for _, c := range results.PartCovered(values) {
		s.Notes = append(s.Notes, model+" "+c.String())
	}
	return s.WriteTable(w)
}

// printEvaluated prints the result of an evaluation, or the mean over the seeds of a system.
func printEvaluated(w io.Writer, all []scored) error {
	first := &all[0]
	title, values := first.name, first.record.Results
	if len(all) > 1 {
		title = fmt.Sprintf("%s, mean of %d seeds", first.record.Config[results.Loss], len(all))
		values = meanOfSeeds(all)
	}
	if err := printScores(w, title, values, first.record.Provenance); err != nil {
		return err
	}
	var lines []string
	if source, err := datasets.FindSource(first.record.Provenance.Benchmarks[0].Name); err == nil {
		lines = append(lines, "protocol: "+source.Protocol)
	}
	for i := range all {
		p := &all[i].record.Provenance
		for _, d := range p.Deviations {
			lines = words.AddNew(lines, d.String())
		}
		for _, a := range p.Approximations {
			lines = words.AddNew(lines, a.String())
		}
		for _, line := range append(p.Chat.Sentences(), all[i].remarks...) {
			lines = words.AddNew(lines, line)
		}
		lines = append(lines, "rankings and per-query values: "+all[i].dir)
	}
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			fmt.Fprintln(w, words.Clean(line))
		}
	}
	return nil
}

// meanOfSeeds averages each value over evaluations of one system that differ in the seed. A
// value that is undefined in one of them is undefined; a value that one of them lacks is left
// out.
func meanOfSeeds(all []scored) (means []results.Result) {
	type value struct{ benchmark, task, query, side, measure string }
	of := func(r *results.Result) value {
		return value{r.Benchmark, r.Task, r.Query, string(r.Side), r.Measure}
	}
	found := map[value][]*float64{}
	for _, one := range all {
		for i := range one.record.Results {
			r := &one.record.Results[i]
			found[of(r)] = append(found[of(r)], r.Value)
		}
	}
	for _, r := range all[0].record.Results {
		values := found[of(&r)]
		if len(values) < len(all) {
			continue
		}
		sum := 0.0
		for _, v := range values {
			if v != nil {
				sum += *v / float64(len(values))
			}
		}
		if r.Value = &sum; slices.Contains(values, nil) {
			r.Value = nil
		}
		means = append(means, r)
	}
	return means
}

// scoreRow formats a mean of n values; undefined ones are counted, not averaged.
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
