package usage

import (
	"context"
	"os"
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
	cancel context.CancelCauseFunc
	urgent chan struct{} // closed at the first signal that leaves little time
	over   chan struct{}

	mu    sync.Mutex
	grace time.Duration
	deeds []*func()
}

// endingKey finds the Ending of a process in its contexts.
type endingKey struct{}

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

// Hasten ends this process with a code, after last has said so, where a signal leaves
// little time and the process was not Done by then. Whatever it is at, nothing is left
// half done: that is what atomic writes and checkpoints are for.
func (e *Ending) Hasten(code int, last func()) {
	go func() {
		select {
		case <-e.over:
			return
		case <-e.urgent:
		}
		e.mu.Lock()
		grace := e.grace
		e.mu.Unlock()
		select {
		case <-e.over:
		case <-time.After(grace):
			last()
			e.exit(code)
		}
	}()
}

// exit does what is left to do and ends the process.
func (e *Ending) exit(code int) {
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
	os.Exit(code)
}

// Done says that the process ends by itself.
func (e *Ending) Done() {
	close(e.over)
	e.cancel(nil)
}
