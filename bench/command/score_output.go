package command

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"infbench/bench/output"
	"infbench/metrics"
	"infbench/metrics/trec"
	"infbench/runners/catalog"
)

// scoredRun is the result of score.
type scoredRun struct {
	cases    []*metrics.Case
	asked    []catalog.AskedMeasure
	rows     [][]metrics.Row // by measure and case, in the order of measures() and cases
	tag      string
	qrels    trec.Qrels
	complete bool
	zscores  metrics.ZScores // nil: unscaled values
}

// measures lists the measures to compute: all requested ones except text.
func (s scoredRun) measures() []metrics.Measure {
	var all []metrics.Measure
	for _, a := range s.numeric() {
		all = append(all, a.Trec.Measure)
	}
	return all
}

// numeric drops the fields that only --format trec prints.
func (s scoredRun) numeric() []catalog.AskedMeasure {
	var all []catalog.AskedMeasure
	for _, a := range s.asked {
		if a.Trec.Measure != nil {
			all = append(all, a)
		}
	}
	return all
}

// write prints in one of Formats.
func (s scoredRun) write(w io.Writer, format string, perQuery bool) error {
	if format == "trec" {
		return s.writeTrec(w, perQuery)
	}
	return output.Print(w, format, s.json(), s.list(perQuery), s.table(perQuery))
}

// json is {"mean": {measure: value}, "queries": {query: {measure: value}}}; an undefined
// value is null.
func (s scoredRun) json() any {
	mean, queries := map[string]*float64{}, map[string]map[string]*float64{}
	for _, c := range s.cases {
		queries[c.Query] = map[string]*float64{}
	}
	for i, a := range s.numeric() {
		mean[a.Label] = finite(metrics.Summarize(a.Trec.Measure, s.rows[i]))
		for _, r := range s.rows[i] {
			queries[r.Case.Query][a.Label] = finite(r.Value, r.OK)
		}
	}
	return map[string]any{"mean": mean, "queries": queries}
}

// finite is nil for a value that is undefined or that JSON cannot hold.
func finite(v float64, ok bool) *float64 {
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// list is one row for each query and measure, the summary last as query "all";
// an undefined value is empty.
func (s scoredRun) list(perQuery bool) output.Sheet {
	out := output.Sheet{Head: []string{"query", "measure", "value"}}
	asked := s.numeric()
	for at := range s.cases {
		for i, a := range asked {
			if r := s.rows[i][at]; perQuery {
				out.Rows = append(out.Rows, []string{r.Case.Query, a.Label, output.Exact(finite(r.Value, r.OK))})
			}
		}
	}
	for i, a := range asked {
		v, ok := metrics.Summarize(a.Trec.Measure, s.rows[i])
		out.Rows = append(out.Rows, []string{"all", a.Label, output.Exact(finite(v, ok))})
	}
	return out
}

// table has a row for each measure with its summary and the number of queries for which it is
// defined; with perQuery, a row for each query precedes it.
func (s scoredRun) table(perQuery bool) output.Sheet {
	out := output.Sheet{
		Title: fmt.Sprintf("%d queries, run %s", len(s.cases), s.tag),
		Head:  []string{"measure", "query", "value", "queries"}, Left: 2,
		Notes: []string{output.ScaleNote + "; --format trec, json and csv have them from 0 to 1"},
	}
	for i, a := range s.numeric() {
		defined := 0
		for _, r := range s.rows[i] {
			if r.OK {
				defined++
			}
			if perQuery {
				out.Rows = append(out.Rows, []string{a.Label, r.Case.Query, decimals(a, r.Value, r.OK), ""})
			}
		}
		v, ok := metrics.Summarize(a.Trec.Measure, s.rows[i])
		out.Rows = append(out.Rows, []string{a.Label, "all", decimals(a, v, ok), strconv.Itoa(defined)})
		if defined < len(s.cases) {
			out.Notes = append(out.Notes, fmt.Sprintf("%s is defined for %d of %d queries; its summary is over those", a.Label, defined, len(s.cases)))
		}
	}
	return out
}

// decimals prints a value for people: a count as an integer, the rest times 100.
func decimals(a catalog.AskedMeasure, v float64, ok bool) string {
	switch {
	case !ok:
		return "undefined"
	case a.Trec.Integer:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return output.Mean(a.Trec.Measure.String(), v)
}
