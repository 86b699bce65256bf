package engine

import (
	"sync"
	"time"
)

// Watch tells who holds trials, without claiming any. A process of another host
// can only be told dead by looking again after a while; a Watch remembers what it
// saw. It is safe for concurrent use.
type Watch struct {
	leases Leases
	mu     sync.Mutex
	seen   map[string]sighting
}

// sighting is a lease as it has been for some time.
type sighting struct {
	claim
	stood  time.Duration // while this Watch looked
	looked time.Time     // last
	beaten bool          // it was another before
}

// Watch begins to watch.
func (l Leases) Watch() *Watch {
	return &Watch{leases: l.fresh(), seen: map[string]sighting{}}
}

// Holder tells which process holds a trial, if one does: one that is no more, or
// that has stood still for Patience while this Watch looked, holds nothing.
func (w *Watch) Holder(id string) (Owner, bool, error) {
	held, err := w.leases.newest(id)
	if err != nil || held.generation == 0 {
		return Owner{}, false, err
	}
	owner, holds := w.judge(id, held)
	return owner, holds, nil
}

// Take claims a trial that by what this Watch saw nobody holds, without waiting;
// ErrBusy where somebody does.
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
		err = ErrBusy // another was faster
	}
	return lease, err
}

// judge says who wrote a lease and whether it still counts.
func (w *Watch) judge(id string, now claim) (Owner, bool) {
	owner, ok := now.owner()
	if ok && w.leases.dead(owner) {
		return owner, false
	}
	stood, _ := w.stoodStill(id, now)
	return owner, stood < w.leases.patience()
}
