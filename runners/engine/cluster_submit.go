package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"infbench/internal/words"
)

// limited is a refusal of an array for the number of its tasks or of the jobs that wait: an
// array of fewer tasks, or the same one later, may be taken. It does not wrap the error of
// the command, which may read as transient.
type limited struct {
	err   error
	later bool // a single task may be taken later, when other jobs have ended
}

func (e *limited) Error() string { return e.err.Error() }

// submitAll submits the next wave of every group that has none under way. A group that the
// cluster refuses is left out with its words, which are no failures of its trials; the
// others go on.
func (r *clusterRun) submitAll(ctx context.Context) error {
	r.waiting = nil
	for _, g := range r.groups {
		if len(g.ready(1)) == 0 {
			continue
		}
		most, err := r.most(ctx)
		if err != nil {
			return err
		}
		if err := r.submitGroup(ctx, g, most); err != nil {
			return err
		}
	}
	return nil
}

// submitGroup submits a wave of a group: of as many cells as the cluster takes, which is
// tried by halving.
func (r *clusterRun) submitGroup(ctx context.Context, g *group, most int) error {
	if g.slice > 0 {
		most = min(most, g.slice)
	}
	for {
		cells, err := r.free(g.ready(most))
		if err != nil || len(cells) == 0 || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		err = r.submitWave(ctx, cells)
		var limit *limited
		switch {
		case err == nil:
			if g.slice > 0 && g.slice < r.workers { // fewer than shall run: other jobs may have ended
				g.slice = min(2*g.slice, r.workers)
			}
			return nil
		case ctx.Err() != nil || transient(err):
			return err
		case !errors.As(err, &limit):
			r.refuse(g, err)
			return nil
		case len(cells) > 1:
			most = fewer(len(cells), r.workers)
			r.tell(g, err)
			g.slice = most
		case limit.later || len(r.waves()) > 0:
			r.waiting = err
			r.tell(g, err)
			return nil
		default:
			r.refuse(g, err)
			return nil
		}
	}
}

// fewer is how many tasks are tried where n are refused: half as many, and first as many as
// shall run at a time.
func fewer(n, workers int) int {
	if n > workers {
		return max(n/2, workers)
	}
	return n / 2
}

// tell says once that a limit of the cluster holds trials back.
func (r *clusterRun) tell(g *group, err error) {
	if g.slice > 0 {
		return
	}
	g.slice = 1
	then := "the others wait for their end"
	if r.detach {
		then = "the same command submits the others when those have ended"
	}
	r.notice(fmt.Sprintf("%s does not take %s at a time (%v): fewer are submitted, %s", r.title, words.Plural(len(g.cells), "trial", "trials"), err, then))
}

// refuse gives up a group that the cluster refuses whatever it is asked: nobody ran its
// trials, so that they have not failed.
func (r *clusterRun) refuse(g *group, err error) {
	err = fmt.Errorf("%s not submitted, first %s: %w", words.Plural(len(g.cells), "trial was", "trials were"), g.cells[0].job.Label, err)
	r.notice(err.Error())
	r.refused = errors.Join(r.refused, err)
	for _, c := range slices.Clone(g.cells) {
		r.forget(c)
	}
}

// submitWave submits cells as one array. Where the cluster refuses it, no cell is in a wave.
func (r *clusterRun) submitWave(ctx context.Context, cells []*cell) error {
	w, err := r.open(r.dir, r.waveName(), cells)
	if err != nil {
		return err
	}
	jobID, err := r.submit(ctx, w, cells)
	if err == nil {
		return w.confirm(jobID)
	}
	if ctx.Err() != nil || transient(err) {
		return err // it may have arrived: the wave stays open, to be found again
	}
	for _, c := range cells {
		r.leave(c)
	}
	return errors.Join(err, w.remove())
}

// queueUntil is queue that asks until it is answered.
func (r *clusterRun) queueUntil(ctx context.Context, waves []*wave) (tasks map[string]*queued, err error) {
	err = patiently(ctx, r.poll, r.notice, func() error {
		tasks, err = r.queue(ctx, waves)
		return err
	})
	return tasks, err
}

// adopt finds the arrays that an earlier process submitted. Cells that wait or
// run there are watched and not submitted again; a wave with none is closed.
func (r *clusterRun) adopt(ctx context.Context) error {
	waves, err := openWaves(r.dir)
	if err != nil || len(waves) == 0 {
		return err
	}
	tasks, err := r.queueUntil(ctx, waves)
	if err != nil {
		return err
	}
	for _, w := range waves {
		q := tasks[w.Name]
		if w.JobID == "" && q != nil {
			if err := w.confirm(q.jobID); err != nil {
				return err
			}
		}
		if r.attach(w, q) {
			continue
		}
		if err := w.close(); err != nil {
			return err
		}
	}
	return r.dropDoubles(ctx, tasks)
}

// attach takes the unfinished tasks of a wave under watch; active says whether
// any task of it, of these jobs or not, is left to the cluster.
func (r *clusterRun) attach(w *wave, q *queued) (active bool) {
	if q == nil {
		return false
	}
	for i, id := range w.Cells {
		if q.phase(i).over() {
			continue
		}
		active = true
		c := r.cells[id]
		if c == nil || c.wave != nil {
			continue // done by now, or no longer planned
		}
		r.join(c, w, i)
	}
	return active
}

// dropDoubles cancels the second array of a wave: a submission that seemed to
// fail and was repeated had arrived after all.
func (r *clusterRun) dropDoubles(ctx context.Context, tasks map[string]*queued) error {
	for name, q := range tasks {
		for _, id := range q.doubles {
			if err := r.cancel(ctx, name, id); err != nil {
				return err
			}
		}
	}
	return nil
}
