package trial

import (
	"errors"
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/runners/engine"
	"infbench/runners/results"
)

// Joined is the evaluation in an output folder where it was joined of these shards and has
// a value of all that is to be measured, nil where it was not.
func (s *ShardSet) Joined(at results.Folder) (*results.Trial, error) {
	if s == nil {
		return nil, nil
	}
	var was results.Trial
	if err := at.Reader().Trial(&was); err != nil || was.State != results.Done {
		return nil, err
	}
	shards := was.Provenance.Shards
	if len(shards) != s.Of || len(results.WhatDiffers(&was, s.is)) > 0 || was.Provenance.Source != s.is.Provenance.Source || !s.measured(was.Results) {
		return nil, nil
	}
	return &was, nil
}

// Yield is the error of claiming the output folder; nil, and told, where another process
// has it and joins the same shards.
func (s *ShardSet) Yield(err error) error {
	if s != nil && errors.Is(err, engine.ErrBusy) {
		s.tell("another process joins the shards")
		return nil
	}
	return err
}

// measured says whether values are there of every scoring of every task.
func (s *ShardSet) measured(values []results.Result) bool {
	type scoring struct {
		benchmark, task string
		datasets.Scoring
	}
	there := map[scoring]bool{}
	for _, r := range values {
		there[scoring{r.Benchmark, r.Task, datasets.Scoring{Measure: r.Measure, Side: r.Side}}] = true
	}
	for task, benchmark := range s.of {
		if slices.ContainsFunc(task.Scorings, func(asked datasets.Scoring) bool { return !there[scoring{benchmark, task.Name, asked}] }) {
			return false
		}
	}
	return true
}

// Describe notes in the provenance of the joined evaluation how its shards were ranked.
func (s *ShardSet) Describe(p *results.Provenance) error {
	if s == nil {
		return nil
	}
	for n := 1; n <= s.Of; n++ {
		was, err := s.read(n)
		if err == nil && was == nil {
			err = errors.New("it is no more")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name(n), err)
		}
		p.Shards = append(p.Shards, was.Provenance.Shards...)
	}
	if other := slices.IndexFunc(p.Shards, func(x results.Shard) bool { return x.Backend != p.Shards[0].Backend }); other >= 0 {
		s.tell(fmt.Sprintf("shards were ranked by unlike backends, whose last digits may differ: %s by %s, %s by %s",
			s.name(1), p.Shards[0].Backend, s.name(other+1), p.Shards[other].Backend))
	}
	return nil
}

// Drop removes the shards of an evaluation that is joined.
func (s *ShardSet) Drop(at results.Folder) error {
	if s == nil {
		return nil
	}
	if err := at.Shards().Drop(); err != nil {
		return fmt.Errorf("remove shards: %w", err)
	}
	return nil
}
