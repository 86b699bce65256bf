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
		Long: `Run the failed trials of a run folder again, all or those named by an ID, the
beginning of one or a label (uni:P is all seeds of uni(P)), from the frozen plan alone, and write the report. What went
wrong before stays on record, but no longer counts: memory is asked for in whole
again.`,
		Example: "  infbench retry runs/demo\n  infbench retry runs/demo 68 multi:P+I",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return retry(cmd.Context(), runs.At(args[0]), args[1:], o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.register(cmd)
	return cmd
}

// retry runs failed trials of a frozen plan.
func retry(ctx context.Context, folder runs.Folder, names []string, o sweepOptions, stdout, stderr io.Writer) error {
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
	failed, err := failedTrials(folder, plan, names)
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
func failedTrials(folder runs.Folder, plan *spec.Plan, names []string) ([]*spec.Trial, error) {
	states, err := trialStates(folder, plan)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	var faults []error
	for _, name := range names {
		found, err := runs.Trials(plan, name)
		if err != nil {
			return nil, err
		}
		for _, t := range found {
			named[t.ID] = true
		}
	}
	var failed []*spec.Trial
	for i := range plan.Trials {
		t := &plan.Trials[i]
		switch state := states[i].State; {
		case len(named) > 0 && !named[t.ID]:
		case state == results.Failed:
			failed, faults = append(failed, t), append(faults, t.CheckRunnable())
		case named[t.ID]:
			faults = append(faults, usage.Errorf("trial %s (%s) has not failed: it is %s", t.ID, t.Label, state))
		}
	}
	return failed, errors.Join(faults...)
}
