package usage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signalled is why a context ended that a signal ended.
type signalled struct{ signal os.Signal }

func (s signalled) Error() string { return fmt.Sprintf("stopped by signal: %v", s.signal) }

// Is makes what stopped look cancelled, which it was.
func (s signalled) Is(target error) bool { return target == context.Canceled }

// ExitCode tells stopping from failing.
func (s signalled) ExitCode() int { return ExitStopped }

// Signal is the signal that ended a context, nil where none did.
func Signal(ctx context.Context) os.Signal {
	if s, ok := errors.AsType[signalled](context.Cause(ctx)); ok {
		return s.signal
	}
	return nil
}

// Unhurried says whether what ended a context leaves time to finish and save the step
// under way: notice was given (SIGUSR1), or the program has a reason of its own.
func Unhurried(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return cause != nil && (Signal(ctx) == syscall.SIGUSR1 || !errors.Is(cause, context.Canceled))
}

// echoWithin is how soon after a SIGTERM another is taken for the same.
const echoWithin = 200 * time.Millisecond

// UntilSignal returns a context that ends at the first signal: Ctrl-C, SIGTERM,
// or SIGUSR1, by which Slurm gives notice. After the first Ctrl-C or SIGTERM the
// process has little time left (Ending.Hasten), a second one ends it at once; notice
// leaves as much time as it takes.
//
// A SIGTERM on the heels of another is one: timeout(1) and init systems send it to
// the process and to its group.
//
// Trials of a sweep that is ended at once end too: the kernel sends them SIGTERM
// when their parent dies, for each a second one.
func UntilSignal(parent context.Context) (ctx context.Context, ending *Ending) {
	ending = &Ending{urgent: make(chan struct{}), over: make(chan struct{}), grace: Patience}
	ctx, ending.cancel = context.WithCancelCause(context.WithValue(parent, endingKey{}, ending))
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1)
	go func() {
		defer signal.Stop(signals)
		ending.listen(signals)
	}()
	return ctx, ending
}

// listen takes signals until the process is over.
func (e *Ending) listen(signals <-chan os.Signal) {
	started, urgent := os.Getppid(), 0
	var terminated time.Time // when the last SIGTERM came
	for {
		var s os.Signal
		select {
		case <-e.over:
			return
		case s = <-signals:
		}
		e.cancel(signalled{s})
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

// Stopped is a trial that did not fail: it goes on when it is started again.
type Stopped struct{ Err error }

func (e Stopped) Error() string { return e.Err.Error() }
func (e Stopped) Unwrap() error { return e.Err }
func (e Stopped) ExitCode() int { return ExitStopped }
