package main

import (
	"os/exec"
	"syscall"
)

// dieWithUs makes the kernel kill a child when the thread that started it ends, as it does when
// this process is killed.
func dieWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// withChildren makes the context of a command end also the processes that the command started.
func withChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
