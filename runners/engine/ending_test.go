package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"infbench/runners/results"
)

// A cause needs two signs: a line of Go's runtime with its exit status, or the kernel's counter
// for our own cgroup with its signal.
func TestClassOfAnEnd(t *testing.T) {
	end := func(script string) error { return exec.Command("sh", "-c", script).Run() }
	killed, fault, failed := end("kill -9 $$"), end("exit 2"), end("exit 1")
	for _, c := range []struct {
		name  string
		end   error
		line  string
		kills int64
		want  results.Class
	}{
		{"Go cannot allocate", fault, "fatal error: runtime: out of memory", 0, results.OutOfMemory},
		{"Go cannot map", fault, "fatal error: runtime: cannot allocate memory", 0, results.OutOfMemory},
		{"another status", failed, "fatal error: runtime: out of memory", 0, results.Killed},
		{"a folder of that name", fault, "infbench: open out of memory/x: no such file", 0, results.Killed},
		{"a panic of that name", fault, "panic: fatal error: out of memory", 0, results.Killed},
		{"the kernel, in our cgroup", killed, "", 1, results.OutOfMemory},
		{"kill -9 by somebody", killed, "out of memory", 0, results.Killed},
		{"terminated while the kernel killed another", end("kill -15 $$"), "", 1, results.Killed},
		{"failed while the kernel killed another", failed, "it broke", 1, results.Killed},
	} {
		if got := causeOf(c.end, c.line, c.kills); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The counter is that of this process's own cgroup, in both versions. The root cgroup's counts
// other processes, too.
func TestMemoryKillsAreOurs(t *testing.T) {
	for _, c := range []struct {
		name, cgroups string
		files         map[string]string
		want          int64
	}{
		{"v2", "0::/user.slice/job\n", map[string]string{"user.slice/job/memory.events.local": "low 0\noom 3\noom_kill 2\noom_group_kill 0\n", "memory.events.local": "oom_kill 9\n"}, 2},
		{"v2 in a container", "0::/\n", map[string]string{"memory.events.local": "oom_kill 4\n"}, 4},
		{"v2, the root", "0::/\n", map[string]string{"cgroup.procs": ""}, 0},
		{"v1 beside an empty v2", "9:name=systemd:/\n4:cpu,memory:/job\n0::/\n", map[string]string{"memory/job/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n"}, 5},
		{"v1, the root", "4:memory:/\n", map[string]string{"memory/memory.oom_control": "oom_kill 7\n"}, 0},
		{"none", "", nil, 0},
	} {
		dir := t.TempDir()
		write := func(name, text string) string {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			return path
		}
		for name, text := range c.files {
			write("sys/"+name, text)
		}
		if got := memoryKillsOf(write("cgroup", c.cgroups), filepath.Join(dir, "sys")); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
