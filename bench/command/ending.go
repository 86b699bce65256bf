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

// echoWithin is how soon after a SIGTERM another is taken for the same.
const echoWithin = 200 * time.Millisecond

// untilSignal returns a context that ends at the first signal: Ctrl-C, SIGTERM,
// or SIGUSR1, by which Slurm gives notice. After the first Ctrl-C or SIGTERM the
// process has little time left (ending.hasten), a second one ends it at once; notice
// leaves as much time as it takes.
//
// A SIGTERM on the heels of another is one: timeout(1) and init systems send it to
// the process and to its group.
//
// Trials of a sweep that is ended at once end too: the kernel sends them SIGTERM
// when their parent dies, for each a second one.
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

// listen takes signals until the process is over.
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

// hasten ends this process with a code, after last has said so, where a signal leaves
// little time and the process was not done by then. Whatever it is at, nothing is left
// half done: that is what atomic writes and checkpoints are for.
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

// exit does what is left to do and ends the process.
func (e *ending) exit(code int) {
	e.Finish()
	os.Exit(code)
}

// done says that the process ends by itself.
func (e *ending) done() {
	close(e.over)
	e.cancel(nil)
}
