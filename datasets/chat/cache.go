package chat

import (
	"context"
	"sync"
)

// Cached is a model whose answers are kept in a store. Each answer is synced to disk before it is
// used. A killed process loses only the answers to open requests, and a rerun pays nothing and gets
// the same bytes. Answers that were paid but cannot be used (Class.Said) are kept as well, and the
// refusal of log-probabilities: later questions depend on it.
type Cached struct {
	model Model
	store *Store

	mu   sync.Mutex
	busy map[string]*turn // by hash: equal requests of one process wait for each other
}

// turn is the lock of one request.
type turn struct {
	sync.Mutex
	waiting int
}

var _ Model = (*Cached)(nil)

// NewCached returns m with its answers cached in a store.
func NewCached(m Model, s *Store) *Cached {
	return &Cached{model: m, store: s, busy: map[string]*turn{}}
}

// Ask returns the stored answer; without one it asks and stores.
func (c *Cached) Ask(ctx context.Context, r Request) (Answer, error) {
	hash, err := r.Hash()
	if err != nil {
		return Answer{}, err
	}
	defer c.lock(hash)()
	if kept, err := c.store.load(hash); err != nil {
		return Answer{}, err
	} else if kept != nil {
		return kept.result()
	}
	answer, err := c.model.Ask(ctx, r)
	return c.keep(hash, r, answer, err)
}

// keep stores a paid answer, and returns the result for the caller.
func (c *Cached) keep(hash string, r Request, answer Answer, err error) (Answer, error) {
	class := ClassOf(err)
	if err != nil && class != NoLogprobs && (!class.Said() || answer.Input+answer.Output == 0) {
		return answer, err
	}
	e := &entry{Request: r, Answer: answer, Class: class}
	if err != nil {
		e.Why = err.Error()
	}
	kept, failed := c.store.save(hash, e)
	switch {
	case failed != nil:
		return answer, failed
	case kept != e:
		return kept.result()
	}
	return answer, err
}

// lock waits for the lock of a request; the returned function unlocks it.
func (c *Cached) lock(hash string) (unlock func()) {
	c.mu.Lock()
	t := c.busy[hash]
	if t == nil {
		t = &turn{}
		c.busy[hash] = t
	}
	t.waiting++
	c.mu.Unlock()
	t.Lock()
	return func() {
		t.Unlock()
		c.mu.Lock()
		defer c.mu.Unlock()
		if t.waiting--; t.waiting == 0 {
			delete(c.busy, hash)
		}
	}
}
