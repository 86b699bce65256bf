package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/metrics/trec"
)

// comparisonPlan defines how the rankings in run files are compared, query by query, and what
// else is reported. Run folders are compared by package reports.
type comparisonPlan struct {
	stats.Plan
	Moved      int     // number of queries that moved most to list, for each system
	Power      float64 // probability of finding the smallest difference; 0: no power analysis
	Difference float64 // with Power, the difference to plan for; 0: none
}

// comparison is the result for one measure.
type comparison struct {
	Measure   string        `json:"measure"`
	Queries   int           `json:"queries"`
	Undefined []string      `json:"undefined"` // queries left out: no value in some run
	Missing   []string      `json:"missing"`   // queries left out: absent from some run
	Runs      []comparedRun `json:"runs"`      // the baseline first
}

// comparedRun is one system by one measure. All fields except Run and Mean compare it with
// the baseline, and are absent for the baseline itself.
type comparedRun struct {
	Run        string        `json:"run"`
	Mean       float64       `json:"mean"`
	Comparison *stats.Versus `json:"versus_baseline,omitempty"`
	Rank       *stats.Rank   `json:"rank,omitempty"`
	Moved      []movedQuery  `json:"moved,omitempty"`
	Power      *detection    `json:"power,omitempty"`
}

// movedQuery holds a query's values under the baseline and a system.
type movedQuery struct {
	Query    string  `json:"query"`
	Baseline float64 `json:"baseline"`
	Value    float64 `json:"value"`
}

// queryScores holds a run's values: query -> one Number for each measure. Queries that the
// run lacks are absent.
type queryScores map[string][]stats.Number

// scoreRun measures every judged query of a run, including missing queries only if complete.
func scoreRun(run trec.Run, qrels trec.Qrels, measures []metrics.Measure, complete bool) queryScores {
	scores := make(queryScores)
	in := metrics.Inputs{Run: run, Qrels: qrels, Pool: metrics.NewPool(qrels)}
	for query := range qrels {
		if _, ok := run[query]; !ok && !complete {
			continue
		}
		values := make([]stats.Number, len(measures))
		c := in.Case(metrics.Unit{Name: query, Query: query})
		c.Prepare()
		for i, m := range measures {
			if v, ok := m.Score(c); ok {
				values[i] = stats.Defined(v)
			}
		}
		scores[query] = values
	}
	return scores
}

// Systems compares systems, each of scored[system][seed], by measure m of their scores, on
// the queries for which all runs have a value. The first system is the baseline.
func (p comparisonPlan) Systems(measure metrics.Measure, m int, names []string, scored [][]queryScores, qrels trec.Qrels) (*comparison, error) {
	better, err := metrics.Selector(measure)
	if err != nil {
		return nil, err
	}
	c := &comparison{Measure: measure.String(), Undefined: []string{}, Missing: []string{}}
	queries, values := c.collect(m, scored, slices.Sorted(maps.Keys(qrels)))
	c.Queries = len(queries)
	if len(queries) == 0 {
		return nil, fmt.Errorf("no query has a value in all runs (%d judged, %d missing from a run, %d undefined)",
			len(qrels), len(c.Missing), len(c.Undefined))
	}
	means := make([][]float64, len(values)) // [system][query]
	for i := range values {
		means[i] = stats.SeedMeans(values[i])
	}
	versus, err := p.Versus(values)
	if err != nil {
		return nil, err
	}
	for i, v := range versus {
		r := comparedRun{Run: names[i], Mean: v.Mean}
		if i > 0 {
			if better == metrics.Lower { // stats counts the higher value as a win
				v.Wins, v.Losses = v.Losses, v.Wins
			}
			r.Comparison = &v
			r.Moved = mostMoved(queries, means[0], means[i], p.Moved)
		}
		c.Runs = append(c.Runs, r)
	}
	return c, errors.Join(c.rank(p, better, values), c.detect(p, values, means))
}

// collect gathers the values by measure m as values[system][seed][query], for the queries
// that all runs have; it notes the others in the comparison.
func (c *comparison) collect(m int, scored [][]queryScores, judged []string) (queries []string, values [][][]float64) {
	values = make([][][]float64, len(scored))
	for i, runs := range scored {
		values[i] = make([][]float64, len(runs))
	}
	for _, query := range judged {
		row, missing, undefined := valuesOf(query, m, slices.Concat(scored...))
		switch {
		case missing:
			c.Missing = append(c.Missing, query)
			continue
		case undefined:
			c.Undefined = append(c.Undefined, query)
			continue
		}
		queries = append(queries, query)
		for i := range values {
			for seed := range values[i] {
				values[i][seed] = append(values[i][seed], row[0])
				row = row[1:]
			}
		}
	}
	return queries, values
}

// rank computes the possible places of each system, of three or more; place 1 is the best.
func (c *comparison) rank(p comparisonPlan, better metrics.Direction, values [][][]float64) error {
	if len(values) < 3 {
		return nil
	}
	oriented := make([][][]float64, len(values)) // higher is better
	for i, runs := range values {
		for _, run := range runs {
			turned := make([]float64, len(run))
			for q, v := range run {
				turned[q] = better.Oriented(v)
			}
			oriented[i] = append(oriented[i], turned)
		}
	}
	ranks, err := p.Ranks(oriented)
	for i := range ranks {
		c.Runs[i].Rank = &ranks[i]
	}
	return err
}

// valuesOf returns a query's value by measure m in every run.
func valuesOf(query string, m int, scored []queryScores) (row []float64, missing, undefined bool) {
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

// mostMoved returns up to n queries whose values differ, the largest difference first, ties
// in the order of queries.
func mostMoved(queries []string, a, b []float64, n int) []movedQuery {
	var moved []movedQuery
	for _, i := range stats.Moved(a, b, n) {
		moved = append(moved, movedQuery{queries[i], a[i], b[i]})
	}
	return moved
}
