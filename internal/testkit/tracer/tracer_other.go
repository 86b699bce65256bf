//go:build !linux || !amd64

package tracer

import (
	"errors"
	"os/exec"
)

// Supported says why commands cannot be traced here; nil where they can.
func Supported() error { return errors.New("system calls are traced on Linux on amd64 alone") }

// Apart runs f.
func Apart(f func()) { f() }

// Run runs a command and breaks one of its calls.
func Run(*exec.Cmd, Fault) (Outcome, error) { return Outcome{}, Supported() }
