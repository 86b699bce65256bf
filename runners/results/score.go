package results

import (
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/metrics"
	"infbench/metrics/trec"
)

// Score computes every scoring of a task from a run over its queries. It returns one Result for
// each scoring and query, or for each instruction pair if a measure needs the pair, or for each
// group of queries if a measure judges groups. A query that the run lacks is scored as an empty
// ranking, as trec_eval -c does, so that no system gains by leaving queries out.
func Score(benchmark string, task *datasets.Task, run trec.Run) ([]Result, error) {
	var out []Result
	run = task.Ranked(run)
	in := Inputs(task, run)
	for _, s := range task.Scorings {
		m, err := metrics.Parse(s.Measure)
		if err != nil {
			return nil, fmt.Errorf("task %s/%s: %w", benchmark, task.Name, err)
		}
		var each []Result
		for _, u := range units(task, s.Side) {
			r := Result{Benchmark: benchmark, Task: task.Name, Query: u.Name, Side: s.Side, Measure: m.String(), Unranked: lacks(run, u)}
			if value, ok := m.Score(in.Case(u)); ok {
				r.Value = &value
			}
			each = append(each, r)
		}
		if by, ok := m.(metrics.Grouped); ok {
			each = lowest(each, by)
		}
		out = append(out, each...)
	}
	return out, nil
}

// lowest returns the results of groups of queries under the groups' names. The value of a group
// is the lowest value of its queries, so that the mean is the measure's summary. Groups are in
// the order of their first queries.
func lowest(each []Result, by metrics.Grouped) (out []Result) {
	place, size := map[string]int{}, map[string]int{}
	for _, r := range each {
		r.Query = by.Group(r.Query)
		i, seen := place[r.Query]
		if !seen {
			i = len(out)
			place[r.Query] = i
			out = append(out, r)
		}
		group := &out[i]
		group.Unranked = group.Unranked || r.Unranked
		if r.Value == nil {
			continue
		}
		size[r.Query]++
		if group.Value == nil || *r.Value < *group.Value {
			group.Value = r.Value
		}
	}
	return slices.DeleteFunc(out, func(r Result) bool { return size[r.Query] < by.Least() })
}

// Inputs returns the inputs of a task's measures: a run over its queries, and its data.
func Inputs(task *datasets.Task, run trec.Run) metrics.Inputs {
	in := metrics.Inputs{Run: run, Before: run, Reversed: run, Qrels: task.Qrels, BeforeQrels: task.Qrels,
		Aspects: task.Aspects, Pool: metrics.NewPool(task.Qrels)}
	if task.Corpus != nil {
		in.Documents = task.Corpus.Len()
	}
	return in
}

// units lists the queries or pairs of one side of a task that have values, in the order of the
// task. None means both sides together.
func units(task *datasets.Task, side datasets.Side) (all []metrics.Unit) {
	for _, p := range task.Pairs {
		u := metrics.Unit{Name: p.ID, Query: p.Query(side)}
		if side == datasets.None {
			u.Original, u.Reversed, u.Moved = p.Original, p.Reversed, p.Moved
		}
		all = append(all, u)
	}
	if len(task.Pairs) == 0 {
		for _, q := range task.Queries {
			all = append(all, metrics.Unit{Name: q.ID, Query: q.ID})
		}
	}
	return all
}

// lacks reports whether a run has no ranking of a query in a unit.
func lacks(run trec.Run, u metrics.Unit) bool {
	_, found := run[u.Query]
	_, before := run[u.Original]
	return !found || u.Original != "" && !before
}
