package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/spec"
	"infbench/bench/usage"
)

func retryCommand() *cobra.Command {
	var o sweepOptions
	cmd := &cobra.Command{
		Use:   "retry RUN [TRIAL...]",
		Short: "Run the failed trials of a sweep again",
		Long: `Run the failed trials of a run folder again, all or those named by an ID or the
beginning of one, from the frozen plan alone, and write the report. What went
wrong before stays on record, but no longer counts: memory is asked for in whole
again. A retry that was stopped goes on when it is given again.`,
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
	failed, err := failedTrials(ctx, folder, plan, prefixes)
	if err != nil {
		return err
	}
	if len(failed) == 0 {
		fmt.Fprintf(stdout, "%s: no trial has failed\n", plan.Name)
		return nil
	}
	var jobs []engine.Job
	watch := folder.Leases().Watch()
	for _, t := range failed {
		if err := folder.Mark(watch, t.ID, results.Folder.Forgive); err != nil {
			return err
		}
		jobs = append(jobs, newJob(t))
	}
	return newSweepRun(o, folder, plan, stdout, stderr).runAll(ctx, jobs)
}

// failedTrials lists the trials that failed, of those named or of all.
func failedTrials(ctx context.Context, folder runs.Folder, plan *spec.Plan, prefixes []string) ([]*spec.Trial, error) {
	states, err := trialStates(ctx, folder, plan)
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
		switch state := states[i].State; {
		case len(named) > 0 && !named[t.ID]:
		case state == results.Failed, state != results.Running && folder.Trial(t.ID).IsForgiven(): // the latter by a retry that was stopped
			failed, faults = append(failed, t), append(faults, t.CheckRunnable())
		case named[t.ID]:
			faults = append(faults, usage.Errorf("trial %s (%s) has not failed: it is %s", t.ID, t.Label, state))
		}
	}
	return failed, errors.Join(faults...)
}
