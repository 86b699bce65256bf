// Package usage holds the conventions of the command line that lower floors need, too: exit
// codes, errors in a command line or a configuration file, shell quoting, and what a
// process still does after a signal stopped it. The command itself listens for signals.
package usage

import (
	"fmt"
)

// ExitCoder is an error that asks for an exit code other than ExitFailure.
type ExitCoder interface {
	error
	ExitCode() int
}

// Error is a mistake in the command line or in a configuration file.
type Error struct{ Err error }

func (e Error) Error() string { return e.Err.Error() }
func (e Error) Unwrap() error { return e.Err }
func (e Error) ExitCode() int { return ExitUsage }

// Unchecked is that nothing differs, but something could not be computed again.
type Unchecked struct{ Err error }

func (e Unchecked) Error() string { return e.Err.Error() }
func (e Unchecked) Unwrap() error { return e.Err }

// ExitCode implements ExitCoder.
func (e Unchecked) ExitCode() int { return ExitUnchecked }

// Errorf returns an Error formatted as fmt.Errorf does.
func Errorf(format string, args ...any) error {
	return Error{Err: fmt.Errorf(format, args...)}
}
