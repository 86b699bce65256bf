package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

func retryCommand() *cobra.Command {
	var o sweepOptions
	var aside bool
	cmd := &cobra.Command{
		Use:   "retry RUN [TRIAL...]",
		Short: "Run the failed and abandoned trials of a sweep again",
		Long: `Run the failed and the abandoned trials of a run folder again (an abandoned one was
begun by a process that died), all or those named by an ID, the beginning of one or a label
(uni:P is all seeds of uni(P)), from the frozen plan alone, and write the report. Earlier
failures stay on record, but no longer count: trials ask for their full memory again. If a
retry was stopped, the same command goes on; it waits for failed trials that another
process is already running.

--discard runs nothing. It removes the folders of damaged trials, all or those named: a
sweep that finds a finished trial damaged moves its folder aside, below
RUN/trials/.damaged, and computes it again; infbench status counts them. Named by its ID or
the beginning of it, or with all others by the name unplanned, a trial that only an earlier
plan had is removed, too.`,
		Example: "  infbench retry runs/demo\n  infbench retry runs/demo 68 multi:P+I\n  infbench retry runs/demo --discard\n  infbench retry runs/demo --discard unplanned",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if aside {
				return discardDamaged(runs.At(args[0]), args[1:], cmd.OutOrStdout())
			}
			return retry(cmd.Context(), runs.At(args[0]), args[1:], o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags.Group(cmd.Flags(), flags.TrialFlags, func() {
		cmd.Flags().BoolVar(&aside, "discard", false, "remove the damaged trials that a sweep moved aside, or named trials that are no longer planned, and run nothing")
	})
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
	return newSweepRun(o, folder, plan, stdout, stderr).retry(ctx, names)
}

// retry runs all failed and abandoned trials, or those among the named ones. If all had run when
// an earlier retry was cut off, it only writes the report.
func (s *sweepRun) retry(ctx context.Context, names []string) error {
	view, err := runs.NewWatch(s.folder).Look(ctx)
	if err == nil {
		err = view.Fault
	}
	if err != nil {
		return err
	}
	states := view.Trials
	failed, err := s.failed(states, names)
	if err != nil {
		return err
	}
	if len(failed) == 0 && !s.lacksReport(states) {
		fmt.Fprintf(s.stdout, "%s: no trial has failed%s\n", s.plan.Name, unfinishedWords(view))
		return nil
	}
	var jobs []engine.Job
	watch := s.folder.Leases().Watch()
	for _, t := range failed {
		if err := s.folder.Mark(watch, t.ID, func(at results.Folder) error { return at.Failures().Reset() }); err != nil && !errors.Is(err, engine.ErrBusy) {
			return err // its runner is waited for below
		}
		jobs = append(jobs, newJob(t))
	}
	return s.runAll(ctx, jobs)
}

// unfinishedWords lists the other trials that are not done.
func unfinishedWords(v *runs.WatchView) string {
	text := ""
	if n := v.Count[results.Running]; n > 0 {
		text += "; " + words.Plural(n, "trial is running", "trials are running")
	}
	if n := v.Count[results.Waiting]; n > 0 {
		text += "; " + words.Plural(n, "trial is waiting", "trials are waiting") + ": infbench sweep runs what waits"
	}
	return text
}

// lacksReport reports whether all trials are done, including those that ran a moment ago, and
// a retry was stopped before it reported so.
func (s *sweepRun) lacksReport(states []results.Trial) bool {
	there, err := disk.Exists(s.folder.Report())
	return err == nil && !there && !slices.ContainsFunc(states, func(t results.Trial) bool {
		if t.State == results.Done {
			return false
		}
		marked, err := s.folder.Trial(t.ID).Marker().Exists()
		return err != nil || !marked
	})
}

// failed lists the trials that failed or were abandoned, of those named or of all, including
// those whose retry was cut off: its worker may still be alive.
func (s *sweepRun) failed(states []results.Trial, names []string) ([]*spec.Trial, error) {
	named := map[string]bool{} // and whether it alone was named: with several seeds, some may be done
	var faults []error
	for _, name := range names {
		found, err := runs.Trials(s.plan, name)
		if err != nil {
			return nil, err
		}
		for _, t := range found {
			named[t.ID] = named[t.ID] || len(found) == 1
		}
	}
	var failed []*spec.Trial
	for i := range s.plan.Trials {
		t := &s.plan.Trials[i]
		past, err := s.folder.Trial(t.ID).Failures().Read()
		if err != nil {
			return nil, err
		}
		alone, meant := named[t.ID]
		switch state := states[i].State; {
		case len(named) > 0 && !meant:
		case state == results.Done && past.Error != "":
			faults = append(faults, s.folder.Trial(t.ID).Scratch().Tidy()) // a kill left it undone
		case state == results.Failed, state == results.Abandoned, state == results.Waiting && past.IsReset(), state == results.Running && past.Error != "":
			failed = append(failed, t)
		case alone:
			faults = append(faults, usage.Errorf("trial %s (%s) has not failed: it is %s", t.ID, t.Label, state))
		}
	}
	return failed, errors.Join(faults...)
}
