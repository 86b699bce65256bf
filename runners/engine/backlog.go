package engine

import (
	"context"
	"sync"
	"time"
)

// backlog hands out jobs in order. A job may be put back, to be handed out again after a while.
// The backlog ends when no job waits and no job that is out can come back.
type backlog struct {
	mu      sync.Mutex
	waiting []postponed
	out     int
	changed chan struct{} // closed and replaced when a waiting worker should look again
}

type postponed struct {
	Job
	notBefore time.Time
}

func newBacklog(jobs []Job) *backlog {
	b := &backlog{changed: make(chan struct{})}
	for _, j := range jobs {
		b.waiting = append(b.waiting, postponed{Job: j})
	}
	return b
}

// next waits for a job that may run. ok is false at the end of the backlog or of ctx.
func (b *backlog) next(ctx context.Context) (job Job, ok bool) {
	for ctx.Err() == nil {
		job, wait, changed, state := b.pick()
		switch state {
		case picked:
			return job, true
		case exhausted:
			return Job{}, false
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return Job{}, false
}

// Results of pick.
const (
	picked = iota
	notYet
	exhausted
)

// forever is longer than any worker waits for another.
const forever = 24 * time.Hour

// pick takes the first job that is due, or returns how long the next one has to wait.
func (b *backlog) pick() (job Job, wait time.Duration, changed <-chan struct{}, state int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait = forever
	for i, w := range b.waiting {
		left := time.Until(w.notBefore)
		if left <= 0 {
			b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
			b.out++
			return w.Job, 0, nil, picked
		}
		wait = min(wait, left)
	}
	if len(b.waiting) == 0 && b.out == 0 {
		return Job{}, 0, nil, exhausted
	}
	return Job{}, wait, b.changed, notYet
}

// finish records that a job will not come back.
func (b *backlog) finish() { b.put(nil) }

// later puts a job back, to be handed out after wait.
func (b *backlog) later(j Job, wait time.Duration) {
	b.put([]postponed{{j, time.Now().Add(wait)}})
}

func (b *backlog) put(back []postponed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, back...)
	b.out--
	close(b.changed)
	b.changed = make(chan struct{})
}
