//go:build !linux || !amd64

package tracer

import (
	"errors"
	"os/exec"
)

// Supported returns an error: system calls cannot be traced here.
func Supported() error { return errors.New("system calls are traced on Linux on amd64 alone") }

// Apart runs f.
func Apart(f func()) { f() }

// Run returns the error of Supported.
func Run(*exec.Cmd, Fault) (Outcome, error) { return Outcome{}, Supported() }
