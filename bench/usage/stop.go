package usage

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// ExitStopped is the exit code of a verb that was asked to stop and did, or of a
// trial that another process is running: what was done is saved, and the same
// command goes on. The number is EX_TEMPFAIL of sysexits.h.
const ExitStopped = 75

// signalled is why a context ended that a signal ended.
type signalled struct{ signal os.Signal }

func (s signalled) Error() string { return fmt.Sprintf("stopped by signal: %v", s.signal) }

// Is makes what stopped look cancelled, which it was.
func (s signalled) Is(target error) bool { return target == context.Canceled }

// ExitCode tells stopping from failing.
func (s signalled) ExitCode() int { return ExitStopped }

// echoWithin is how soon after a SIGTERM another is taken for the same.
const echoWithin = 200 * time.Millisecond

// UntilSignal returns a context that ends at the first signal: Ctrl-C, SIGTERM,
// or SIGUSR1, by which Slurm gives notice. A second Ctrl-C or SIGTERM ends the
// process at once; after notice alone, the SIGTERM that comes with the end of the
// time limit does not cut the saving short.
//
// A SIGTERM on the heels of another is one: timeout(1) and init systems send it to
// the process and to its group.
//
// Trials of a sweep that is ended at once end too: the kernel sends them SIGTERM
// when their parent dies, for each a second one.
func UntilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1)
	done := make(chan struct{})
	started := os.Getppid()
	go func() {
		urgent := 0
		var terminated time.Time // when the last SIGTERM came
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				cancel(signalled{s})
				if s == syscall.SIGTERM {
					echo := time.Since(terminated) < echoWithin && os.Getppid() == started
					if terminated = time.Now(); echo {
						continue
					}
				}
				if s != syscall.SIGUSR1 {
					urgent++
				}
				if urgent == 2 {
					os.Exit(128 + int(s.(syscall.Signal)))
				}
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// Stopped is a trial that did not fail: it goes on when it is started again.
type Stopped struct{ Err error }

func (e Stopped) Error() string { return e.Err.Error() }
func (e Stopped) Unwrap() error { return e.Err }
func (e Stopped) ExitCode() int { return ExitStopped }
