package usage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Signalled is the cause of a context that a signal ended.
type Signalled struct{ Signal os.Signal }

func (s Signalled) Error() string { return fmt.Sprintf("stopped by signal: %v", s.Signal) }

// Is makes a signalled context match context.Canceled.
func (s Signalled) Is(target error) bool { return target == context.Canceled }

// ExitCode returns ExitStopped, which differs from the code of a failure.
func (s Signalled) ExitCode() int { return ExitStopped }

// Signal returns the signal that ended a context, or nil if no signal did.
func Signal(ctx context.Context) os.Signal {
	if s, ok := errors.AsType[Signalled](context.Cause(ctx)); ok {
		return s.Signal
	}
	return nil
}

// Unhurried reports whether there is time to finish and save the current step: the signal was an
// advance notice (SIGUSR1), or the program itself ended the context.
func Unhurried(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return cause != nil && (Signal(ctx) == syscall.SIGUSR1 || !errors.Is(cause, context.Canceled))
}

// Stopped is the error of a trial that was stopped and did not fail; it resumes when it is started
// again.
type Stopped struct{ Err error }

func (e Stopped) Error() string { return e.Err.Error() }
func (e Stopped) Unwrap() error { return e.Err }
func (e Stopped) ExitCode() int { return ExitStopped }
