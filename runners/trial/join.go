package trial

import (
	"errors"
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/runners/engine"
	"infbench/runners/results"
)

// Joined returns the evaluation in an output folder if it was joined from these shards and has
// every value that is asked for, else nil.
func (s *ShardSet) Joined(at results.Folder) (*results.Trial, error) {
	if s == nil {
		return nil, nil
	}
	var was results.Trial
	if err := at.Reader().Trial(&was); err != nil || was.State != results.Done {
		return nil, err
	}
	shards := was.Provenance.Shards
	if len(shards) != s.Of || len(results.WhatDiffers(&was, s.evaluation)) > 0 || was.Provenance.Source != s.evaluation.Provenance.Source || !s.measured(was.Results) {
		return nil, nil
	}
	return &was, nil
}

// Yield returns the error of claiming the output folder. If another process has the folder and
// joins the same shards, Yield notifies the user and returns nil.
func (s *ShardSet) Yield(err error) error {
	if s != nil && errors.Is(err, engine.ErrBusy) {
		s.tell("another process joins the shards")
		return nil
	}
	return err
}

// measured reports whether there is a value for every scoring of every task.
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

// Describe records in the provenance of the joined evaluation how its shards were ranked.
func (s *ShardSet) Describe(p *results.Provenance) error {
	if s == nil {
		return nil
	}
	for n := 1; n <= s.Of; n++ {
		was, err := s.read(n)
		if err == nil && was == nil {
			err = errors.New("it no longer exists")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name(n), err)
		}
		p.Shards = append(p.Shards, was.Provenance.Shards...)
	}
	if other := slices.IndexFunc(p.Shards, func(x results.Shard) bool { return x.Backend != p.Shards[0].Backend }); other >= 0 {
		s.tell(fmt.Sprintf("shards were ranked by different backends, whose last digits may differ: %s by %s, %s by %s",
			s.name(1), p.Shards[0].Backend, s.name(other+1), p.Shards[other].Backend))
	}
	return nil
}

// Drop removes the shards of a joined evaluation.
func (s *ShardSet) Drop(at results.Folder) error {
	if s == nil {
		return nil
	}
	if err := at.Shards().Drop(); err != nil {
		return fmt.Errorf("remove shards: %w", err)
	}
	return nil
}
