// Package usage holds the command-line conventions that lower layers also need: exit codes, errors
// in a command line or a configuration file, shell quoting, and the cleanup of a process that a
// signal stops. The command itself handles the signals.
package usage

import (
	"fmt"
)

// ExitCoder is an error that asks for an exit code other than ExitFailure.
type ExitCoder interface {
	error
	ExitCode() int
}

// Error is an error in the command line or in a configuration file.
type Error struct{ Err error }

func (e Error) Error() string { return e.Err.Error() }
func (e Error) Unwrap() error { return e.Err }
func (e Error) ExitCode() int { return ExitUsage }

// Unchecked reports that no difference was found, but something could not be recomputed.
type Unchecked struct{ Err error }

func (e Unchecked) Error() string { return e.Err.Error() }
func (e Unchecked) Unwrap() error { return e.Err }

// ExitCode implements ExitCoder.
func (e Unchecked) ExitCode() int { return ExitUnchecked }

// Errorf returns an Error formatted as fmt.Errorf does.
func Errorf(format string, args ...any) error {
	return Error{Err: fmt.Errorf(format, args...)}
}
