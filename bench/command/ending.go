package command

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"infbench/internal/usage"
)

// ending ends this process when a signal stops it.
type ending struct {
	*usage.Ending
	cancel context.CancelCauseFunc
	urgent chan struct{} // closed at the first signal that leaves little time
	over   chan struct{}
}

// echoWithin is the time within which a second SIGTERM counts as the same one.
const echoWithin = 200 * time.Millisecond

// untilSignal returns a context that ends at the first signal: Ctrl-C, SIGTERM, or SIGUSR1,
// by which Slurm gives notice. After the first Ctrl-C or SIGTERM the process has little time
// left (ending.hasten); a second one ends it at once. After notice it may take as long as it
// needs.
//
// Two SIGTERMs in quick succession count as one: timeout(1) and init systems send it both to
// the process and to its group.
//
// Trials of a sweep that is ended at once end too: the kernel sends them SIGTERM when their
// parent dies, which for each is a second one.
func untilSignal(parent context.Context) (ctx context.Context, e *ending) {
	e = &ending{urgent: make(chan struct{}), over: make(chan struct{})}
	ctx, e.Ending = usage.WithEnding(parent)
	ctx, e.cancel = context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1)
	go func() {
		defer signal.Stop(signals)
		e.listen(signals)
	}()
	return ctx, e
}

// listen handles signals until the process is done.
func (e *ending) listen(signals <-chan os.Signal) {
	started, urgent := os.Getppid(), 0
	var terminated time.Time // when the last SIGTERM came
	for {
		var s os.Signal
		select {
		case <-e.over:
			return
		case s = <-signals:
		}
		e.cancel(usage.Signalled{Signal: s})
		if s == syscall.SIGUSR1 {
			continue
		}
		if s == syscall.SIGTERM {
			echo := time.Since(terminated) < echoWithin && os.Getppid() == started
			if terminated = time.Now(); echo {
				continue
			}
		}
		switch urgent++; urgent {
		case 1:
			close(e.urgent)
		case 2:
			e.exit(128 + int(s.(syscall.Signal)))
		}
	}
}

// hasten ends this process with a code, after calling last to report it, if a signal leaves
// little time and the process does not finish in that time. Nothing is left half done: writes
// are atomic and training saves checkpoints.
func (e *ending) hasten(code int, last func()) {
	go func() {
		select {
		case <-e.over:
			return
		case <-e.urgent:
		}
		select {
		case <-e.over:
		case <-time.After(e.Grace()):
			last()
			e.exit(code)
		}
	}()
}

// exit cleans up and ends the process.
func (e *ending) exit(code int) {
	e.Finish()
	os.Exit(code)
}

// done records that the process ends by itself.
func (e *ending) done() {
	close(e.over)
	e.cancel(nil)
}
