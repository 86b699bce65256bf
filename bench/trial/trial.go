// Package trial computes one trial: it trains, evaluates, saves and marks it
// done, and says what to do after failures.
package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"infbench/bench/catalog"
	"infbench/bench/device"
	"infbench/bench/engine"
	"infbench/bench/provenance"
	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/spec"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
	"infbench/training"
)

// Surroundings are what a cell is computed in. Its numbers do not depend on them.
type Surroundings struct {
	Files  atomicfile.FS
	Every  int // steps between checkpoints
	report func(engine.Progress)
	Notice func(text string) // of something odd that was seen to

	Machine device.Options
	Devices int // of the machine's kind, which share the work of a training step

	Chunk    int               // sequences embedded at a time, in place of the cell's own
	failures []results.Attempt // earlier ones
	Hopeless *HopelessWatch    // nil: the cell is trained to its end
}

// Usual are the surroundings of a cell where nothing else is asked for.
func Usual(c *spec.Cell, report func(engine.Progress)) Surroundings {
	return Surroundings{Files: atomicfile.OS{}, Every: CheckpointEvery, report: report, Notice: func(string) {}, Chunk: c.Train.Chunk, Machine: device.Options{Device: device.GoDevice}, Devices: 1}
}

// Run takes a trial from its plan entry to a complete folder: claim,
// resolve, train, evaluate, save, mark done. A folder that is complete already is
// left alone; a failed attempt leaves its error behind.
func Run(ctx context.Context, runDir string, t *spec.Trial, in Surroundings) (err error) {
	lease, err := runs.Leases(runDir).Take(ctx, t.ID)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	ctx, cancel := lease.Context(ctx)
	defer cancel()
	in.Files = lease.Fence(in.Files)
	dir := runs.TrialDir(runDir, t.ID)
	if err := results.Verify(dir); err == nil {
		in.report(engine.Progress{Phase: engine.FoundDone})
		return nil
	} else if in.Hopeless != nil && runs.IsStopped(runDir, t.ID) {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		if err := in.Files.RemoveAll(dir); err != nil { // damaged: its numbers cannot be trusted
			return fmt.Errorf("clear damaged trial: %w", err)
		}
	}
	if err := results.Resume(in.Files, dir); err != nil { // a mark that is damaged, or that nobody asks for any more
		return fmt.Errorf("clear the mark of a stopped trial: %w", err)
	}
	report, closeProgress := runs.RecordProgress(runDir, t.ID, in.report)
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
			in.report(engine.Progress{Phase: runs.StoppedPhase, Done: end.Step, Total: end.Steps})
			return results.WriteHalt(in.Files, dir, end.Halt)
		}
		return Fail(in, dir, err)
	}
	// The numbers stand; what helped to make them has served. A crash before this
	// leaves files that nothing reads.
	os.Remove(runs.ProgressPath(runDir, t.ID))
	return in.Files.RemoveAll(filepath.Join(dir, results.CheckpointDir))
}

// Fail leaves behind why a trial failed.
func Fail(in Surroundings, dir string, cause error) error {
	class := classify(cause)
	err := results.Fail(in.Files, dir, class, cause)
	if class == results.OutOfMemory {
		// The next attempt takes smaller chunks, and a checkpoint belongs to one
		// configuration, chunks included.
		err = errors.Join(err, in.Files.RemoveAll(filepath.Join(dir, results.CheckpointDir)))
	}
	return errors.Join(cause, err)
}

// attemptTrial computes a trial, after failures in a way that may go better.
func attemptTrial(ctx context.Context, runDir, dir string, t *spec.Trial, in Surroundings) error {
	if err := results.ClearTemporary(in.Files, dir); err != nil {
		return fmt.Errorf("clear what a killed process left: %w", err)
	}
	before, err := results.Retry(in.Files, dir)
	if err != nil {
		return err
	}
	if in.Chunk, err = smallerChunk(&t.Cell, before.Count(results.OutOfMemory)); err != nil {
		return err
	}
	in.failures = before.Attempts
	err = Compute(ctx, runDir, dir, t, in)
	if errors.Is(err, training.ErrDamaged) {
		in.Notice(fmt.Sprintf("%v; training begins anew", err))
		if err := in.Files.RemoveAll(filepath.Join(dir, results.CheckpointDir)); err != nil {
			return fmt.Errorf("clear damaged checkpoint: %w", err)
		}
		err = Compute(ctx, runDir, dir, t, in)
	}
	return err
}

// Compute is the straight line from a cell to its numbers.
func Compute(ctx context.Context, runDir, dir string, t *spec.Trial, in Surroundings) (err error) {
	started := time.Now()
	p := provenance.New(repeatCommandLine(runDir, t.ID, in.Machine), started)
	if err := in.Machine.Describe(&p); err != nil {
		return err
	}
	describeTrial(&p, t, in)
	if err := WriteConfig(in.Files, dir, t); err != nil {
		return err
	}

	var caches catalog.VectorCaches
	defer func() { err = errors.Join(err, caches.Close()) }()
	model, err := openTrialModel(ctx, dir, t, in, &caches)
	if err != nil {
		return err
	}
	p.Seconds["train"] = time.Since(started).Seconds()

	benchmarks, err := catalog.LoadPinned(t)
	if err != nil {
		return err
	}
	tasks, n := countTasks(benchmarks), 0
	evaluated := time.Now()
	scores, err := Evaluate(ctx, in.Files, model, benchmarks, dir, runs.PackedRuns, func() {
		n++
		in.report(engine.Progress{Phase: "evaluate", Done: n, Total: tasks})
	})
	if err != nil {
		return err
	}
	p.Seconds["evaluate"] = time.Since(evaluated).Seconds()
	p.Seconds["total"] = time.Since(started).Seconds()
	p.PeakRSS = device.PeakRSS()
	for _, b := range benchmarks {
		p.Benchmarks = append(p.Benchmarks, provenance.DescribeBenchmark(b))
	}

	if err := caches.Close(); err != nil {
		return err
	}
	if err := in.Files.RemoveAll(filepath.Join(dir, VectorsDir)); err != nil {
		return fmt.Errorf("remove vectors: %w", err)
	}
	return results.Complete(in.Files, dir, runs.Settings(t), scores, p)
}

// repeatCommandLine is the command that computes a trial again.
func repeatCommandLine(runDir, id string, m device.Options) string {
	if m.Device == device.GoDevice {
		return fmt.Sprintf("infbench repeat %s %s", usage.Quote(runDir), id)
	}
	return fmt.Sprintf("infbench repeat %s %s --device %s", usage.Quote(runDir), id, usage.Quote(m.Device))
}

// WriteConfig keeps the resolved cell beside its results.
func WriteConfig(fsys atomicfile.FS, dir string, t *spec.Trial) error {
	return atomicfile.WriteTo(fsys, filepath.Join(dir, results.TrialFile), func(w io.Writer) error { return t.WriteYAML(w) })
}
