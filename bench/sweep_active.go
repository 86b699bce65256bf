package main

import (
	"context"
	"fmt"
	"slices"

	"infbench/bench/active"
	"infbench/bench/runs"
	"infbench/bench/spec"
	"infbench/reports/words"
)

// runActively freezes the plan, runs its cells round by round, and reports.
func (s *sweepRun) runActively(ctx context.Context) error {
	asked, err := s.active.Settings(len(s.plan.Trials), s.workers)
	if err != nil {
		return err
	}
	if _, err := s.freeze(ctx); err != nil {
		return err
	}
	sweep, err := active.Open(s.folder, s.plan, asked)
	if err != nil {
		return err
	}
	if err := s.retireReport(); err != nil {
		return err
	}
	failed := 0
	for sweep.Current().Stop == "" {
		round := sweep.Current()
		fmt.Fprintf(s.stderr, "%s: round %d, %s\n", s.plan.Name, round.Round, words.Plural(len(round.Cells), "cell", "cells"))
		of := *s.plan
		of.Trials = slices.DeleteFunc(slices.Clone(s.plan.Trials), func(t spec.Trial) bool {
			return !slices.ContainsFunc(round.Cells, func(c runs.ActiveCell) bool { return c.ID == t.ID })
		})
		todo, err := pending(s.folder, &of, s.stderr)
		if err != nil {
			return err
		}
		part := *s
		part.plan = &of
		n, err := part.runShardsFirst(ctx, todo)
		if err != nil {
			return err
		}
		failed += n
		if err := sweep.Advance(); err != nil {
			return err
		}
	}
	for _, text := range sweep.Words() {
		fmt.Fprintf(s.stderr, "%s: %s\n", s.plan.Name, words.Clean(text))
	}
	return s.conclude(failed)
}
