package usage

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A process that SIGINT or SIGTERM ends is gone within a second. Patience is how long
// it may take to end by itself, and save the step under way; ChildPatience the same of
// one that another waits for.
const (
	Patience      = 750 * time.Millisecond
	ChildPatience = 450 * time.Millisecond
)

// lastDeeds is how long the deeds of BeforeEnd may take together.
const lastDeeds = 100 * time.Millisecond

// Ending is how a process ends that a signal stops: what it still does, and by when.
type Ending struct {
	mu    sync.Mutex
	grace time.Duration
	deeds []*func()
}

// endingKey finds the Ending of a process in its contexts.
type endingKey struct{}

// WithEnding returns a context whose users say how the process ends.
func WithEnding(parent context.Context) (context.Context, *Ending) {
	e := &Ending{grace: Patience}
	return context.WithValue(parent, endingKey{}, e), e
}

func endingOf(ctx context.Context) *Ending {
	e, _ := ctx.Value(endingKey{}).(*Ending)
	return e
}

// Allow sets how long after SIGINT or SIGTERM the process may take to end by itself.
func Allow(ctx context.Context, grace time.Duration) {
	if e := endingOf(ctx); e != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.grace = grace
	}
}

// BeforeEnd has a deed done, quickly, should the process be ended before it is
// through; what is begun last goes first. forget takes it back.
func BeforeEnd(ctx context.Context, deed func()) (forget func()) {
	e := endingOf(ctx)
	if e == nil {
		return func() {}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.deeds = append(e.deeds, &deed)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.deeds = slices.DeleteFunc(e.deeds, func(d *func()) bool { return d == &deed })
	}
}

// Grace is how long the process may take to end by itself.
func (e *Ending) Grace() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.grace
}

// Finish does what is left to do, in the time that there is for it.
func (e *Ending) Finish() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, deed := range slices.Backward(e.deeds) {
			(*deed)()
		}
	}()
	select {
	case <-done:
	case <-time.After(lastDeeds):
	}
}
