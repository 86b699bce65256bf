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

// processError is the end of a job that failed: by the last line of its log, and by what is
// known of its cause.
type processError struct {
	text  string
	end   error
	class results.Class
}

func (e *processError) Error() string { return e.text }
func (e *processError) Unwrap() error { return e.end }

// ClassOf returns the class of a failure of which the trial's process could not leave a
// record: results.OutOfMemory only where Go's runtime or the kernel says so of that process,
// else results.Killed. The machine's counters and the words of an error are no evidence.
func ClassOf(err error) results.Class {
	if e, ok := errors.AsType[*processError](err); ok {
		return e.class
	}
	return results.Killed
}

// What Go's runtime prints, as a line of its own, when it cannot allocate memory; it then
// exits with status 2.
var allocationFaults = []string{
	"fatal error: runtime: out of memory", "fatal error: out of memory",
	"fatal error: runtime: cannot allocate memory", "fatal error: cannot allocate memory",
}

const runtimeFault = 2 // exit status

// causeOf returns the class of a process's end: line is what its runtime printed, kills how
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

// memoryKills counts the processes of this process's own memory cgroup, in which jobs run,
// that the kernel has killed for memory: "oom_kill" of cgroup v2's memory.events.local or of
// v1's memory.oom_control (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst).
// It is 0 in the root cgroup, which is everybody's, and where the kernel does not tell.
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
