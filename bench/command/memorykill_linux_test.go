package command

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/runners/runs"
)

// A worker killed by kill -9 is tried again unchanged, even if the kernel meanwhile killed
// another process of the machine for its memory: rankings, scores and report are those of an
// undisturbed sweep, and no chunk is halved.
func TestMemoryKillOfAnotherChangesNothing(t *testing.T) {
	testkit.Deep(t)
	group := newMemoryGroup(t, 30<<20)
	file, calm, disturbed := survivalSweep(t), t.TempDir(), t.TempDir()
	if out, err := infbench(t, survivalArgs(file, calm, 1)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd, said := infbench(t, survivalArgs(file, disturbed, 1)...), new(overheard)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	dir := filepath.Join(disturbed, "survival")
	worker := 0
	for begun := time.Now(); worker == 0 && time.Since(begun) < time.Minute; time.Sleep(5 * time.Millisecond) {
		reports, _ := filepath.Glob(filepath.Join(dir, runs.ProgressDir, "*.jsonl"))
		for _, path := range reports {
			if text, _ := os.ReadFile(path); strings.Contains(string(text), `"train"`) {
				worker = childOf(cmd.Process.Pid)
			}
		}
	}
	if worker == 0 {
		t.Fatalf("no worker trained: %s", said)
	}
	victim := exec.Command("bash", "-c", `echo $$ > "$0"/cgroup.procs && exec tail /dev/zero`, group)
	if err := victim.Run(); victim.ProcessState == nil || victim.ProcessState.ExitCode() != -1 {
		t.Fatalf("the kernel did not kill a process for its memory: %v", err)
	}
	if worker = childOf(cmd.Process.Pid); worker == 0 {
		t.Fatal("the worker ended too soon")
	}
	if p, err := os.FindProcess(worker); err != nil || p.Kill() != nil {
		t.Fatalf("kill -9 of %d: %v", worker, err)
	}
	if err := <-ended; err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if !maps.Equal(outcome(t, dir), outcome(t, filepath.Join(calm, "survival"))) {
		t.Error("rankings, scores or report differ")
	}
	if !strings.Contains(said.String(), "killed") || strings.Contains(said.String(), "out of memory") {
		t.Errorf("the message about a killed worker is: %s", said)
	}
}

// childOf returns a child of a process; 0 if there is none.
func childOf(parent int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", parent))
	if lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent)); len(strings.Fields(string(text))) == 0 {
		for _, list := range lists {
			if more, _ := os.ReadFile(list); len(more) > 0 {
				text = more
			}
		}
	}
	if all := strings.Fields(string(text)); len(all) > 0 {
		child, _ := strconv.Atoi(all[0])
		return child
	}
	return 0
}

// newMemoryGroup makes a cgroup (of either version) with a memory limit, or skips the test.
func newMemoryGroup(t *testing.T, bytes int) string {
	t.Helper()
	root, bound := "/sys/fs/cgroup", "memory.max"
	if _, err := os.Stat(filepath.Join(root, "memory", "memory.limit_in_bytes")); err == nil {
		root, bound = filepath.Join(root, "memory"), "memory.limit_in_bytes"
	}
	group, err := os.MkdirTemp(root, "infbench-")
	if err == nil {
		t.Cleanup(func() { os.Remove(group) })
		err = os.WriteFile(filepath.Join(group, bound), []byte(fmt.Sprint(bytes)), 0)
	}
	if err != nil {
		t.Skipf("SKIP: no cgroup with a bound on memory can be made here: %v", err)
	}
	return group
}
