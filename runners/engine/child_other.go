//go:build !linux

package engine

import (
	"os"
	"syscall"
)

// childAttributes puts a job into its own process group: a Ctrl-C at the terminal then reaches
// only the sweep, which stops its jobs in order.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// redirectErrors sends the standard error of this process to a file.
func redirectErrors(log *os.File) error {
	return syscall.Dup2(int(log.Fd()), syscall.Stderr)
}
