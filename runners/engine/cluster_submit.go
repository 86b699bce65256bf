package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"infbench/internal/words"
)

// limited is the refusal of an array because of the number of its tasks or of waiting jobs. An
// array of fewer tasks, or the same one later, may be accepted. It does not wrap the command's
// error, which may read as transient.
type limited struct {
	err   error
	later bool // even a single task is refused until other jobs have ended
}

func (e *limited) Error() string { return e.err.Error() }

// submitAll submits the next wave of every group that has no active wave. A group that the
// cluster refuses is left out, with the cluster's reason; the refusal does not count as a
// failure of its trials. The other groups continue.
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

// submitGroup submits a wave of a group with as many cells as the cluster accepts, which it
// finds by halving.
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
			if g.slice > 0 && g.slice < r.workers { // fewer than should run: other jobs may have ended
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
			r.noticeLimit(g, err)
			g.slice = most
		case limit.later || len(r.waves()) > 0:
			r.waiting = err
			r.noticeLimit(g, err)
			return nil
		default:
			r.refuse(g, err)
			return nil
		}
	}
}

// fewer returns how many tasks to try after n were refused: half as many, but first as many as
// should run at the same time.
func fewer(n, workers int) int {
	if n > workers {
		return max(n/2, workers)
	}
	return n / 2
}

// noticeLimit notifies the user, once, that a limit of the cluster delays trials.
func (r *clusterRun) noticeLimit(g *group, err error) {
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

// refuse gives up a group that the cluster refuses in any size. Its trials did not run, so they
// have not failed.
func (r *clusterRun) refuse(g *group, err error) {
	err = fmt.Errorf("%s not submitted, first %s: %w", words.Plural(len(g.cells), "trial was", "trials were"), g.cells[0].job.Label, err)
	r.notice(err.Error())
	r.refused = errors.Join(r.refused, err)
	for _, c := range slices.Clone(g.cells) {
		r.forget(c)
	}
}

// submitWave submits cells as one array. If the cluster refuses it, the cells are not in a
// wave.
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

// queueUntil calls queue until the cluster answers.
func (r *clusterRun) queueUntil(ctx context.Context, waves []*wave) (tasks map[string]*queued, err error) {
	err = patiently(ctx, r.poll, r.notice, func() error {
		tasks, err = r.queue(ctx, waves)
		return err
	})
	return tasks, err
}

// adopt finds the arrays that an earlier process submitted. Cells that wait or run in them are
// watched and not submitted again. Waves without such cells are closed.
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

// attach watches the unfinished tasks of a wave. active reports whether the cluster still has a
// task of it, of these jobs or others.
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

// dropDoubles cancels the second array of a wave. It exists if a submission seemed to fail, was
// repeated, and had arrived after all.
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
