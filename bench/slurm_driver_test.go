//go:build slurm

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// slurmTest is one run folder.
type slurmTest struct {
	*cluster
	runs string
}

// process is a sweep that runs in the background.
type process struct {
	*exec.Cmd
	s    *slurmTest
	errs *bytes.Buffer
}

func (s *slurmTest) start() *process {
	s.Helper()
	p := &process{Cmd: exec.Command(s.bin, "sweep", s.file, "--runs", s.runs, "--engine", "slurm", "--workers", "2", "--poll", "1s"), s: s, errs: &bytes.Buffer{}}
	p.Stderr = p.errs
	if err := p.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { p.Process.Kill() })
	return p
}

// wait returns the sweep's exit code.
func (p *process) wait() int {
	done := make(chan error, 1)
	go func() { done <- p.Wait() }()
	select {
	case <-done:
	case <-time.After(10 * time.Minute):
		p.s.Fatalf("the sweep does not end:\n%s\n%s", p.errs, p.s.output("squeue", "--states=all"))
	}
	return p.ProcessState.ExitCode()
}

// kill is kill -9.
func (p *process) kill() {
	p.Process.Kill()
	p.Wait()
}

// output runs a command that must succeed.
func (c *cluster) output(name string, args ...string) string {
	c.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		c.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, errs.String())
	}
	return out.String()
}

func (c *cluster) try(name string, args ...string) error { return exec.Command(name, args...).Run() }

// until waits for something that is bound to happen.
func (s *slurmTest) until(what string, holds func() bool) {
	s.Helper()
	for deadline := time.Now().Add(6 * time.Minute); !holds(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("waited in vain until %s\n%s", what, s.allOutput())
		}
	}
}

// tasks lists the sweep's tasks in some states as JOB_INDEX.
func (s *slurmTest) tasks(states string) []string {
	out, err := exec.Command("squeue", "--noheader", "--array", "--states="+states, "--format=%F_%K %j").Output()
	if err != nil {
		return nil
	}
	var tasks []string
	for line := range strings.Lines(string(out)) {
		if id, name, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(name, "infbench-six-") {
			tasks = append(tasks, id)
		}
	}
	return tasks
}

// runningTask waits for a task that runs and prints progress.
func (s *slurmTest) runningTask() (task string) {
	s.until("a cell trains", func() bool {
		for _, id := range s.tasks("RUNNING") {
			_, index, _ := strings.Cut(id, "_")
			for _, path := range s.glob("slurm/*/" + index + ".out") {
				if strings.Contains(s.read(path), `"train"`) {
					task = id
				}
			}
		}
		return task != ""
	})
	return task
}

// waitingTask waits for a task in the queue that is not the one named.
func (s *slurmTest) waitingTask(but string) (task string) {
	s.until("a cell waits", func() bool {
		for _, id := range s.tasks("PENDING") {
			if id != but {
				task = id
			}
		}
		return task != ""
	})
	return task
}

// killDaemon is kill -9 of one of Slurm's daemons.
func (s *slurmTest) killDaemon(name string) {
	s.Helper()
	key := map[string]string{"slurmctld": "SlurmctldPidFile", "slurmd": "SlurmdPidFile"}[name]
	for line := range strings.Lines(s.output("scontrol", "show", "config")) {
		if k, v, _ := strings.Cut(line, "="); strings.TrimSpace(k) == key {
			pid, err := strconv.Atoi(strings.TrimSpace(s.read(strings.TrimSpace(v))))
			if err != nil {
				s.Fatal(err)
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				s.Fatalf("kill %s: %v", name, err)
			}
			return
		}
	}
	s.Fatalf("no pid file of %s", name)
}

// killTasks is what a power cut does to the tasks of this run folder: their
// keepers, scripts and trials are gone at once. It returns how many trials ran.
func (s *slurmTest) killTasks() (trials int) {
	s.Helper()
	jobs := strings.Fields(s.output("squeue", "--noheader", "--states=RUNNING", "--format=%A"))
	entries, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		s.Fatal(err)
	}
	for _, path := range entries {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		line := strings.ReplaceAll(string(data), "\x00", " ")
		ours := strings.Contains(line, s.runs) && !strings.Contains(line, " sweep ")
		for _, job := range jobs {
			ours = ours || strings.HasPrefix(line, fmt.Sprintf("slurmstepd: [%s.", job))
		}
		if !ours {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			s.Fatal(err)
		}
		syscall.Kill(pid, syscall.SIGKILL)
		if strings.Contains(line, " trial ") {
			trials++
		}
	}
	return trials
}

func (s *slurmTest) glob(pattern string) []string {
	s.Helper()
	paths, err := filepath.Glob(filepath.Join(s.runs, "six", pattern))
	if err != nil {
		s.Fatal(err)
	}
	return paths
}

func (s *slurmTest) read(path string) string {
	s.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	return string(data)
}

// allOutput is what the tasks printed.
func (s *slurmTest) allOutput() string {
	var all strings.Builder
	for _, path := range s.glob("slurm/*/*.out") {
		fmt.Fprintf(&all, "== %s\n%s", path, s.read(path))
	}
	return all.String()
}

// arrays checks how many arrays were submitted in all.
func (s *slurmTest) arrays(want int) {
	s.Helper()
	if got := len(s.glob("slurm/*/wave.json")); got != want {
		s.Errorf("%d arrays were submitted, want %d", got, want)
	}
}

// sameNumbers compares with the local sweep, byte for byte.
func (s *slurmTest) sameNumbers() {
	s.Helper()
	if got := numbers(s.T, filepath.Join(s.runs, "six")); !maps.Equal(got, s.want) {
		s.Errorf("%d files of numbers differ from the local sweep's %d", len(got), len(s.want))
	}
}
