package engine

import (
	"syscall"
)

// childAttributes puts a job into its own process group, so that a Ctrl-C at
// the terminal reaches only the sweep, which then stops its jobs in order; and
// has the kernel stop the job should the sweep be killed.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
