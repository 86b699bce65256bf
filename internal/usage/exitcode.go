package usage

import (
	"fmt"
	"strings"
)

// The exit codes of every verb.
const (
	ExitOK          = 0
	ExitFailure     = 1
	ExitUsage       = 2
	ExitGate        = 3
	ExitUnchecked   = 4
	ExitStopped     = 75 // EX_TEMPFAIL of sysexits.h
	ExitInterrupted = 130
)

// ExitCode is an exit code and its meaning.
type ExitCode struct {
	Code    int
	Meaning string
}

// ExitCodes are the exit codes of every verb, as help and manual pages list them.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{ExitOK, "done"},
		{ExitFailure, "failed"},
		{ExitUsage, "wrong usage"},
		{ExitGate, "gate not met"},
		{ExitUnchecked, "nothing differs, but numbers were not computed again"},
		{ExitStopped, "stopped by a signal, or left to a cluster or another process: the same command resumes"},
		{ExitInterrupted, "stopped by a signal with nothing to resume: the same command starts again"},
	}
}

// ListExitCodes returns the list as text, one code per line.
func ListExitCodes() string {
	var text strings.Builder
	for _, c := range ExitCodes() {
		fmt.Fprintf(&text, "%5d  %s\n", c.Code, c.Meaning)
	}
	return text.String()
}
