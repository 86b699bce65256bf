package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"infbench/internal/usage"
)

// scheduler is the interface to a cluster. It submits arrays of tasks, finds their states, and
// ends them. Arrays are identified by the names of their waves. An error that transient accepts
// is worth another attempt.
type scheduler interface {
	most(ctx context.Context) (int, error) // the largest number of tasks in one array
	submit(ctx context.Context, w *wave, cells []*cell) (jobID string, err error)
	queue(ctx context.Context, waves []*wave) (map[string]*queued, error) // by name; nil for an unknown array
	cancel(ctx context.Context, name string, id ...string) error          // with an ID, only the array of that ID
	output(c *cell) taskOutput
}

// queued is a cluster's report on the array of one wave.
type queued struct {
	jobID   string   // the first, if two arrays have the name
	doubles []string // the others
	phases  map[int]phase
	rest    phase // for the indexes that phases does not list
}

// phase returns the phase of a task.
func (q *queued) phase(index int) phase {
	if p, ok := q.phases[index]; ok {
		return p
	}
	return q.rest
}

// clusterRun runs jobs on a cluster: one call of Run of a cluster engine.
//
// A trial's folder decides whether its job has succeeded or failed. The cluster is only asked
// which tasks wait, which run, and why one ended without leaving a result.
type clusterRun struct {
	scheduler
	*tracker
	title    string        // name of the kind of cluster, for messages
	waveName func() string // returns a unique name
	dir      string        // contains the waves
	workers  int           // tasks of one wave that run at the same time
	detach   bool
	poll     time.Duration
	notice   func(string)
	pace     pace
	away     bool  // the cluster did not answer the last look
	waiting  error // why a group has no wave for now
	refused  error // why the cluster refused groups for good
}

// run submits jobs and follows them. If ctx ends, it cancels the submitted tasks. After any
// other error they stay, and the same command finds them again.
func (r *clusterRun) run(ctx context.Context) error {
	r.pace = newPace(r.poll)
	lease, err := Leases{Dir: r.dir}.Take(ctx, "submitter")
	if errors.Is(err, ErrBusy) {
		return fmt.Errorf("another sweep of this folder submits to %s; infbench status shows its progress", r.title)
	} else if err != nil {
		return err
	}
	defer lease.Release()
	if err := r.watch(ctx); ctx.Err() == nil {
		return err
	}
	return r.stop(ctx)
}

// watch submits jobs and follows them until all have ended. Its error is the reason why some were
// not submitted.
func (r *clusterRun) watch(ctx context.Context) error {
	if err := r.adopt(ctx); err != nil {
		return err
	}
	for len(r.cells) > 0 {
		if err := r.submitAll(ctx); err != nil {
			return err
		}
		if len(r.cells) == 0 {
			break // nothing could be submitted
		}
		if r.detach {
			switch {
			case r.refused != nil:
				return r.refused
			case len(r.waves()) > 0:
				return ErrDetached
			case r.waiting != nil:
				return r.waiting
			}
		}
		if err := r.pace.wait(ctx); err != nil {
			return err
		}
		if err := r.look(ctx); err != nil {
			return err
		}
	}
	return r.refused
}

// look asks the cluster for the state of every watched task, and reads the results from the
// folders.
func (r *clusterRun) look(ctx context.Context) error {
	events, waves := r.events, r.waves()
	tasks, err := r.queue(ctx, waves)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.lookWithout(err)
	} else {
		r.lookAt(tasks)
		if err := r.dropDoubles(ctx, tasks); err != nil {
			return err
		}
	}
	r.pace.saw(r.events > events)
	return r.closeFinished(waves)
}

// lookWithout follows the trials by their folders while the cluster does not answer.
func (r *clusterRun) lookWithout(err error) {
	if !r.away {
		r.notice(fmt.Sprintf("%s does not answer (%v); jobs continue, asking again", r.title, err))
	}
	r.away = true
	for _, c := range r.watched() {
		if c.started {
			r.succeeded(c)
		}
	}
}

func (r *clusterRun) lookAt(tasks map[string]*queued) {
	if r.away {
		r.notice(r.title + " answers again")
	}
	r.away = false
	for _, c := range r.watched() {
		q := tasks[c.wave.Name]
		phase := phaseGone
		if q != nil {
			phase = q.phase(c.index)
		}
		if phase != phaseGone {
			c.absent = 0
		}
		switch {
		case phase == phaseWaiting:
			c.ended = time.Time{}
		case phase == phaseRunning:
			c.ended = time.Time{}
			r.running(c)
		case phase == phaseGone && c.absent == 0:
			c.absent++ // the list may be truncated: wait for the second
		default:
			r.ended(c, phase, q != nil)
		}
	}
}

// running reports that a cell has begun, and its progress.
func (r *clusterRun) running(c *cell) {
	r.start(c)
	r.advance(c, r.output(c).progress)
}

// settleTime is how long a finished task's files may take to appear on a network file system
// (NFS keeps attributes for up to 60 s).
const settleTime = 90 * time.Second

// ended decides the result of a cell whose task is over. listed reports whether the cluster
// still knows its array.
func (r *clusterRun) ended(c *cell, p phase, listed bool) {
	if r.settle(c) {
		return
	}
	out := r.output(c)
	if p == phaseGone || p == phaseExited {
		p = out.phase(p, listed)
	}
	if c.ended.IsZero() {
		c.ended = time.Now()
	}
	if p == phaseExited && time.Since(c.ended) < min(settleTime, 6*r.poll) {
		return // its files may not be visible yet
	}
	reason, again := p.explain(out)
	if again && c.lost < maxLost {
		c.lost++
		r.notice(fmt.Sprintf("%s: %s; submitting it again (%d of %d)", c.job.Label, reason, c.lost, maxLost))
		r.leave(c)
		return
	}
	r.fail(c, p.class(), withLastLine(reason, r.trials.Log(c.job.ID)))
}

// maxLost is how often a cell that the cluster lost (a dead node, a preempted job) is submitted
// again, in addition to Slurm's own requeueing.
const maxLost = 3

// stop cancels the submitted waves, waits for their end until over ends, and reports the end of
// each job. Tasks that are still saving then do so unwatched: they keep the leases of their
// trials meanwhile.
func (r *clusterRun) stop(over context.Context) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime(over))
	defer cancel()
	waves := r.waves()
	if err := r.withdraw(ctx, waves); err != nil {
		return errors.Join(context.Cause(over), err)
	}
	if !r.awaitEnd(ctx, waves) {
		r.notice(fmt.Sprintf("%s has been told to end %s: running trials save their state first, within the time that the cluster gives them", r.title, strings.Join(names(waves), ", ")))
	}
	for _, c := range r.watched() {
		if !r.settle(c) && c.started {
			r.finish(c, Stopped, nil)
		}
	}
	return context.Cause(over)
}

// stopTime returns how long stop may take.
func stopTime(over context.Context) time.Duration {
	if usage.Signal(over) != nil && !usage.Unhurried(over) {
		return usage.ChildPatience
	}
	return 2 * stopGrace
}

// withdraw cancels waves concurrently and closes those that the cluster has cancelled.
func (r *clusterRun) withdraw(ctx context.Context, waves []*wave) error {
	errs := make([]error, len(waves))
	var all sync.WaitGroup
	for i, w := range waves {
		all.Go(func() {
			if errs[i] = r.cancel(ctx, w.Name); errs[i] != nil {
				errs[i] = fmt.Errorf("%s of %s continues, the same command finds it again: %w", w.Name, r.title, errs[i])
				return
			}
			errs[i] = w.close()
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// awaitEnd waits until no cancelled task is running: trials are saving. It reports whether that
// happened before the end of ctx.
func (r *clusterRun) awaitEnd(ctx context.Context, waves []*wave) bool {
	for len(waves) > 0 {
		tasks, err := r.queue(ctx, waves)
		active := err != nil
		for _, w := range waves {
			if q := tasks[w.Name]; q != nil {
				for i := range w.Cells {
					active = active || !q.phase(i).over()
				}
			}
		}
		if !active {
			return true
		}
		if sleep(ctx, min(r.poll, time.Second)) != nil {
			return false
		}
	}
	return true
}
