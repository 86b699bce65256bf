package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/spec"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
)

func retryCommand() *cobra.Command {
	var o sweepOptions
	cmd := &cobra.Command{
		Use:   "retry RUN [TRIAL...]",
		Short: "Run the failed trials of a sweep again",
		Long: `Run the failed trials of a run folder again, all or those named by an ID or the
beginning of one, from the frozen plan alone, and write the report. What went
wrong before stays on record, but no longer counts: memory is asked for in whole
again.`,
		Example: "  infbench retry runs/demo\n  infbench retry runs/demo 68",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return retry(cmd.Context(), runs.At(args[0]), args[1:], o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.register(cmd)
	return cmd
}

// retry runs failed trials of a frozen plan.
func retry(ctx context.Context, folder runs.Folder, prefixes []string, o sweepOptions, stdout, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	plan, err := folder.Plan()
	if err != nil {
		return err
	}
	if err := o.checkDevice(ctx); err != nil {
		return err
	}
	return newSweepRun(o, folder, plan, stdout, stderr).retry(ctx, prefixes)
}

// retry runs the failed trials of those named, or all that failed.
func (s *sweepRun) retry(ctx context.Context, prefixes []string) error {
	failed, err := failedTrials(s.folder, s.plan, prefixes)
	if err != nil {
		return err
	}
	if len(failed) == 0 && !lacksReport(s.folder, s.plan) {
		fmt.Fprintf(s.stdout, "%s: no trial has failed\n", s.plan.Name)
		return nil
	}
	var jobs []engine.Job
	watch := s.folder.Leases().Watch()
	for _, t := range failed {
		if err := s.folder.Mark(watch, t.ID, results.Folder.Forgive); err != nil {
			return err
		}
		jobs = append(jobs, newJob(t))
	}
	return s.runAll(ctx, jobs)
}

// lacksReport says whether all trials are done and a retry was stopped before it told so.
func lacksReport(folder runs.Folder, plan *spec.Plan) bool {
	states, err := trialStates(folder, plan)
	there, unknown := atomicfile.Exists(folder.Report())
	return errors.Join(err, unknown) == nil && !there && !slices.ContainsFunc(states, func(t results.Trial) bool { return t.State != results.Done })
}

// isRetried says whether a trial that is not done failed before and was forgiven: a retry
// was stopped while it ran.
func isRetried(at results.Folder) (bool, error) {
	past, err := at.Failure()
	return past.Retrying && past.Forgiven > 0, err
}

// failedTrials lists the trials that failed, of those named or of all.
func failedTrials(folder runs.Folder, plan *spec.Plan, prefixes []string) ([]*spec.Trial, error) {
	states, err := trialStates(folder, plan)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	var faults []error
	for _, prefix := range prefixes {
		t, err := findTrial(plan, prefix)
		if err != nil {
			return nil, err
		}
		named[t.ID] = true
	}
	var failed []*spec.Trial
	for i := range plan.Trials {
		t := &plan.Trials[i]
		state := states[i].State
		if state == results.Waiting {
			again, err := isRetried(folder.Trial(t.ID))
			if err != nil {
				return nil, err
			}
			if again {
				state = results.Failed
			}
		}
		switch {
		case len(named) > 0 && !named[t.ID]:
		case state == results.Failed:
			failed, faults = append(failed, t), append(faults, t.CheckRunnable())
		case named[t.ID]:
			faults = append(faults, usage.Errorf("trial %s (%s) has not failed: it is %s", t.ID, t.Label, state))
		case state == results.Done:
			faults = append(faults, folder.Trial(t.ID).Tidy()) // which a kill has left undone
		}
	}
	return failed, errors.Join(faults...)
}
