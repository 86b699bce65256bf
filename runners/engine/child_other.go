//go:build !linux

package engine

import (
	"syscall"
)

// childAttributes puts a job into its own process group: a Ctrl-C at the terminal then reaches
// only the sweep, which stops its jobs in order.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
