package engine

import (
	"bytes"
	"context"
	"os"
	"time"
)

// Holding is a lease as seen by a process that claims nothing.
type Holding struct {
	Owner
	Alive bool      // false: abandoned; any process that wants the trial takes it over
	Since time.Time // time of the last write by the file's clock; zero if that is in the future
}

// doubt is how long Survey watches a lease that looks abandoned: one heartbeat and the delay of
// a file server.
func (l Leases) doubt() time.Duration { return l.beat() * 3 / 2 }

// Survey reports for every trial that has a lease whether a process still holds it. On this
// machine it looks for the process itself. A lease written within Patience counts as alive. For
// all others, such as those of another host or truncated files, it trusts no clock: the lease
// is abandoned if it stands still while Survey watches, which takes a few seconds the first
// time.
func (w *Watch) Survey(ctx context.Context) (map[string]Holding, error) {
	found, doubtful, err := w.look()
	if err != nil || len(doubtful) == 0 {
		return found, err
	}
	began := time.Now()
	for len(doubtful) > 0 && time.Since(began) < w.leases.doubt() {
		if err := sleep(ctx, w.leases.beat()/4); err != nil {
			return nil, context.Cause(ctx)
		}
		if found, doubtful, err = w.look(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// look finds the leases, and lists the doubtful ones, which may or may not be held.
func (w *Watch) look() (found map[string]Holding, doubtful []string, err error) {
	all, err := w.leases.generations()
	if err != nil {
		return nil, nil, err
	}
	found = map[string]Holding{}
	for id := range all {
		now, err := w.leases.newest(id)
		if err != nil {
			return nil, nil, err
		}
		if now.generation == 0 {
			continue // given back at this moment
		}
		h, sure := w.weigh(id, now)
		found[id] = h
		if !sure {
			doubtful = append(doubtful, id)
		}
	}
	return found, doubtful, nil
}

// weigh judges one lease. sure is false if that takes another look.
func (w *Watch) weigh(id string, now claim) (h Holding, sure bool) {
	owner, whole := now.owner()
	h.Owner = owner
	age := w.leases.patience()
	if info, err := os.Lstat(w.leases.path(id, now.generation)); err == nil {
		if age = time.Since(info.ModTime()); age > 0 {
			h.Since = info.ModTime()
		}
	}
	stood, beaten := w.stoodStill(id, now)
	switch {
	case whole && w.leases.dead(owner):
		return h, true
	case beaten || age.Abs() < w.leases.patience() && stood < w.leases.patience():
		h.Alive = true
		return h, true
	}
	return h, stood >= w.leases.doubt()
}

// stoodStill returns how long a lease has been unchanged while this Watch looked. beaten
// reports whether it changed before, which is a sign of life.
func (w *Watch) stoodStill(id string, now claim) (stood time.Duration, beaten bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, known := w.seen[id]
	same := known && before.generation == now.generation && bytes.Equal(before.content, now.content)
	if !same {
		w.seen[id] = sighting{claim: now, looked: time.Now(), beaten: known}
		return 0, known
	}
	before.stood += w.leases.between(before.looked)
	before.looked = time.Now()
	w.seen[id] = before
	return before.stood, before.beaten && before.stood < w.leases.patience()
}
