package usage

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A process that receives SIGINT or SIGTERM must end within a second. Patience is the time it has
// to end by itself and save the current step; ChildPatience is the same for a child process that
// another process waits for.
const (
	Patience      = 750 * time.Millisecond
	ChildPatience = 450 * time.Millisecond
)

// cleanupTime is the total time for the cleanups of BeforeEnd.
const cleanupTime = 100 * time.Millisecond

// Ending describes how a process ends after a signal: its remaining cleanups and its deadline.
type Ending struct {
	mu       sync.Mutex
	grace    time.Duration
	cleanups []*func()
}

// endingKey is the context key of a process's Ending.
type endingKey struct{}

// WithEnding returns a context through which callees set how the process ends.
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

// BeforeEnd registers a short cleanup that runs if a signal ends the process first. The cleanup
// registered last runs first. forget unregisters it.
func BeforeEnd(ctx context.Context, cleanup func()) (forget func()) {
	e := endingOf(ctx)
	if e == nil {
		return func() {}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cleanups = append(e.cleanups, &cleanup)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.cleanups = slices.DeleteFunc(e.cleanups, func(d *func()) bool { return d == &cleanup })
	}
}

// Grace returns the time that the process has to end by itself.
func (e *Ending) Grace() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.grace
}

// Finish runs the registered cleanups, for at most cleanupTime.
func (e *Ending) Finish() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, cleanup := range slices.Backward(e.cleanups) {
			(*cleanup)()
		}
	}()
	select {
	case <-done:
	case <-time.After(cleanupTime):
	}
}
