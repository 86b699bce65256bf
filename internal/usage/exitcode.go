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
	ExitStopped     = 75 // EX_TEMPFAIL of sysexits.h
	ExitInterrupted = 130
)

// ExitCodes are the exit codes with what each means, as README and help list them.
var ExitCodes = []struct {
	Code    int
	Meaning string
}{
	{ExitOK, "done"},
	{ExitFailure, "failed"},
	{ExitUsage, "wrong usage"},
	{ExitGate, "gate not met"},
	{ExitStopped, "stopped by a signal (or another process has it) and the same command goes on"},
	{ExitInterrupted, "stopped by a signal and there is nothing to go on with: the same command begins anew"},
}

// ExitCodeSentence is the list as README has it.
func ExitCodeSentence() string {
	var parts []string
	for _, c := range ExitCodes {
		parts = append(parts, fmt.Sprintf("%d %s", c.Code, c.Meaning))
	}
	return "Exit codes: " + strings.Join(parts, ", ") + "."
}

// ListExitCodes is the list as text, a code a line.
func ListExitCodes() string {
	var text strings.Builder
	for _, c := range ExitCodes {
		fmt.Fprintf(&text, "%5d  %s\n", c.Code, c.Meaning)
	}
	return text.String()
}
