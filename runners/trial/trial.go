// Package trial computes one trial: it trains, evaluates, saves and marks it as done, and
// decides what to do after failures. An evaluation may be divided into shards. Package spec
// lists the trials of an experiment; package engine decides where they run.
package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"sync"
	"time"

	"infbench/internal/progress"
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

// Surroundings are the conditions in which a trial is computed. Its numbers do not depend on
// them.
type Surroundings struct {
	Every  int           // steps between checkpoints
	Within time.Duration // longest time between checkpoints, however long steps take
	report func(engine.Progress)
	step   func(engine.Progress, results.Step) // receives training steps in place of report, if it is not nil
	Notice func(text string)                   // receives messages about irregularities that were repaired

	Machine device.Options
	Remote  catalog.RemoteUse // how endpoints are used
	Devices int               // devices of the machine's kind, which share the work of a training step

	Split    ShardOptions          // shards of its corpora
	Chunk    int                   // sequences embedded at a time, instead of the trial's own number
	failures []results.Attempt     // earlier failed attempts
	removed  func(results.Removed) // receives the records removed from the training data
	trained  func(results.Trained) // receives the size of the training
	earlier  []earlier             // complete trials of the same weights
	took     func(*results.Trial)  // receives the trial whose model is evaluated
	Hopeless *HopelessWatch        // nil: training runs to its end
	HeldTo   *results.Forgetting   // from the plan; saved with the provenance
}

// Usual returns the default surroundings of a trial.
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

// Run turns a trial of the plan into a complete folder: claim, resolve, train, evaluate, save,
// mark as done. It leaves a complete folder alone and moves a damaged one aside. A failed
// attempt records its error.
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
	case !errors.Is(err, fs.ErrNotExist): // an unreadable folder may be complete
		return err
	case in.Hopeless != nil && at.Halt().IsSet():
		return nil
	}
	if err := at.Halt().Remove(); err != nil { // a damaged mark, or one that the plan no longer asks for
		return fmt.Errorf("clear the mark of a stopped trial: %w", err)
	}
	if in.earlier, err = earlierTrials(run, t, in.Notice); err != nil {
		return err
	}
	// Before it is complete: nothing would list it if this failed afterwards.
	if err := run.Weights().List(t); err != nil {
		return fmt.Errorf("list the trial by its weights: %w", err)
	}
	reporter := run.Progress(t.ID).Record(in.report)
	defer reporter.Close()
	in.report, in.step = reporter.Report, reporter.Step
	if err := attempt(ctx, run.Dir, at, t, in); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx) // stopped, not failed: the next run continues from the checkpoint
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
	// The numbers are final, so the temporary files can go. A crash before this leaves files
	// that nothing reads.
	run.Progress(t.ID).Drop()
	return at.Scratch().Tidy()
}

// Fail records why a trial failed.
func Fail(at results.Folder, cause error) error {
	class := classify(cause)
	err := at.Failures().Add(class, cause)
	if class == results.OutOfMemory {
		// The next attempt uses smaller chunks, and a checkpoint belongs to one configuration,
		// including its chunks.
		err = errors.Join(err, at.Scratch().DropCheckpoint())
	}
	return errors.Join(cause, err)
}

// attempt computes a trial. After failures it changes settings that may help.
func attempt(ctx context.Context, runDir string, at results.Folder, t *spec.Trial, in Surroundings) error {
	if err := at.Scratch().ClearTemporary(); err != nil {
		return fmt.Errorf("remove the leftovers of a killed process: %w", err)
	}
	if err := in.adapt(at, t); err != nil {
		return err
	}
	err := Compute(ctx, runDir, at, t, in)
	if errors.Is(err, training.ErrDamaged) {
		in.Notice(fmt.Sprintf("%v; training starts over", err))
		if err := at.Scratch().DropCheckpoint(); err != nil {
			return fmt.Errorf("clear damaged checkpoint: %w", err)
		}
		err = Compute(ctx, runDir, at, t, in)
	}
	return err
}

// adapt reads the record of earlier attempts in a folder: how they failed, and smaller chunks
// if they ran out of memory.
func (in *Surroundings) adapt(at results.Folder, t *spec.Trial) error {
	before, err := at.Failures().Retry()
	if err != nil {
		return err
	}
	in.failures = before.Attempts
	in.Chunk, err = smallerChunk(&t.Cell, before.Count(results.OutOfMemory))
	return err
}

// begin returns the provenance of a new computation of a trial in a run folder.
func (in *Surroundings) begin(runDir string, t *spec.Trial, started time.Time) (results.Provenance, error) {
	p := provenance.New(repeatCommandLine(runDir, t.ID, in.Machine), started)
	err := in.Machine.Describe(&p, t.Cell.Precision)
	describeTrial(&p, t, *in)
	in.Machine.Meter = &device.Meter{}
	return p, err
}

// Compute computes a trial from start to end. runDir is the run folder in the command that
// repeats it.
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
	in.report(engine.Progress{Phase: runs.PhaseOpen})
	benchmarks, err := in.loadTasks(t, &opener, &p)
	if err != nil {
		return err
	}
	if err := in.rankShards(ctx, at, t, p, set, benchmarks); err != nil {
		return err
	}
	tasks := newTasks(countTasks(benchmarks), in.report)
	e := Evaluation{
		Trial: &results.Trial{Config: runs.Config(t), Provenance: p}, Model: model, Opener: &opener, Shards: set, Machine: &in.Machine,
		Data: benchmarks, Total: total, earlier: in.earlier,
		Done: tasks.end,
	}
	return e.Into(progress.With(ctx, tasks.within), at)
}

// tasks reports the progress of an evaluation: the tasks that are done, and a share of the next.
type tasks struct {
	of     int
	report func(engine.Progress)

	mu   sync.Mutex
	done int
	told int       // thousandths of a task
	last time.Time // of the last report within a task
}

// ofTask is the number of steps in which the progress of a task is reported.
const ofTask = 1000

// betweenReports is the least time between reports within a task.
const betweenReports = time.Second

func newTasks(n int, report func(engine.Progress)) *tasks {
	t := &tasks{of: n, report: report, last: time.Now()}
	report(engine.Progress{Phase: runs.PhaseEvaluate, Total: n * ofTask})
	return t
}

// end reports the end of a task.
func (t *tasks) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	t.told = t.done * ofTask
	t.report(engine.Progress{Phase: runs.PhaseEvaluate, Done: t.told, Total: t.of * ofTask})
	if t.done == t.of {
		t.report(engine.Progress{Phase: runs.PhaseSave})
	}
}

// within reports a share of the task in progress. It never goes back: a task may consist of
// several rankings.
func (t *tasks) within(share float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.done*ofTask + min(int(share*ofTask), ofTask-1)
	if t.done == t.of || at <= t.told || time.Since(t.last) < betweenReports {
		return
	}
	t.told, t.last = at, time.Now()
	t.report(engine.Progress{Phase: runs.PhaseEvaluate, Done: at, Total: t.of * ofTask})
}

// repeatCommandLine returns the command that computes a trial again.
func repeatCommandLine(runDir, id string, m device.Options) string {
	if m.Device == device.GoDevice {
		return fmt.Sprintf("infbench repeat %s %s", usage.Quote(runDir), id)
	}
	return fmt.Sprintf("infbench repeat %s %s --device %s", usage.Quote(runDir), id, usage.Quote(m.Device))
}

// describeTrial records the inputs of a trial and the history of its attempts.
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
