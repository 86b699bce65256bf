//go:build slurm

package command

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// until waits for a condition that must become true.
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

// hold freezes (SIGSTOP) the trials of this run folder as they print a word, until n of them
// are frozen, and returns their tasks: so the test does not depend on the speed of this
// machine. Frozen trials can be killed; for anything else, thaw them.
func (s *slurmTest) hold(n int, word string) (tasks []string) {
	s.Helper()
	s.until(fmt.Sprintf("%d cells print %q", n, word), func() bool {
		for task, pid := range s.trials() {
			_, index, _ := strings.Cut(task, "_")
			printed := false
			for _, path := range s.glob("slurm/*/" + index + ".out") {
				text := s.read(path)
				turn := text[max(0, strings.LastIndex(text, "infbench-task: begin")):]
				printed = printed || strings.Contains(turn, word)
			}
			if printed && !slices.Contains(tasks, task) && syscall.Kill(pid, syscall.SIGSTOP) == nil {
				tasks = append(tasks, task)
			}
		}
		return len(tasks) >= n
	})
	return tasks
}

// thaw lets frozen trials go on.
func (s *slurmTest) thaw() {
	for _, pid := range s.trials() {
		syscall.Kill(pid, syscall.SIGCONT)
	}
}

// trials lists the processes that run a trial of this run folder, by task.
func (s *slurmTest) trials() map[string]int {
	s.Helper()
	trials := map[string]int{}
	for pid, line := range s.processes() {
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || !strings.HasPrefix(line, s.bin+" trial "+s.runs) {
			continue // it has ended, or belongs to another
		}
		var job, index string
		for v := range strings.SplitSeq(string(environ), "\x00") {
			switch name, value, _ := strings.Cut(v, "="); name {
			case "SLURM_ARRAY_JOB_ID":
				job = value
			case "SLURM_ARRAY_TASK_ID":
				index = value
			}
		}
		trials[job+"_"+index] = pid
	}
	return trials
}

// processes lists the command lines of all processes, with words separated by blanks.
func (s *slurmTest) processes() map[int]string {
	s.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		s.Fatal(err)
	}
	lines := map[int]string{}
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			s.Fatal(err)
		}
		if data, err := os.ReadFile(path); err == nil { // otherwise it has ended
			lines[pid] = strings.ReplaceAll(string(data), "\x00", " ")
		}
	}
	return lines
}

// waitingTask waits for a task in the queue other than but.
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

// killTasks has the effect of a power cut on the tasks of this run folder: their keepers,
// scripts and trials are gone at once. It returns how many trials were running.
func (s *slurmTest) killTasks() (trials int) {
	s.Helper()
	jobs := strings.Fields(s.output("squeue", "--noheader", "--states=RUNNING", "--format=%A"))
	for pid, line := range s.processes() {
		ours := strings.Contains(line, s.runs) && !strings.Contains(line, " sweep ")
		for _, job := range jobs {
			ours = ours || strings.HasPrefix(line, fmt.Sprintf("slurmstepd: [%s.", job))
		}
		if !ours {
			continue
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

// allOutput returns the output of the tasks.
func (s *slurmTest) allOutput() string {
	var all strings.Builder
	for _, path := range s.glob("slurm/*/*.out") {
		fmt.Fprintf(&all, "== %s\n%s", path, s.read(path))
	}
	return all.String()
}

// arrays checks how many arrays were submitted in total.
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
