package engine

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// thisProcess names the running process. Processes of one machine see each other's IDs only
// inside one PID namespace, that is, one container.
func thisProcess() Owner {
	o := Owner{PID: os.Getpid()}
	o.Host, _ = os.Hostname()
	o.Start, _ = startOf(o.PID)
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, err2 := os.Readlink("/proc/self/ns/pid")
	if err == nil && err2 == nil && o.Start != "" {
		o.Machine = strings.TrimSpace(string(boot)) + " " + space
	}
	return o
}

// alive reports whether a process of this machine that began at start still runs. In doubt it
// returns true.
func alive(pid int, start string) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	now, err := startOf(pid)
	return err != nil || now == start
}

// startOf returns when a process began, in ticks since boot: field 22 of proc(5)'s stat. It
// returns an error for a process that has ended and waits for its parent.
func startOf(pid int) (string, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	// The second field, the program's name in parentheses, may contain anything.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return "", nil
	}
	return string(fields[19]), nil
}
