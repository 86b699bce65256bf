//go:build !linux

package engine

import (
	"syscall"
)

// childAttributes puts a job into its own process group, so that a Ctrl-C at
// the terminal reaches only the sweep, which then stops its jobs in order.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
