package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"infbench/runners/results"
)

// Trials gives a cluster engine access to the trials of a run folder.
type Trials struct {
	Folder func(id string) results.Folder
	// Mark changes the record in a trial's folder. It returns ErrBusy if another process has
	// the trial.
	Mark func(id string, change func(results.Folder) error) error
	Log  func(id string) string // path of a trial's output

	// Look returns what other processes have done about a job, just before it would be
	// submitted. nil: every job is free.
	Look func(Job) (State, error)
	// Retry decides whether a failed job runs again. nil: never.
	Retry func(Job, error) (wait time.Duration, again bool)
}

// tracker is the state that both cluster engines keep about their jobs: which have not ended,
// the wave of each, and the last report.
type tracker struct {
	trials Trials
	report func(Event)
	events int              // reported so far
	cells  map[string]*cell // by trial ID, without those that have ended
	order  []*cell          // the cells, in the order of the jobs
	groups []*group
}

// cell is a job that has not ended.
type cell struct {
	job      Job
	group    *group
	wave     *wave // nil: not submitted
	index    int   // in the wave
	started  bool
	progress Progress  // reported last
	ended    time.Time // when the cluster first reported its end
	absent   int       // consecutive looks that did not list it
	lost     int       // how often the cluster lost it
}

// group is the jobs that ask for the same resources. Its waves run one after the other, so that
// a throttle on each limits how many jobs run at a time.
type group struct {
	cells []*cell // the unfinished ones
	slice int     // tasks of an array that the cluster accepts, if it accepts fewer than asked; 0: no such limit
}

func newTracker(jobs []Job, trials Trials, report func(Event)) *tracker {
	t := &tracker{trials: trials, report: report, cells: map[string]*cell{}}
	groups := map[string]*group{}
	for _, job := range jobs {
		key := fmt.Sprintf("%+v", job.Resources)
		if groups[key] == nil {
			groups[key] = &group{}
			t.groups = append(t.groups, groups[key])
		}
		c := &cell{job: job, group: groups[key]}
		c.group.cells = append(c.group.cells, c)
		t.cells[job.ID] = c
		t.order = append(t.order, c)
	}
	return t
}

// ready returns the cells of a group to submit next, or none while a wave of the group is
// active.
func (g *group) ready(most int) []*cell {
	var ready []*cell
	for _, c := range g.cells {
		if c.wave != nil {
			return nil
		}
		if len(ready) < most {
			ready = append(ready, c)
		}
	}
	return ready
}

// join watches a cell as task index of a wave.
func (t *tracker) join(c *cell, w *wave, index int) { c.wave, c.index = w, index }

// leave removes a cell from its wave, to be submitted again.
func (t *tracker) leave(c *cell) { c.wave, c.ended, c.absent = nil, time.Time{}, 0 }

// watched lists the submitted cells.
func (t *tracker) watched() []*cell {
	var out []*cell
	for _, c := range t.order {
		if c.wave != nil {
			out = append(out, c)
		}
	}
	return out
}

// waves lists the waves of the watched cells.
func (t *tracker) waves() []*wave {
	var out []*wave
	seen := map[*wave]bool{}
	for _, c := range t.watched() {
		if !seen[c.wave] {
			seen[c.wave] = true
			out = append(out, c.wave)
		}
	}
	return out
}

func (t *tracker) emit(e Event) {
	t.events++
	t.report(e)
}

// start reports once that a cell has begun.
func (t *tracker) start(c *cell) {
	if !c.started {
		c.started = true
		t.emit(Event{Job: c.job, Kind: Started})
	}
}

// advance reports the progress of a cell if it changed.
func (t *tracker) advance(c *cell, p Progress) {
	if p.Phase != "" && p != c.progress {
		c.progress = p
		t.emit(Event{Job: c.job, Kind: Progressed, Progress: p})
	}
}

// finish reports the end of a cell. A cell that began and ended between two looks is first
// reported as started.
func (t *tracker) finish(c *cell, kind Kind, err error) {
	t.start(c)
	t.drop(c, Event{Job: c.job, Kind: kind, Err: err})
}

// drop reports the last event of a cell.
func (t *tracker) drop(c *cell, last Event) {
	t.emit(last)
	t.forget(c)
}

// forget stops following a cell.
func (t *tracker) forget(c *cell) {
	delete(t.cells, c.job.ID)
	same := func(other *cell) bool { return other == c }
	t.order = slices.DeleteFunc(t.order, same)
	c.group.cells = slices.DeleteFunc(c.group.cells, same)
	c.wave = nil
}

// settle ends a cell that is over according to its folder. It returns false if the folder has
// no result yet.
func (t *tracker) settle(c *cell) bool {
	if t.succeeded(c) {
		return true
	}
	var trial results.Trial
	if err := t.trials.Folder(c.job.ID).Reader().State(&trial); err != nil {
		return false
	}
	switch trial.State {
	case results.Stopped: // stopped as hopeless: it is over, without results
		t.finish(c, Succeeded, nil)
		return true
	case results.Failed:
	default:
		return false
	}
	t.failed(c, errors.New(trial.Error))
	return true
}

// succeeded ends a cell whose folder is complete. The marker alone does not count: a network
// file system may show it before the files, and the trial clears a damaged folder when it runs
// again.
func (t *tracker) succeeded(c *cell) bool {
	if t.trials.Folder(c.job.ID).Marker().Verify() != nil {
		return false
	}
	t.finish(c, Succeeded, nil)
	return true
}

// free selects the cells that no other process runs or has finished.
func (t *tracker) free(cells []*cell) (free []*cell, err error) {
	if t.trials.Look == nil {
		return cells, nil
	}
	for _, c := range cells {
		state, err := t.trials.Look(c.job)
		switch {
		case err != nil:
			return nil, err
		case state == Finished:
			t.drop(c, Event{Job: c.job, Kind: Elsewhere})
		case state == Free:
			free = append(free, c)
		}
	}
	return free, nil
}

// fail ends a cell that left no record itself, and records the reason in its folder, where
// status and report look. If another process has the cell, or its standstill was too short to
// be sure, the cell stays watched and is looked at again.
func (t *tracker) fail(c *cell, class results.Class, cause error) {
	err := t.trials.Mark(c.job.ID, func(at results.Folder) error { return at.Failures().Add(class, cause) })
	if errors.Is(err, ErrBusy) {
		return
	}
	if err != nil {
		cause = errors.Join(cause, err)
	}
	t.failed(c, cause)
}

// failed ends a cell, or leaves it to be submitted again. No pause is needed: the next wave
// comes after this one.
func (t *tracker) failed(c *cell, cause error) {
	if t.trials.Retry != nil {
		if _, again := t.trials.Retry(c.job, cause); again {
			t.start(c)
			t.emit(Event{Job: c.job, Kind: Retried, Err: cause})
			t.leave(c)
			c.started = false
			return
		}
	}
	t.finish(c, Failed, cause)
}

// open creates a wave of the cells and watches them. Earlier failures are marked as being
// retried, so that a later record is known to be new.
func (t *tracker) open(parent, name string, cells []*cell) (*wave, error) {
	var ids []string
	for _, c := range cells {
		err := t.trials.Mark(c.job.ID, func(at results.Folder) error {
			_, err := at.Failures().Retry()
			return err
		})
		if err != nil && !errors.Is(err, ErrBusy) {
			return nil, fmt.Errorf("mark earlier failure: %w", err)
		}
		ids = append(ids, c.job.ID)
	}
	w, err := openWave(parent, name, ids)
	if err != nil {
		return nil, err
	}
	for i, c := range cells {
		t.join(c, w, i)
	}
	return w, nil
}

// closeFinished closes those of the given waves that have no watched cell.
func (t *tracker) closeFinished(before []*wave) error {
	open := t.waves()
	for _, w := range before {
		if !slices.Contains(open, w) {
			if err := w.close(); err != nil {
				return err
			}
		}
	}
	return nil
}

func names(waves []*wave) []string {
	var out []string
	for _, w := range waves {
		out = append(out, w.Name)
	}
	return out
}
