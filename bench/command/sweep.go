package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"infbench/bench/active"
	"infbench/bench/flags"
	"infbench/internal/disk"
	"infbench/internal/parallel"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/catalog"
	"infbench/runners/contamination"
	"infbench/runners/device"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/runners/trial"
)

// sweepOptions are the flags of sweep and retry.
type sweepOptions struct {
	runs            string
	workers         int
	checkpointEvery int
	within          time.Duration // between checkpoints
	retries         int
	maxSame         int
	where           engineOptions
	machine         device.Options
	remote          catalog.RemoteUse
	split           trial.ShardOptions
	devices         []string       // replace the one of the machine
	flags           *pflag.FlagSet // to know which were given; nil: none
	narrow          narrowing      // for sweep only
	active          active.Options // for sweep only
}

func sweepCommand() *cobra.Command {
	var o sweepOptions
	var merge bool
	cmd := &cobra.Command{
		Use:   "sweep FILE | sweep --merge RUN...",
		Short: "Run every trial of an experiment file and report",
		Long: `Expand an experiment file into trials, run those that are not done, several at
a time, and write a report. The same command again does nothing. A new value on
an axis runs only the new trials; a new benchmark trains nothing again; an interrupted
trial goes on from its last checkpoint; a failed one is tried again. The command
may run several times at once, on several hosts that share the folder: every trial runs
once.

If a connection fails or a device disappears, the trial is tried again; if memory runs
out, it is tried with smaller pieces and the same mathematics. Ctrl-C or SIGTERM ends the
sweep and its workers within a second (exit code 75): a training step that ends in that
time is saved, a longer one is repeated from the last checkpoint. SIGUSR1 gives notice:
each trial finishes its step and saves it. A second Ctrl-C ends the sweep at once.

All output is in RUNS/NAME: plan.json, trials/, logs/, cache/ and report.html.
cache/ has vectors of models that no trial trains, so that each of them encodes a text
only once for all trials; --cache names another folder, which several experiments may
share, or turns it off.

--set changes a setting of every trained cell, also those of include; an axis over that
setting keeps the one value. --only runs a part of the plan under the same trial IDs, and
needs only the inputs of that part. Run one part after another in the same folder, or on
machines without a shared disk each its own part; --merge then joins their run folders
into RUNS/NAME. It checks every trial against its hashes. It refuses plans that differ in
more than --only, and a trial that has other numbers elsewhere. Repeated, the same command
goes on or does nothing.

--engine slurm submits array jobs, at most --workers trials of one kind of
resources at a time, and watches them. If this process dies, the jobs go on, and
the same command finds them again. Ctrl-C cancels the jobs and leaves: they save their
state within the time that the cluster gives them (Slurm 30 s, a pod 120 s), and hold
their trials meanwhile. If a cluster does not accept the cancellation at once, a message
names it: its jobs go on, and the same command finds them again.
With --detach, the command leaves after submitting as many trials as the cluster accepts
from a user at a time, in one array. The same command submits the others when those have
ended.

--shards N divides the corpora of every trial into N parts whose rankings are merged to
the same bytes. A trial that trains nothing gets a job for each part, on any engine,
followed by one that merges them; a trial that trains ranks the parts one after the other.

--active runs the cells in rounds. Each round takes those cells that most reduce the
variance of the comparisons in --claims. The sweep ends when the claims are decided, by a
test that is valid at any stopping time; infbench status explains why a cell was chosen. A
cell that fails is tried once more, then given up. Decisions are in RUNS/NAME/active.jsonl.
Until all cells have run, no other test uses these results.

--engine kubernetes makes Indexed Jobs whose pods share a volume claim with this
machine, and watches the run folder. Its Jobs are kept for inspection with kubectl, under
the label app.kubernetes.io/instance=NAME.`,
		Example: `  infbench sweep bench/experiments/demo.yaml
  infbench sweep bench/experiments/demo.yaml --workers 1 --runs scratch
  infbench sweep bench/experiments/paper-losses.yaml --devices xla:cuda:0,xla:cuda:1
  infbench sweep bench/experiments/demo.yaml --engine slurm --workers 8 --detach
  infbench sweep bench/experiments/demo.yaml --engine kubernetes --image registry/infbench:1 --claim runs --run-as 1000:1000 --dry-run
  infbench sweep bench/experiments/demo.yaml --set train.epochs=1 --only seed=1,2 --only loss=multi:P+I
  infbench sweep bench/experiments/demo.yaml --engine slurm --workers 8 --shards 4
  infbench sweep --merge part-1/demo part-2/demo
  infbench sweep bench/experiments/ablation-mini.yaml --active --claims bench/claims/mini.yaml --cells 40%`,
		Args: func(cmd *cobra.Command, args []string) error {
			if merge {
				return cobra.MinimumNArgs(1)(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if merge {
				return mergeSweeps(cmd.Context(), args, o, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return sweep(cmd.Context(), args[0], o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags.Group(cmd.Flags(), flags.TrialFlags, func() {
		cmd.Flags().StringVar(&o.runs, "runs", "runs", "parent folder of all run folders")
		cmd.Flags().BoolVar(&merge, "merge", false, "join run folders that --only made from one plan into RUNS/NAME")
		o.narrow.register(cmd)
	})
	flags.Group(cmd.Flags(), flags.ActiveFlags, func() { o.active.AddFlags(cmd) })
	o.register(cmd)
	return cmd
}

// register declares the flags that control how trials run.
func (o *sweepOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	flags.Group(f, flags.EngineFlags, func() {
		f.IntVar(&o.workers, "workers", runtime.NumCPU(), "trials at a time (default with --engine local on cards: one on each)")
		o.where.register(cmd)
		f.StringSliceVar(&o.devices, "devices", nil, "devices of one kind, instead of --device, such as xla:cuda:0,xla:cuda:1: one trial at a time on each")
	})
	flags.Group(f, flags.FailureFlags, func() {
		f.IntVar(&o.checkpointEvery, "checkpoint-every", trial.CheckpointEvery, "training steps that a killed trial can lose")
		f.DurationVar(&o.within, "checkpoint-within", trial.CheckpointWithin, "training time that a killed trial can lose, if that is fewer steps (0: no limit)")
		f.IntVar(&o.retries, "retries", trial.DefaultRetries, "further attempts of a trial after it lost a connection, a device or its process")
		f.IntVar(&o.maxSame, "max-same-failures", 3, "number of first trials: stop if they all fail with the same error (0: never)")
	})
	flags.CachedDevice(cmd, &o.machine, "folder that keeps vectors of untrained models, or off (default RUNS/NAME/cache)")
	flags.Group(f, flags.VectorFlags, func() { flags.Search(cmd, &o.machine) })
	flags.Endpoints(cmd, &o.remote)
	flags.ShardCount(cmd, &o.split)
	o.flags = f
}

func (o *sweepOptions) check() error {
	if info, err := disk.Stat(o.runs); err == nil && !info.IsDir() {
		return usage.Errorf("--runs %s is a file, not a directory", o.runs)
	}
	if err := o.checkDevices(); err != nil {
		return err
	}
	for _, c := range []struct {
		flag         string
		value, least int
	}{
		{"workers", o.workers, 1}, {"checkpoint-every", o.checkpointEvery, 1}, {"retries", o.retries, 0}, {"max-same-failures", o.maxSame, 0},
	} {
		if c.value < c.least {
			return usage.Errorf("--%s: want at least %d, found %d", c.flag, c.least, c.value)
		}
	}
	if o.within < 0 {
		return usage.Errorf("--checkpoint-within: want at least 0, found %v", o.within)
	}
	return cmp.Or(o.split.Check(), o.where.check())
}

// sweep is the complete main job: plan, run the trials that are not done, report.
func sweep(ctx context.Context, file string, o sweepOptions, stdout, stderr io.Writer) error {
	if err := cmp.Or(o.check(), o.active.Check(!o.where.detach && !o.where.kubernetes.dryRun)); err != nil {
		return err
	}
	plan, err := o.narrow.plan(file)
	if err != nil {
		return err
	}
	if err := o.checkDevice(ctx); err != nil {
		return err
	}
	s := newSweepRun(o, runs.At(filepath.Join(o.runs, plan.Name)), plan, stdout, stderr)
	if o.active.On {
		return s.runActively(ctx)
	}
	return s.run(ctx)
}

// sweepRun takes a plan to its report.
type sweepRun struct {
	sweepOptions
	folder         runs.Folder
	plan           *spec.Plan
	newEngine      func(folder runs.Folder, jobs int, notice func(string)) (engine.Engine, error)
	stdout, stderr io.Writer
}

func newSweepRun(o sweepOptions, folder runs.Folder, plan *spec.Plan, stdout, stderr io.Writer) *sweepRun {
	if o.machine.Cache == "" {
		o.machine.Cache = folder.Cache()
	}
	return &sweepRun{sweepOptions: o, folder: folder, plan: plan, newEngine: o.newEngine, stdout: stdout, stderr: stderr}
}

// run freezes the plan, runs the trials that are not done, and reports.
func (s *sweepRun) run(ctx context.Context) error {
	changed, err := s.freeze(ctx)
	if err != nil {
		return err
	}
	todo, err := pending(s.folder, s.plan, s.stderr)
	if err != nil {
		return err
	}
	if s.where.kubernetes.dryRun {
		return s.printManifests(s.stdout, s.folder, s.folder.ShardJobs(s.plan, todo, s.split.Of), todo)
	}
	report := s.folder.Report()
	if _, err := disk.Stat(report); len(todo) == 0 && !changed && err == nil {
		fmt.Fprintf(s.stdout, "%s: all %d trials are done; the report is %s\n", s.plan.Name, len(s.plan.Trials), report)
		return nil
	}
	return s.runAll(ctx, todo)
}

// freeze writes the plan, unless it is already there, reports whether it changed, and tells
// the user. It does not change a plan that another process is working from: cells missing
// from the new plan would fail there.
func (s *sweepRun) freeze(ctx context.Context) (changed bool, err error) {
	if _, err := s.folder.Rounds().Read(); err != nil {
		return false, err // fails here, not in the report after all cells
	}
	path := s.folder.PlanPath()
	frozen := s.plan
	old, _ := spec.ReadPlan(path) // replaces reports why it cannot be read
	if err := catalog.HoldContents(frozen, old); err != nil {
		return false, err
	}
	if old != nil {
		frozen = joined(old, frozen)
	}
	var plan bytes.Buffer
	if err := frozen.Encode(&plan); err != nil {
		return false, err
	}
	switch old, err := disk.ReadFile(path); {
	case err == nil && bytes.Equal(old, plan.Bytes()):
		return false, nil
	case err == nil:
		if err := s.replaces(ctx, path, frozen); err != nil {
			return false, err
		}
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return false, fmt.Errorf("read plan: %w", err)
	}
	return true, disk.WriteBytesTo(s.folder.Files, path, plan.Bytes())
}

// replaces prints how the plan at path and its finished cells change. It refuses a change
// that would break a running sweep, and a plan from another build.
func (s *sweepRun) replaces(ctx context.Context, path string, plan *spec.Plan) (err error) {
	old, err := spec.ReadPlan(path)
	if errors.As(err, new(*disk.FormatError)) {
		return err
	}
	if err != nil {
		fmt.Fprintf(s.stderr, "warning: %v; it is replaced by a new plan\n", err)
		return nil
	}
	d := spec.Diff(old, plan)
	if plan.IsOfSame(old) != "" { // else a further part of one plan
		defer func() {
			if err == nil {
				err = s.folder.Changes().Add(d, time.Now())
			}
		}()
	}
	fmt.Fprintf(s.stderr, "%s: the plan changes: %s\n", s.plan.Name, d.Counts())
	if len(d.Settings) > 0 {
		fmt.Fprintf(s.stderr, "%s: the plan changes: %s\n", s.plan.Name, words.Clean(spec.Reason(d.Settings)))
	}
	for _, line := range lostCells(s.folder, old, d) {
		fmt.Fprintf(s.stderr, "%s: %s\n", s.plan.Name, words.Clean(line))
	}
	if lost := len(old.Trials) - d.Kept(); lost > 0 {
		if there, err := disk.Exists(s.folder.Rounds().Path()); there || err != nil {
			return cmp.Or(err, fmt.Errorf("the new plan drops %d trials of %s, an active sweep (%s), which would bias its results; use another experiment name", lost, path, runs.ActiveFile))
		}
		leases, err := s.folder.Leases().Watch().Survey(ctx)
		if err != nil {
			return err
		}
		for id, owner := range leases {
			if !owner.Alive {
				continue
			}
			return fmt.Errorf("the new plan drops %d trials of %s, which a running sweep uses (process %d on %s has trial %s): wait until it ends, or use another experiment name", lost, path, owner.PID, owner.Host, id)
		}
	}
	return nil
}

// runAll runs trials of the frozen plan and reports.
func (s *sweepRun) runAll(ctx context.Context, todo []engine.Job) error {
	if err := s.retireReport(); err != nil {
		return err
	}
	for _, remark := range s.plan.Remarks() {
		fmt.Fprintf(s.stderr, "%s: %s\n", s.plan.Name, words.Clean(remark))
	}
	waits := map[string]bool{}
	for _, job := range todo {
		waits[job.ID] = true
	}
	var trials []*spec.Trial
	for i := range s.plan.Trials {
		if t := &s.plan.Trials[i]; waits[t.ID] {
			trials = append(trials, t)
		}
	}
	fmt.Fprintf(s.stderr, "%s: %d trials, %d to run%s, %d at a time\n", s.plan.Name, len(s.plan.Trials), len(todo), trainedBefore(s.folder, trials), min(s.workers, max(len(todo), 1)))
	failed, err := s.runShardsFirst(ctx, todo)
	if err != nil {
		return err
	}
	return s.conclude(failed)
}

// runShardsFirst runs trials of the plan, after those of their shards that have their own
// jobs.
func (s *sweepRun) runShardsFirst(ctx context.Context, todo []engine.Job) (failed int, err error) {
	parts := s.folder.ShardJobs(s.plan, todo, s.split.Of)
	if _, err := s.runJobs(ctx, parts, len(parts)); err != nil {
		return 0, err
	}
	return s.runJobs(ctx, todo, len(s.plan.Trials))
}

// retireReport removes a report of fewer trials: after a crash it must not pass for a
// complete one.
func (s *sweepRun) retireReport() error {
	report := s.folder.Report()
	if _, err := os.Lstat(report); err == nil {
		err := s.folder.Files.Remove(report)
		if err = errors.Join(err, s.folder.Files.SyncDir(s.folder.Dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove old report: %w", err)
		}
	}
	return nil
}

// conclude writes the report; failed is the number of failed trials.
func (s *sweepRun) conclude(failed int) error {
	if err := contamination.OfRun(s.folder, func(text string) { fmt.Fprintf(s.stderr, "%s: %s\n", s.plan.Name, words.Clean(text)) }); err != nil {
		return err
	}
	if err := reportSweep(s.folder, s.stdout); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d trials failed; logs are in %s, and infbench retry %s runs them again", failed, len(s.plan.Trials), s.folder.Logs(), usage.Quote(s.folder.Dir))
	}
	return nil
}

// pending lists the trials that are not complete. A folder that was complete but has lost or
// changed files is reported and runs again.
func pending(folder runs.Folder, plan *spec.Plan, stderr io.Writer) ([]engine.Job, error) {
	states, strays := make([]error, len(plan.Trials)), make([][]string, len(plan.Trials))
	parallel.Each(len(states), func(i int) {
		at := folder.Trial(plan.Trials[i].ID)
		if states[i] = at.Marker().Verify(); states[i] == nil {
			at.Scratch().Tidy()                     // left undone by a kill right after the marker
			strays[i], _ = at.Marker().ExtraFiles() // unlisted strays do no harm
		}
	})
	nameStrays(folder, plan, strays, stderr)
	var jobs []engine.Job
	for i, t := range plan.Trials {
		switch err := states[i]; {
		case err == nil:
			continue
		case errors.Is(err, results.ErrDamaged):
			fmt.Fprintf(stderr, "warning: %v; it is moved aside, and the trial runs again\n", err)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		if stays, err := folder.StayStopped(plan, t.ID); err != nil {
			return nil, err
		} else if stays {
			continue
		}
		jobs = append(jobs, newJob(&t))
	}
	return jobs, nil
}

// nameStrays prints once which files in the folders of finished trials do not belong there.
func nameStrays(folder runs.Folder, plan *spec.Plan, strays [][]string, stderr io.Writer) {
	first, n := "", 0
	for i, names := range strays {
		if n += len(names); first == "" && len(names) > 0 {
			first = filepath.Join(folder.Trial(plan.Trials[i].ID).Dir, names[0])
		}
	}
	if n > 0 {
		fmt.Fprintf(stderr, "%s: %s in folders of finished trials that no trial wrote, left alone: %s\n", plan.Name, words.Plural(n, "file or folder", "files or folders"), words.Clean(first))
	}
}

func newJob(t *spec.Trial) engine.Job {
	return engine.Job{ID: t.ID, Label: t.Label, Resources: t.Resources}
}

// runJobs runs trials, or shards of them, on the chosen engine, and counts the failed ones.
// total is the number of jobs including finished ones.
func (s *sweepRun) runJobs(ctx context.Context, jobs []engine.Job, total int) (failed int, err error) {
	if len(jobs) == 0 {
		return 0, nil
	}
	view := newProgressView(s.stderr, total, total-len(jobs))
	view.expect(s.folder, s.plan, jobs)
	defer view.close()
	eng, err := s.newEngine(s.folder, len(jobs), func(text string) { view.line("%s", text) })
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	first, unfinished := trial.Failures{Most: s.maxSame}, map[string]bool{}
	err = eng.Run(ctx, jobs, func(e engine.Event) {
		view.show(e)
		delete(unfinished, e.Job.ID)
		switch e.Kind {
		case engine.Stopped:
			unfinished[e.Job.ID] = true
		case engine.Succeeded, engine.Elsewhere:
			first.After(e.Job, nil)
		case engine.Failed:
			failed++
			if first.After(e.Job, e.Err) {
				cancel(fmt.Errorf("the first %d trials failed with the same error: %w", s.maxSame, e.Err))
			}
		}
	})
	switch {
	case errors.Is(err, engine.ErrDetached):
		return failed, usage.Stopped{Err: err}
	case usage.Signal(ctx) != nil:
		return failed, err
	case err != nil:
		return failed, fmt.Errorf("sweep stopped (%w); the same command resumes it", err)
	case len(unfinished) > 0:
		return failed, usage.Stopped{Err: fmt.Errorf("%d trials were stopped from outside; the same command goes on with them", len(unfinished))}
	}
	return failed, nil
}
