package results

import (
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/metrics"
	"infbench/metrics/trec"
)

// Score computes every scoring that a task asks for from a run over its
// queries: one Result per scoring and query, per instruction pair where a measure
// needs the pair, or per group of queries where it judges groups. A query that the run
// lacks is scored as an empty ranking, as trec_eval -c does, so no system gains by
// leaving queries out.
func Score(benchmark string, task *datasets.Task, run trec.Run) ([]Result, error) {
	var out []Result
	run = task.Ranked(run)
	for _, s := range task.Scorings {
		m, err := metrics.Parse(s.Measure)
		if err != nil {
			return nil, fmt.Errorf("task %s/%s: %w", benchmark, task.Name, err)
		}
		var each []Result
		for _, c := range cases(task, s, run) {
			r := Result{Benchmark: benchmark, Task: task.Name, Query: c.Query, Side: s.Side, Measure: m.String(), Unranked: c.unranked}
			if value, ok := m.Score(&c.Case); ok {
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

// lowest are the results of groups of queries, each under the group's name: the lowest
// value of its queries, so that their mean is the measure's summary. Groups are in the
// order in which they begin.
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

// runCase is a case of a run that may lack a ranking of it.
type runCase struct {
	metrics.Case
	unranked bool
}

// cases lists what one scoring looks at, in the order of the task's queries or
// pairs.
func cases(task *datasets.Task, s datasets.Scoring, run trec.Run) []runCase {
	var out []runCase
	documents, pool := 0, metrics.NewPool(task.Qrels)
	if task.Corpus != nil {
		documents = task.Corpus.Len()
	}
	one := func(name, query string) runCase {
		ranking, found := run[query]
		return runCase{metrics.Case{Query: name, Judgments: task.Qrels[query], Ranking: ranking,
			Aspects: task.Aspects[query], Documents: documents, Pool: pool}, !found}
	}
	if len(task.Pairs) == 0 {
		for _, q := range task.Queries {
			out = append(out, one(q.ID, q.ID))
		}
		return out
	}
	for _, p := range task.Pairs {
		switch s.Side {
		case datasets.Original:
			out = append(out, one(p.ID, p.Original))
		case datasets.Changed:
			out = append(out, one(p.ID, p.Changed))
		case datasets.Reversed:
			out = append(out, one(p.ID, p.Reversed))
		default:
			c, before := one(p.ID, p.Changed), one(p.ID, p.Original)
			c.Before, c.BeforeJudgments = before.Ranking, before.Judgments
			c.Reversed = run[p.Reversed]
			c.Changed = p.Moved
			c.unranked = c.unranked || before.unranked
			out = append(out, c)
		}
	}
	return out
}
