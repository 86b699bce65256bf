package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"infbench/bench/active"
	"infbench/internal/words"
	"infbench/runners/spec"
)

// runActively freezes the plan, runs its cells round by round, and reports.
func (s *sweepRun) runActively(ctx context.Context) error {
	asked, err := s.active.Settings(len(s.plan.Trials), s.workers)
	if err != nil {
		return err
	}
	sweep, err := active.Open(s.folder, s.plan, asked)
	if err != nil {
		return err
	}
	if _, err := s.freeze(ctx); err != nil {
		return err
	}
	if err := cmp.Or(sweep.Begin(), s.retireReport()); err != nil {
		return err
	}
	if text := sweep.Earlier(); text != "" {
		fmt.Fprintf(s.stderr, "%s: %s\n", s.plan.Name, text)
	}
	failed := 0
	for {
		round := sweep.Current()
		if round.Stop == "" {
			fmt.Fprintf(s.stderr, "%s: round %d, %s\n", s.plan.Name, round.Round, words.Plural(len(round.Cells), "cell", "cells"))
		}
		n, err := s.runChosen(ctx, sweep)
		if n > 0 && err == nil {
			// A failure of a disk or host may be temporary; a cell that fails again is given
			// up, and no decision depends on it.
			n, err = s.runChosen(ctx, sweep)
		}
		if err != nil {
			return err
		}
		failed += n
		if round.Stop != "" {
			break
		}
		if err := sweep.Advance(); err != nil {
			return err
		}
	}
	for _, text := range sweep.Words() {
		fmt.Fprintf(s.stderr, "%s: %s\n", s.plan.Name, words.Clean(text))
	}
	return s.conclude(failed)
}

// runChosen runs the cells chosen so far that are not done.
func (s *sweepRun) runChosen(ctx context.Context, sweep *active.Sweep) (failed int, err error) {
	of := *s.plan
	of.Trials = slices.DeleteFunc(slices.Clone(s.plan.Trials), func(t spec.Trial) bool { return !sweep.Chosen(t.ID) })
	todo, err := pending(s.folder, &of, s.stderr)
	if err != nil {
		return 0, err
	}
	part := *s
	part.plan = &of
	return part.runShardsFirst(ctx, todo)
}
