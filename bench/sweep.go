package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/spec"
)

// sweepOptions are the flags of sweep.
type sweepOptions struct {
	runs    string
	workers int
}

func sweepCommand() *cobra.Command {
	var o sweepOptions
	cmd := &cobra.Command{
		Use:   "sweep FILE",
		Short: "Run every cell of an experiment file and report",
		Long: `Expand an experiment file into trials, run those that are not done, several at
a time, and write a report. The same command again does nothing; a new value on
an axis runs only the new cells; a cell that was interrupted goes on from its
last checkpoint, one that failed is tried again.

Everything lands in RUNS/NAME: plan.json, trials/, logs/ and report.html.`,
		Example: `  infbench sweep bench/experiments/demo.yaml
  infbench sweep bench/experiments/demo.yaml --workers 1 --runs scratch`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sweep(cmd.Context(), args[0], o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&o.runs, "runs", "runs", "folder that holds all run folders")
	cmd.Flags().IntVar(&o.workers, "workers", runtime.NumCPU(), "trials at a time")
	return cmd
}

// sweep is the whole main job: plan, run what is not done, report.
func sweep(ctx context.Context, file string, o sweepOptions, stdout, stderr io.Writer) error {
	if o.workers < 1 {
		return usagef("--workers: want at least 1, found %d", o.workers)
	}
	plan, err := planFrom(file)
	if err != nil {
		return err
	}
	dir := filepath.Join(o.runs, plan.Name)
	if err := plan.Write(filepath.Join(dir, planFile)); err != nil {
		return err
	}
	todo, err := pending(dir, plan, stderr)
	if err != nil {
		return err
	}
	report := filepath.Join(dir, reportOut)
	if _, err := os.Stat(report); len(todo) == 0 && err == nil {
		fmt.Fprintf(stdout, "%s: all %d trials are done; the report is %s\n", plan.Name, len(plan.Trials), report)
		return nil
	}
	fmt.Fprintf(stderr, "%s: %d trials, %d to run, %d at a time\n", plan.Name, len(plan.Trials), len(todo), min(o.workers, max(len(todo), 1)))
	failed, err := runJobs(ctx, dir, todo, len(plan.Trials), o.workers, stderr)
	if err != nil {
		return err
	}
	if err := reportSweep(dir, report, stdout); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d trials failed; logs are in %s", failed, len(plan.Trials), filepath.Join(dir, logsDir))
	}
	return nil
}

// planFrom reads an experiment file and expands it against the data as it is.
func planFrom(file string) (*spec.Plan, error) {
	exp, err := spec.ReadFile(file, known())
	if err != nil {
		return nil, err
	}
	return exp.Expand(revisions{}.resolve)
}

// pending lists the trials that are not complete. A folder that was complete
// but no longer holds what it held is named and run again.
func pending(dir string, plan *spec.Plan, stderr io.Writer) ([]engine.Job, error) {
	var jobs []engine.Job
	for _, t := range plan.Trials {
		err := results.Verify(filepath.Join(dir, trialsDir, t.ID))
		switch {
		case err == nil:
			continue
		case errors.Is(err, results.ErrDamaged):
			fmt.Fprintf(stderr, "warning: %v; running it again\n", err)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		jobs = append(jobs, engine.Job{ID: t.ID, Label: t.Label})
	}
	return jobs, nil
}

// runJobs runs trials as processes of this program and counts the failed ones.
func runJobs(ctx context.Context, dir string, jobs []engine.Job, total, workers int, stderr io.Writer) (failed int, err error) {
	if len(jobs) == 0 {
		return 0, nil
	}
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find this program: %w", err)
	}
	workers = min(workers, len(jobs))
	local := &engine.Local{
		Workers: workers,
		Command: func(j engine.Job) (string, []string) { return self, []string{"trial", dir, j.ID} },
		Env:     append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", max(1, runtime.NumCPU()/workers))),
		LogDir:  filepath.Join(dir, logsDir),
	}
	view := newProgressView(stderr, total, total-len(jobs))
	defer view.close()
	err = local.Run(ctx, jobs, func(e engine.Event) {
		if e.Kind == engine.Failed {
			failed++
		}
		view.show(e)
	})
	if err != nil {
		return failed, fmt.Errorf("sweep stopped (%w); the same command goes on where it stopped", err)
	}
	return failed, nil
}
