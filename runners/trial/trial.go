// Package trial computes one trial: it trains, evaluates, saves and marks it
// done, and says what to do after failures; an evaluation may be divided into shards.
// Package spec knows which trials there are, package engine where they run.
package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"time"

	"infbench/internal/usage"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/engine"
	"infbench/runners/provenance"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/training"
)

// Surroundings are what a trial is computed in. Its numbers do not depend on them.
type Surroundings struct {
	Every  int           // steps between checkpoints
	Within time.Duration // time between them at most, whatever steps take
	report func(engine.Progress)
	step   func(engine.Progress, results.Step) // told of training steps in place of report, where it is not nil
	Notice func(text string)                   // of something odd that was seen to

	Machine device.Options
	Remote  catalog.RemoteUse // how endpoints are asked
	Devices int               // of the machine's kind, which share the work of a training step

	Split    ShardOptions          // of its corpora
	Chunk    int                   // sequences embedded at a time, in place of the trial's own
	failures []results.Attempt     // earlier ones
	removed  func(results.Removed) // told of records that were taken out of the training data
	trained  func(results.Trained) // told of what training goes through
	earlier  []earlier             // complete trials of the same weights
	took     func(*results.Trial)  // told of the one whose model is evaluated
	Hopeless *HopelessWatch        // nil: the trial is trained to its end
	HeldTo   *results.Forgetting   // what the plan says; kept with the provenance
}

// Usual are the surroundings of a trial where nothing else is asked for.
func Usual(c *spec.Cell, report func(engine.Progress)) Surroundings {
	return Surroundings{Every: CheckpointEvery, Within: CheckpointWithin, report: report, Notice: func(string) {}, Chunk: c.Train.Chunk, Machine: device.Options{Device: device.GoDevice}, Devices: 1}
}

// tellStep reports a training step.
func (in *Surroundings) tellStep(p engine.Progress, s results.Step) {
	if in.step != nil {
		in.step(p, s)
	} else {
		in.report(p)
	}
}

// Run takes a trial from its plan entry to a complete folder: claim,
// resolve, train, evaluate, save, mark done. A folder that is complete already is
// left alone, a damaged one moved aside; a failed attempt leaves its error behind.
func Run(ctx context.Context, run runs.Folder, t *spec.Trial, in Surroundings) (err error) {
	lease, err := run.Leases().Take(ctx, t.ID)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release()) }()
	ctx, cancel := lease.Context(ctx)
	defer cancel()
	run.Files = lease.Fence(run.Files)
	at := run.Trial(t.ID)
	switch err := at.Marker().Verify(); {
	case err == nil:
		in.report(engine.Progress{Phase: engine.FoundDone})
		return nil
	case errors.Is(err, results.ErrDamaged): // its numbers cannot be trusted
		to, err := run.Aside().Put(t.ID)
		if err != nil {
			return err
		}
		in.Notice(fmt.Sprintf("%s is damaged and was moved to %s", at.Dir, to))
	case !errors.Is(err, fs.ErrNotExist): // what cannot be read may be whole
		return err
	case in.Hopeless != nil && at.Halt().IsSet():
		return nil
	}
	if err := at.Halt().Remove(); err != nil { // a mark that is damaged, or that nobody asks for any more
		return fmt.Errorf("clear the mark of a stopped trial: %w", err)
	}
	if in.earlier, err = earlierTrials(run, t, in.Notice); err != nil {
		return err
	}
	reporter := run.Progress(t.ID).Record(in.report)
	defer reporter.Close()
	in.report, in.step = reporter.Report, reporter.Step
	if err := attempt(ctx, run.Dir, at, t, in); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx) // stopped, not failed: the next run goes on from the checkpoint
		}
		if errors.Is(err, engine.ErrBusy) {
			return err
		}
		if end, ok := errors.AsType[hopelessError](err); ok {
			in.report(engine.Progress{Phase: runs.StoppedPhase, Done: end.Step, Total: end.Steps})
			return at.Halt().Set(end.Halt)
		}
		return Fail(at, err)
	}
	if err := run.Weights().List(t); err != nil {
		return fmt.Errorf("list the trial by its weights: %w", err)
	}
	// The numbers stand; what helped to make them has served. A crash before this
	// leaves files that nothing reads.
	run.Progress(t.ID).Drop()
	return at.Scratch().Tidy()
}

// Fail leaves behind why a trial failed.
func Fail(at results.Folder, cause error) error {
	class := classify(cause)
	err := at.Failures().Add(class, cause)
	if class == results.OutOfMemory {
		// The next attempt takes smaller chunks, and a checkpoint belongs to one
		// configuration, chunks included.
		err = errors.Join(err, at.Scratch().DropCheckpoint())
	}
	return errors.Join(cause, err)
}

// attempt computes a trial, after failures in a way that may go better.
func attempt(ctx context.Context, runDir string, at results.Folder, t *spec.Trial, in Surroundings) error {
	if err := at.Scratch().ClearTemporary(); err != nil {
		return fmt.Errorf("clear what a killed process left: %w", err)
	}
	if err := in.adapt(at, t); err != nil {
		return err
	}
	err := Compute(ctx, runDir, at, t, in)
	if errors.Is(err, training.ErrDamaged) {
		in.Notice(fmt.Sprintf("%v; training begins anew", err))
		if err := at.Scratch().DropCheckpoint(); err != nil {
			return fmt.Errorf("clear damaged checkpoint: %w", err)
		}
		err = Compute(ctx, runDir, at, t, in)
	}
	return err
}

// adapt takes what earlier attempts in a folder tell: how they failed, and smaller chunks
// where they ran out of memory.
func (in *Surroundings) adapt(at results.Folder, t *spec.Trial) error {
	before, err := at.Failures().Retry()
	if err != nil {
		return err
	}
	in.failures = before.Attempts
	in.Chunk, err = smallerChunk(&t.Cell, before.Count(results.OutOfMemory))
	return err
}

// begin is the provenance of what is computed from now on, of a trial of a run folder.
func (in *Surroundings) begin(runDir string, t *spec.Trial, started time.Time) (results.Provenance, error) {
	p := provenance.New(repeatCommandLine(runDir, t.ID, in.Machine), started)
	err := in.Machine.Describe(&p)
	describeTrial(&p, t, *in)
	in.Machine.Meter = &device.Meter{}
	return p, err
}

// Compute is the straight line from a trial to its numbers; runDir is the run folder
// that the command which repeats it names.
func Compute(ctx context.Context, runDir string, at results.Folder, t *spec.Trial, in Surroundings) (err error) {
	total := provenance.StartClock()
	p, err := in.begin(runDir, t, total.Started())
	if err != nil {
		return err
	}
	in.removed = func(r results.Removed) { p.Removed = &r }
	in.trained = func(r results.Trained) { p.Trained = &r }
	in.took = func(from *results.Trial) { takeTraining(&p, from) }
	if err := at.Writer().Trial(t.WriteYAML); err != nil {
		return err
	}

	defer in.Machine.Meter.Stop()
	set := in.Split.New()
	opener := catalog.Opener{Divide: set.Divide}
	defer func() { err = errors.Join(err, opener.Close()) }()
	model, err := openModel(ctx, at, t, in, &opener)
	if err != nil {
		return err
	}
	if p.TrainedBy == nil {
		total.Stop(&p, "train")
	}
	benchmarks, err := in.loadTasks(t, &opener, &p)
	if err != nil {
		return err
	}
	if err := in.rankShards(ctx, at, t, p, set, benchmarks); err != nil {
		return err
	}
	tasks, n := countTasks(benchmarks), 0
	e := Evaluation{
		Is: &results.Trial{Config: runs.Config(t), Provenance: p}, Model: model, Opener: &opener, Shards: set, Machine: &in.Machine,
		Data: benchmarks, Total: total, earlier: in.earlier,
		Done: func() {
			n++
			in.report(engine.Progress{Phase: "evaluate", Done: n, Total: tasks})
		},
	}
	return e.Into(ctx, at)
}

// repeatCommandLine is the command that computes a trial again.
func repeatCommandLine(runDir, id string, m device.Options) string {
	if m.Device == device.GoDevice {
		return fmt.Sprintf("infbench repeat %s %s", usage.Quote(runDir), id)
	}
	return fmt.Sprintf("infbench repeat %s %s --device %s", usage.Quote(runDir), id, usage.Quote(m.Device))
}

// describeTrial adds what a trial was made from and how it got here.
func describeTrial(p *results.Provenance, t *spec.Trial, in Surroundings) {
	p.Inputs = map[string]string{}
	for _, r := range t.Revisions {
		p.Inputs[r.Name] = r.Revision
	}
	maps.Copy(p.Inputs, catalog.ContentSums(t))
	p.Seed, p.Attempts, p.HeldTo = t.Cell.Seed, in.failures, in.HeldTo
	if in.Chunk != t.Cell.Train.Chunk {
		p.Chunk = in.Chunk
	}
}
