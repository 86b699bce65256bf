package engine

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"infbench/runners/results"
)

// processError is the end of a job that failed, with the last line of its log and the known
// cause.
type processError struct {
	text  string
	end   error
	class results.Class
}

func (e *processError) Error() string { return e.text }
func (e *processError) Unwrap() error { return e.end }

// ClassOf returns the class of a failure whose process could not leave a record. It is
// results.OutOfMemory only if Go's runtime or the kernel reports so for that process, else
// results.Killed. The machine's counters and the text of an error are not evidence.
func ClassOf(err error) results.Class {
	if e, ok := errors.AsType[*processError](err); ok {
		return e.class
	}
	return results.Killed
}

// Lines that Go's runtime prints when it cannot allocate memory. It then exits with status 2.
var allocationFaults = []string{
	"fatal error: runtime: out of memory", "fatal error: out of memory",
	"fatal error: runtime: cannot allocate memory", "fatal error: cannot allocate memory",
}

const runtimeFault = 2 // exit status

// causeOf returns the class of a process's end. line is the output of its runtime; kills is how
// many processes of our cgroup the kernel killed for memory while it ran.
func causeOf(end error, line string, kills int64) results.Class {
	exit, ok := errors.AsType[*exec.ExitError](end)
	if !ok {
		return results.Killed
	}
	status, _ := exit.Sys().(syscall.WaitStatus)
	if exit.ExitCode() == runtimeFault && slices.ContainsFunc(allocationFaults, func(fault string) bool { return line == fault || strings.HasPrefix(line, fault+" (") }) {
		return results.OutOfMemory
	}
	if status.Signaled() && status.Signal() == syscall.SIGKILL && kills > 0 {
		return results.OutOfMemory
	}
	return results.Killed
}

// memoryKills counts the processes that the kernel has killed for memory in this process's own
// memory cgroup, in which jobs run: "oom_kill" in cgroup v2's memory.events.local or v1's
// memory.oom_control (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst). It is 0
// in the root cgroup, which all processes share, and if the kernel does not report it.
func memoryKills() int64 { return memoryKillsOf("/proc/self/cgroup", "/sys/fs/cgroup") }

func memoryKillsOf(cgroups, mounted string) int64 {
	data, err := os.ReadFile(cgroups)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 || parts[1] != "" && parts[2] == "/" {
			continue
		}
		file := ""
		switch {
		case slices.Contains(strings.Split(parts[1], ","), "memory"):
			file = filepath.Join(mounted, "memory", parts[2], "memory.oom_control")
		case parts[0] == "0" && parts[1] == "":
			file = filepath.Join(mounted, parts[2], "memory.events.local")
		}
		if n, ok := oomKills(file); ok {
			return n
		}
	}
	return 0
}

// oomKills reads the line "oom_kill N" of a file.
func oomKills(path string) (n int64, ok bool) {
	data, err := os.ReadFile(path)
	if path == "" || err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(data)) {
		if text, found := strings.CutPrefix(line, "oom_kill "); found {
			n, err = strconv.ParseInt(strings.TrimSpace(text), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
