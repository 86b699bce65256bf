// Package compare tests whether the rankings in run files differ, query by query. It
// prints nothing, and knows of no run folder: those are compared by package reports.
package compare

import (
	"fmt"
	"maps"
	"slices"

	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/metrics/trec"
)

// Comparison is what is found by one measure.
type Comparison struct {
	Measure   string   `json:"measure"`
	Queries   int      `json:"queries"`
	Undefined []string `json:"undefined"` // queries left out: no value in some run
	Missing   []string `json:"missing"`   // queries left out: absent from some run
	Runs      []Run    `json:"runs"`      // the baseline first
}

// Run is one run by one measure; all but Run and Mean compare it with
// the baseline and are absent for that.
type Run struct {
	Run        string        `json:"run"`
	Mean       float64       `json:"mean"`
	Comparison *stats.Versus `json:"versus_baseline,omitempty"`
	Rank       *stats.Rank   `json:"rank,omitempty"`
	Moved      []MovedQuery  `json:"moved,omitempty"`
}

// MovedQuery is one query under the baseline and under a run.
type MovedQuery struct {
	Query    string  `json:"query"`
	Baseline float64 `json:"baseline"`
	Value    float64 `json:"value"`
}

// Scores holds a run's values: query -> one Number a measure. Queries that
// the run lacks are absent.
type Scores map[string][]stats.Number

// Score measures every judged query of a run, those it lacks only if complete.
func Score(run trec.Run, qrels trec.Qrels, measures []metrics.Measure, complete bool) Scores {
	scores := make(Scores)
	for query, judgments := range qrels {
		ranking, ok := run[query]
		if !ok && !complete {
			continue
		}
		values := make([]stats.Number, len(measures))
		c := metrics.Case{Query: query, Judgments: judgments, Ranking: ranking}
		c.Prepare()
		for i, m := range measures {
			if v, ok := m.Score(&c); ok {
				values[i] = stats.Defined(v)
			}
		}
		scores[query] = values
	}
	return scores
}

// Runs compares runs by measure m of their scores on the queries that all have a
// value for, the first being the baseline, and keeps so many queries that moved.
func Runs(plan stats.Plan, measure metrics.Measure, m int, names []string, scored []Scores, qrels trec.Qrels, most int) (*Comparison, error) {
	better, err := metrics.Selector(measure)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Measure: measure.String(), Undefined: []string{}, Missing: []string{}}
	values := make([][]float64, len(scored))   // [run][query]
	oriented := make([][]float64, len(scored)) // the same, higher being better
	var queries []string
	for _, query := range slices.Sorted(maps.Keys(qrels)) {
		row, missing, undefined := valuesOf(query, m, scored)
		switch {
		case missing:
			c.Missing = append(c.Missing, query)
		case undefined:
			c.Undefined = append(c.Undefined, query)
		default:
			queries = append(queries, query)
			for i, v := range row {
				values[i] = append(values[i], v)
				oriented[i] = append(oriented[i], better.Oriented(v))
			}
		}
	}
	c.Queries = len(queries)
	if len(queries) == 0 {
		return nil, fmt.Errorf("no query has a value in all runs (%d judged, %d missing from a run, %d undefined)",
			len(qrels), len(c.Missing), len(c.Undefined))
	}
	versus, err := plan.Versus(values)
	if err != nil {
		return nil, err
	}
	var ranks []stats.Rank
	if len(scored) > 2 {
		if ranks, err = plan.Ranks(oriented); err != nil {
			return nil, err
		}
	}
	for i, v := range versus {
		r := Run{Run: names[i], Mean: v.Mean}
		if ranks != nil {
			r.Rank = &ranks[i]
		}
		if i > 0 {
			if better == metrics.Lower { // stats counts the higher value as a win
				v.Wins, v.Losses = v.Losses, v.Wins
			}
			r.Comparison = &v
			r.Moved = mostMoved(queries, values[0], values[i], most)
		}
		c.Runs = append(c.Runs, r)
	}
	return c, nil
}

// valuesOf returns a query's value by measure m in every run.
func valuesOf(query string, m int, scored []Scores) (row []float64, missing, undefined bool) {
	for _, s := range scored {
		values, ok := s[query]
		if !ok {
			return nil, true, false
		}
		v, ok := values[m].Get()
		if !ok {
			undefined = true
		}
		row = append(row, v)
	}
	return row, false, undefined
}

// mostMoved returns up to n queries whose values differ, the largest difference
// first, equal ones by query.
func mostMoved(queries []string, a, b []float64, n int) []MovedQuery {
	var moved []MovedQuery
	for _, i := range stats.Moved(a, b, n) {
		moved = append(moved, MovedQuery{queries[i], a[i], b[i]})
	}
	return moved
}
