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
	"time"

	"github.com/spf13/cobra"

	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/datasets/atomicfile"
)

// Names inside a run folder.
const (
	planFile  = "plan.json"
	trialsDir = "trials"
	locksDir  = "locks"
	logsDir   = "logs"
	reportOut = "report.html"
)

// trialCommand is what every engine starts for a cell.
func trialCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "trial RUNDIR ID",
		Short:  "Run one trial of a plan (what sweep starts for each cell)",
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, err := spec.ReadPlan(filepath.Join(args[0], planFile))
			if err != nil {
				return err
			}
			t, ok := plan.Trial(args[1])
			if !ok {
				return fmt.Errorf("plan %s has no trial %s", args[0], args[1])
			}
			out := json.NewEncoder(cmd.OutOrStdout())
			return runTrial(cmd.Context(), args[0], t, func(p engine.Progress) { out.Encode(p) })
		},
	}
}

// runTrial takes a trial from its plan entry to a complete folder: resolve,
// train, evaluate, save, mark done. A folder that is complete already is left
// alone; a failed attempt leaves its error behind.
func runTrial(ctx context.Context, runDir string, t *spec.Trial, report func(engine.Progress)) error {
	unlock, err := engine.Lock(filepath.Join(runDir, locksDir, t.ID))
	if err != nil {
		return err
	}
	defer unlock()
	dir := filepath.Join(runDir, trialsDir, t.ID)
	if err := results.Verify(dir); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		if err := os.RemoveAll(dir); err != nil { // damaged: its numbers cannot be trusted
			return fmt.Errorf("clear damaged trial: %w", err)
		}
	}
	if err := os.Remove(filepath.Join(dir, results.FailedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clear earlier failure: %w", err)
	}
	if err := computeTrial(ctx, runDir, dir, t, report); err != nil {
		if ctx.Err() != nil {
			return ctx.Err() // stopped, not failed: the next run goes on from the checkpoint
		}
		return errors.Join(err, results.Fail(dir, err))
	}
	return nil
}

// computeTrial is the straight line from a cell to its numbers.
func computeTrial(ctx context.Context, runDir, dir string, t *spec.Trial, report func(engine.Progress)) error {
	started := time.Now()
	p := newProvenance(fmt.Sprintf("infbench repeat %s %s", shellQuote(runDir), t.ID), started)
	if err := writeTrialFile(dir, t); err != nil {
		return err
	}

	model, err := openTrialModel(ctx, dir, t, report)
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
	scores, err := evaluateAll(ctx, model, benchmarks, dir, packedRuns, func() {
		n++
		report(engine.Progress{Phase: "evaluate", Done: n, Total: tasks})
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

	return results.Complete(dir, settings(t), scores, p)
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
func writeTrialFile(dir string, t *spec.Trial) error {
	return atomicfile.Write(filepath.Join(dir, results.TrialFile), func(w io.Writer) error { return t.WriteYAML(w) })
}
