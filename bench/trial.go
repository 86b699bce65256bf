package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/datasets/atomicfile"
	"infbench/training"
)

// Names inside a run folder.
const (
	planFile  = "plan.json"
	trialsDir = "trials"
	leasesDir = "leases"
	logsDir   = "logs"
	cacheDir  = "cache"
	reportOut = "report.html"
)

// trialCommand is what every engine starts for a cell.
func trialCommand() *cobra.Command {
	var every int
	var machine machineOptions
	var listed listedTrial
	cmd := &cobra.Command{
		Use:    "trial RUNDIR [ID]",
		Short:  "Run one trial of a plan (what sweep starts for each cell)",
		Hidden: true,
		Args:   cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := listed.orNamed(args[1:])
			if err != nil {
				return err
			}
			plan, err := readPlan(args[0])
			if err != nil {
				return err
			}
			t, ok := plan.Trial(id)
			if !ok {
				return fmt.Errorf("plan %s has no trial %s", args[0], id)
			}
			out := json.NewEncoder(cmd.OutOrStdout())
			in := usual(&t.Cell, func(p engine.Progress) { out.Encode(p) })
			in.machine, in.every, in.hopeless = machine, every, newHopelessWatch(args[0], plan, t)
			in.notice = func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "infbench: warning:", text) }
			err = runTrial(cmd.Context(), args[0], t, in)
			if errors.Is(err, engine.ErrBusy) || err != nil && cmd.Context().Err() != nil {
				return stoppedError{err}
			}
			return err
		},
	}
	machine.addFlags(cmd, "folder that keeps vectors of untrained models, or off")
	cmd.Flags().StringVar(&listed.file, "cells", "", "file of trial IDs, one a line, in place of ID")
	cmd.Flags().IntVar(&listed.index, "index", 0, "which of them, from 0")
	cmd.Flags().IntVar(&every, "checkpoint-every", checkpointEvery, "training steps that a killed trial can lose")
	return cmd
}

// listedTrial names a trial by its place in a file: a pod of an Indexed Job knows
// its index only.
type listedTrial struct {
	file  string
	index int
}

// orNamed returns the ID on the command line, or the listed one.
func (l listedTrial) orNamed(args []string) (string, error) {
	if (l.file == "") == (len(args) == 0) {
		return "", usagef("trial: give either an ID or --cells with --index")
	}
	if len(args) > 0 {
		return args[0], nil
	}
	data, err := os.ReadFile(l.file)
	if err != nil {
		return "", fmt.Errorf("read the list of cells: %w", err)
	}
	ids := strings.Fields(string(data))
	if l.index < 0 || l.index >= len(ids) {
		return "", usagef("--index: %s lists %d cells, found %d", l.file, len(ids), l.index)
	}
	return ids[l.index], nil
}

// surroundings are what a cell is computed in. Its numbers do not depend on them.
type surroundings struct {
	files  atomicfile.FS
	every  int // steps between checkpoints
	report func(engine.Progress)
	notice func(text string) // of something odd that was seen to

	machine machineOptions
	devices int // of the machine's kind, which share the work of a training step

	chunk    int               // sequences embedded at a time, in place of the cell's own
	failures []results.Attempt // earlier ones
	hopeless *hopelessWatch    // nil: the cell is trained to its end
}

// usual are the surroundings of a cell where nothing else is asked for.
func usual(c *spec.Cell, report func(engine.Progress)) surroundings {
	return surroundings{files: atomicfile.OS{}, every: checkpointEvery, report: report, notice: func(string) {}, chunk: c.Train.Chunk, machine: machineOptions{device: goDevice}, devices: 1}
}

// stoppedError is a trial that did not fail: it goes on when it is started
// again.
type stoppedError struct{ error }

func (e stoppedError) Unwrap() error { return e.error }
func (e stoppedError) ExitCode() int { return engine.ExitStopped }

// trialDir is the folder of a trial of a run.
func trialDir(runDir, id string) string { return filepath.Join(runDir, trialsDir, id) }

// leases are the claims on the trials of a run.
func leases(runDir string) engine.Leases {
	return engine.Leases{Dir: filepath.Join(runDir, leasesDir)}
}

// runTrial takes a trial from its plan entry to a complete folder: claim,
// resolve, train, evaluate, save, mark done. A folder that is complete already is
// left alone; a failed attempt leaves its error behind.
func runTrial(ctx context.Context, runDir string, t *spec.Trial, in surroundings) (err error) {
	lease, err := leases(runDir).Take(ctx, t.ID)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	ctx, cancel := lease.Context(ctx)
	defer cancel()
	in.files = lease.Fence(in.files)
	dir := trialDir(runDir, t.ID)
	if err := results.Verify(dir); err == nil {
		in.report(engine.Progress{Phase: engine.FoundDone})
		return nil
	} else if in.hopeless != nil && isStopped(runDir, t.ID) {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		if err := in.files.RemoveAll(dir); err != nil { // damaged: its numbers cannot be trusted
			return fmt.Errorf("clear damaged trial: %w", err)
		}
	}
	if err := results.Resume(in.files, dir); err != nil { // a mark that is damaged, or that nobody asks for any more
		return fmt.Errorf("clear the mark of a stopped trial: %w", err)
	}
	report, closeProgress := recordProgress(runDir, t.ID, in.report)
	defer closeProgress()
	in.report = report
	if err := attemptTrial(ctx, runDir, dir, t, in); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx) // stopped, not failed: the next run goes on from the checkpoint
		}
		if errors.Is(err, engine.ErrBusy) {
			return err
		}
		if end, ok := errors.AsType[hopelessError](err); ok {
			in.report(engine.Progress{Phase: stoppedPhase, Done: end.Step, Total: end.Steps})
			return results.WriteHalt(in.files, dir, end.Halt)
		}
		return failTrial(in, dir, err)
	}
	// The numbers stand; what helped to make them has served. A crash before this
	// leaves files that nothing reads.
	os.Remove(progressPath(runDir, t.ID))
	return in.files.RemoveAll(filepath.Join(dir, results.CheckpointDir))
}

// failTrial leaves behind why a trial failed.
func failTrial(in surroundings, dir string, cause error) error {
	class := classify(cause)
	err := results.Fail(in.files, dir, class, cause)
	if class == results.OutOfMemory {
		// The next attempt takes smaller chunks, and a checkpoint belongs to one
		// configuration, chunks included.
		err = errors.Join(err, in.files.RemoveAll(filepath.Join(dir, results.CheckpointDir)))
	}
	return errors.Join(cause, err)
}

// attemptTrial computes a trial, after failures in a way that may go better.
func attemptTrial(ctx context.Context, runDir, dir string, t *spec.Trial, in surroundings) error {
	if err := results.ClearTemporary(in.files, dir); err != nil {
		return fmt.Errorf("clear what a killed process left: %w", err)
	}
	before, err := results.Retry(in.files, dir)
	if err != nil {
		return err
	}
	if in.chunk, err = smallerChunk(&t.Cell, before.Count(results.OutOfMemory)); err != nil {
		return err
	}
	in.failures = before.Attempts
	err = computeTrial(ctx, runDir, dir, t, in)
	if errors.Is(err, training.ErrDamaged) {
		in.notice(fmt.Sprintf("%v; training begins anew", err))
		if err := in.files.RemoveAll(filepath.Join(dir, results.CheckpointDir)); err != nil {
			return fmt.Errorf("clear damaged checkpoint: %w", err)
		}
		err = computeTrial(ctx, runDir, dir, t, in)
	}
	return err
}

// computeTrial is the straight line from a cell to its numbers.
func computeTrial(ctx context.Context, runDir, dir string, t *spec.Trial, in surroundings) (err error) {
	started := time.Now()
	p := newProvenance(repeatCommandLine(runDir, t.ID, in.machine), started)
	if err := in.machine.describe(&p); err != nil {
		return err
	}
	describeTrial(&p, t, in)
	if err := writeTrialFile(in.files, dir, t); err != nil {
		return err
	}

	var caches vectorCaches
	defer func() { err = errors.Join(err, caches.close()) }()
	model, err := openTrialModel(ctx, dir, t, in, &caches)
	if err != nil {
		return err
	}
	p.Seconds["train"] = time.Since(started).Seconds()

	benchmarks, err := loadPinned(t)
	if err != nil {
		return err
	}
	tasks, n := countTasks(benchmarks), 0
	evaluated := time.Now()
	scores, err := evaluateAll(ctx, in.files, model, benchmarks, dir, packedRuns, func() {
		n++
		in.report(engine.Progress{Phase: "evaluate", Done: n, Total: tasks})
	})
	if err != nil {
		return err
	}
	p.Seconds["evaluate"] = time.Since(evaluated).Seconds()
	p.Seconds["total"] = time.Since(started).Seconds()
	p.PeakRSS = peakRSS()
	for _, b := range benchmarks {
		p.Benchmarks = append(p.Benchmarks, describeBenchmark(b))
	}

	if err := caches.close(); err != nil {
		return err
	}
	if err := in.files.RemoveAll(filepath.Join(dir, vectorsDir)); err != nil {
		return fmt.Errorf("remove vectors: %w", err)
	}
	return results.Complete(in.files, dir, settings(t), scores, p)
}

// repeatCommandLine is the command that computes a trial again.
func repeatCommandLine(runDir, id string, m machineOptions) string {
	if m.device == goDevice {
		return fmt.Sprintf("infbench repeat %s %s", shellQuote(runDir), id)
	}
	return fmt.Sprintf("infbench repeat %s %s --device %s", shellQuote(runDir), id, shellQuote(m.device))
}

// settings is a cell as reports show it: the model of a trained cell is its
// backbone.
func settings(t *spec.Trial) map[string]string {
	s := t.Cell.Settings()
	if t.Cell.Model == spec.Trained {
		s["model"] = t.Cell.Backbone
	}
	return s
}

// writeTrialFile keeps the resolved cell beside its results.
func writeTrialFile(fsys atomicfile.FS, dir string, t *spec.Trial) error {
	return atomicfile.WriteTo(fsys, filepath.Join(dir, results.TrialFile), func(w io.Writer) error { return t.WriteYAML(w) })
}
