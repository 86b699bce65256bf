// Package probe asks the queries of a task again with other instructions, or without one. It
// measures how well each is answered and how far its ranking moves. Package reports interprets
// the measurements; nothing here ranks or encodes.
package probe

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"infbench/datasets"
	"infbench/metrics"
	"infbench/metrics/trec"
	"infbench/runners"
	"infbench/runners/results"
)

// Probe is a retriever that wraps another. For each task it also asks the queries with other
// instructions, all in one call, so that documents are encoded once. It returns the rankings of
// the task's own queries and keeps the measurements of the others.
type Probe struct {
	runners.Retriever
	Options
	Benchmark string
	Lines     []results.Probed // from all tasks so far

	// Keep receives the rankings of a task's queries under other instructions; nil keeps none.
	Keep func(task string, run trec.Run) error
}

var _ runners.Retriever = (*Probe)(nil)

// Retrieve ranks the task's own queries as the wrapped retriever does.
func (p *Probe) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	measure, err := Main(task)
	if err != nil {
		return nil, err
	}
	all := p.ask(task)
	run, err := p.Retriever.Retrieve(ctx, derived(task, all), depth)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if _, own := run[a.query.ID]; run[a.id] == nil && own {
			return nil, fmt.Errorf("%s has no ranking of query %s with another instruction: saved rankings cannot be probed", p.Name(), a.query.ID)
		}
		p.Lines = append(p.Lines, p.line(task, measure, a, run))
	}
	own, asked := split(task, run)
	if p.Keep == nil {
		return own, nil
	}
	return own, p.Keep(task.Name, asked)
}

// split separates the rankings of a task's own queries from the others.
func split(task *datasets.Task, run trec.Run) (own, asked trec.Run) {
	own, asked = make(trec.Run, len(task.Queries)), maps.Clone(run)
	for _, q := range task.Queries {
		if ranking, found := run[q.ID]; found {
			own[q.ID] = ranking
			delete(asked, q.ID)
		}
	}
	return own, asked
}

// line returns the measurements of one question, by the judgments of the query's own
// instruction.
func (p *Probe) line(task *datasets.Task, m metrics.Measure, a asked, run trec.Run) results.Probed {
	line := results.Probed{Benchmark: p.Benchmark, Task: task.Name, Item: a.item, Query: a.query.ID, Kind: a.kind, Asked: a.id, Instruction: a.instruction,
		Types: TypesOf(a.query.Instruction), Measure: m.String()}
	measure(&line, m, task, run[a.query.ID], run[a.id])
	return line
}

// measure computes the numbers of a line.
func measure(line *results.Probed, m metrics.Measure, task *datasets.Task, own, asked trec.Ranking) {
	line.Value, line.Overlap = nil, Overlap(own, asked)
	in := results.Inputs(task, trec.Run{line.Query: asked})
	if value, ok := m.Score(in.Case(metrics.Unit{Name: line.Query, Query: line.Query})); ok {
		line.Value = &value
	}
}

// Again returns a line with its numbers computed again from saved rankings.
func Again(line results.Probed, task *datasets.Task, own, asked trec.Run) (results.Probed, error) {
	m, err := metrics.Parse(line.Measure)
	if err != nil {
		return line, err
	}
	ranking := asked[line.Asked]
	if line.Kind == results.AskedOwn {
		ranking = own[line.Query]
	}
	measure(&line, m, task, own[line.Query], ranking)
	return line, nil
}

// derived returns a task with all questions added after its own queries. A question has the
// judgments, candidates and exclusions of its query.
func derived(t *datasets.Task, all []asked) *datasets.Task {
	d := *t
	d.Queries = slices.Clone(t.Queries)
	d.Qrels, d.Candidates, d.Excluded = maps.Clone(t.Qrels), maps.Clone(t.Candidates), maps.Clone(t.Excluded)
	for _, a := range all {
		if a.kind == results.AskedOwn {
			continue
		}
		d.Queries = append(d.Queries, datasets.Query{ID: a.id, Text: a.query.Text, Instruction: a.instruction})
		copyKey(d.Qrels, a.query.ID, a.id)
		copyKey(d.Candidates, a.query.ID, a.id)
		copyKey(d.Excluded, a.query.ID, a.id)
	}
	return &d
}

func copyKey[V any](m map[string]V, from, to string) {
	if v, ok := m[from]; ok {
		m[to] = v
	}
}

// Main returns the measure for probing a task: the first of its measures that has values by
// query and is better when higher.
func Main(t *datasets.Task) (metrics.Measure, error) {
	for _, s := range t.Scorings {
		m, err := metrics.Parse(s.Measure)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", t.Name, err)
		}
		direction, err := metrics.DirectionOf(m.String())
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", t.Name, err)
		}
		if metrics.NeedsRun(m) && !metrics.NeedsPairs(m) && direction == metrics.Higher {
			return m, nil
		}
	}
	return nil, fmt.Errorf("task %s has no measure of single queries that is better when higher: name one with --measure", t.Name)
}

// Check returns an error for a benchmark whose queries have no instruction.
func Check(b *datasets.Benchmark) error {
	if err := b.CheckPublic(); err != nil {
		return err // the instructions are written next to the numbers
	}
	n := 0
	for i := range b.Tasks {
		n += len(itemsOf(&b.Tasks[i]))
	}
	if n == 0 {
		return fmt.Errorf("no query of %s has an instruction: there is nothing to probe", b.Name)
	}
	return nil
}
