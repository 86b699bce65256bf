package engine

import (
	"context"
	"fmt"

	"infbench/runners/results"
)

// submitAll submits the next wave of every group that has none under way. Cells
// that the cluster refuses fail with its words; the others go on.
func (r *clusterRun) submitAll(ctx context.Context) error {
	for _, g := range r.groups {
		if len(g.ready(1)) == 0 {
			continue
		}
		most, err := r.most(ctx)
		if err != nil {
			return err
		}
		cells, err := r.free(g.ready(most))
		if err != nil {
			return err
		}
		if err := r.submitWave(ctx, cells); err != nil {
			return err
		}
	}
	return nil
}

// submitWave submits cells as one array.
func (r *clusterRun) submitWave(ctx context.Context, cells []*cell) error {
	if len(cells) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
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
		r.fail(c, results.Fault, fmt.Errorf("not submitted: %w", err))
	}
	return w.close()
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
