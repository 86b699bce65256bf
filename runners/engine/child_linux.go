package engine

import (
	"os"
	"syscall"
)

// childAttributes puts a job into its own process group: a Ctrl-C at the terminal then reaches
// only the sweep, which stops its jobs in order. It also makes the kernel stop the job if the
// sweep is killed.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// redirectErrors sends the standard error of this process to a file.
func redirectErrors(log *os.File) error {
	return syscall.Dup3(int(log.Fd()), syscall.Stderr, 0)
}
