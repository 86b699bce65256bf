package usage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Signalled is why a context ended that a signal ended.
type Signalled struct{ Signal os.Signal }

func (s Signalled) Error() string { return fmt.Sprintf("stopped by signal: %v", s.Signal) }

// Is makes what stopped look cancelled, which it was.
func (s Signalled) Is(target error) bool { return target == context.Canceled }

// ExitCode tells stopping from failing.
func (s Signalled) ExitCode() int { return ExitStopped }

// Signal is the signal that ended a context, nil where none did.
func Signal(ctx context.Context) os.Signal {
	if s, ok := errors.AsType[Signalled](context.Cause(ctx)); ok {
		return s.Signal
	}
	return nil
}

// Unhurried says whether what ended a context leaves time to finish and save the step
// under way: notice was given (SIGUSR1), or the program has a reason of its own.
func Unhurried(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return cause != nil && (Signal(ctx) == syscall.SIGUSR1 || !errors.Is(cause, context.Canceled))
}

// Stopped is a trial that did not fail: it goes on when it is started again.
type Stopped struct{ Err error }

func (e Stopped) Error() string { return e.Err.Error() }
func (e Stopped) Unwrap() error { return e.Err }
func (e Stopped) ExitCode() int { return ExitStopped }
