package engine

import (
	"sync"
	"time"
)

// Watch finds who holds trials, without claiming any. It notices that a process on another host
// is dead only by looking again after a while, so it remembers its sightings. It is safe for
// concurrent use.
type Watch struct {
	leases Leases
	mu     sync.Mutex
	seen   map[string]sighting
}

// sighting is an observed state of a lease.
type sighting struct {
	claim
	stood  time.Duration // how long it was unchanged while this Watch looked
	looked time.Time     // time of the last look
	beaten bool          // it changed before, so its holder was alive
}

// Watch begins to watch.
func (l Leases) Watch() *Watch {
	return &Watch{leases: l.fresh(), seen: map[string]sighting{}}
}

// Holder returns the process that holds a trial, if any. A process that has ended, or that has
// stood still for Patience while this Watch looked, holds nothing.
func (w *Watch) Holder(id string) (Owner, bool, error) {
	held, err := w.leases.newest(id)
	if err != nil || held.generation == 0 {
		return Owner{}, false, err
	}
	owner, holds := w.judge(id, held)
	return owner, holds, nil
}

// Take claims, without waiting, a trial that nobody holds as far as this Watch has seen.
// Otherwise it returns ErrBusy.
func (w *Watch) Take(id string) (*Lease, error) {
	if err := w.leases.makeFolder(); err != nil {
		return nil, err
	}
	held, err := w.leases.newest(id)
	if err != nil {
		return nil, err
	}
	if held.generation > 0 {
		if _, holds := w.judge(id, held); holds {
			return nil, ErrBusy
		}
	}
	lease, err := w.leases.fresh().claim(id, held)
	if lease == nil && err == nil {
		err = ErrBusy // another process was faster
	}
	return lease, err
}

// judge returns who wrote a lease and whether it is still valid.
func (w *Watch) judge(id string, now claim) (Owner, bool) {
	owner, ok := now.owner()
	if ok && w.leases.dead(owner) {
		return owner, false
	}
	stood, _ := w.stoodStill(id, now)
	return owner, stood < w.leases.patience()
}
