package command

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/internal/usage"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// slowSweep is an experiment of two trained cells whose steps take minutes.
func slowSweep(t *testing.T) string {
	t.Helper()
	return inFile(t, "slow.yaml", fmt.Sprintf(`
name: slow
base:
  backbone: %s
  train: {epochs: 1, rows_per_group: 480, chunk: 24, lr: 5e-4}
matrix: {loss: [uni(P), uni(I)]}
evaluate: [mini-bright]
`, backbone(t, func(c *encoder.Config) {
		c.HiddenSize, c.IntermediateSize, c.NumHiddenLayers = 256, 1024, 4
	})))
}

// slowRun plans the slow sweep, with the first trial marked as done and the second as failed.
func slowRun(t *testing.T, file string) (runs.Folder, *spec.Plan) {
	t.Helper()
	plan, err := new(narrowing).plan(file)
	if err != nil {
		t.Fatal(err)
	}
	folder := runs.At(filepath.Join(t.TempDir(), plan.Name))
	if err := plan.Write(folder.PlanPath()); err != nil {
		t.Fatal(err)
	}
	finish(t, folder.Trial(plan.Trials[0].ID).Dir, &plan.Trials[0])
	if err := folder.Trial(plan.Trials[1].ID).Failures().Add(results.Transient, os.ErrDeadlineExceeded); err != nil {
		t.Fatal(err)
	}
	return folder, plan
}

// A process tree must end within a second of a signal; slack allows for a machine shared with
// other users. It is far shorter than a step here, or than a hub that never answers.
const endsWithin, slack = time.Second, time.Minute

// A signal ends training within a second, including workers, however long a step takes. The
// same command goes on at once, without waiting for a lease.
func TestSignalsEndSteps(t *testing.T) {
	testkit.Deep(t)
	if runtime.GOOS != "linux" {
		t.Skip("SKIP: finds the processes of a sweep in /proc")
	}
	file := slowSweep(t)
	folder, plan := slowRun(t, file)
	done, failed := plan.Trials[0].ID, plan.Trials[1].ID
	out := filepath.Join(t.TempDir(), "out")
	swept := t.TempDir()
	for _, c := range []struct {
		name   string
		begun  int // number of trials that begin
		code   int
		signal syscall.Signal
		args   []string
	}{
		{"sweep, Ctrl-C", 2, usage.ExitStopped, syscall.SIGINT, []string{"sweep", file, "--runs", swept, "--workers", "2"}},
		{"sweep again, SIGTERM", 2, usage.ExitStopped, syscall.SIGTERM, []string{"sweep", file, "--runs", swept, "--workers", "2"}},
		{"trial, Ctrl-C", 1, usage.ExitStopped, syscall.SIGINT, []string{"trial", filepath.Join(swept, "slow"), failed}},
		{"retry, SIGTERM", 1, usage.ExitStopped, syscall.SIGTERM, []string{"retry", folder.Dir}},
		{"retry again, Ctrl-C", 1, usage.ExitStopped, syscall.SIGINT, []string{"retry", folder.Dir, failed}},
		{"train, SIGTERM", 0, usage.ExitStopped, syscall.SIGTERM, []string{"train", file, "--set", "loss=uni(P)", "--out", out}},
		{"train again, Ctrl-C", 0, usage.ExitStopped, syscall.SIGINT, []string{"train", file, "--set", "loss=uni(P)", "--out", out}},
		{"repeat, SIGTERM", 0, usage.ExitInterrupted, syscall.SIGTERM, []string{"repeat", folder.Dir, done}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mark := "INFBENCH_TEST_MARK=" + t.TempDir()
			cmd := infbench(t, c.args...)
			cmd.Env = append(os.Environ(), mark, "TMPDIR="+strings.TrimPrefix(mark, "INFBENCH_TEST_MARK="))
			var said bytes.Buffer
			cmd.Stderr = &said
			inStep(t, cmd, mark, max(1, c.begun))
			began := time.Now()
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			for len(marked(mark)) > 0 && time.Since(began) < time.Minute {
				time.Sleep(5 * time.Millisecond)
			}
			took := time.Since(began)
			t.Logf("all processes had ended %.2f s after the signal, at most %v wanted of an idle machine: %s", took.Seconds(), endsWithin, said.String())
			if took > endsWithin+slack || cmd.ProcessState.ExitCode() != c.code {
				t.Errorf("exit code %d after %v, want %d: %s", cmd.ProcessState.ExitCode(), took, c.code, said.String())
			}
			if last := c.args[0]; !strings.Contains(said.String(), "the same command") || !strings.Contains(said.String(), "infbench "+last) {
				t.Errorf("the error does not name the command that goes on: %s", said.String())
			}
			for _, dir := range []string{filepath.Join(swept, "slow", "leases"), filepath.Join(folder.Dir, "leases"), filepath.Join(out, ".lease")} {
				held, err := engine.Leases{Dir: dir}.Watch().Survey(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for id, h := range held {
					if h.Alive {
						t.Errorf("whoever comes next has to wait for %s: %+v", id, h)
					}
				}
			}
			if left, _ := filepath.Glob(strings.TrimPrefix(mark, "INFBENCH_TEST_MARK=") + "/infbench-repeat-*"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// inStep starts a command and returns once n of its processes compute a step: reading and
// planning end within a second of processor time.
func inStep(t *testing.T, cmd *exec.Cmd, mark string, n int) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(20 * time.Millisecond) {
		busy := 0
		for _, pid := range marked(mark) {
			if processorTime(pid) > 1500*time.Millisecond {
				busy++
			}
		}
		if busy >= n {
			return
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	t.Fatalf("%v does not compute: %s", cmd.Args, cmd.Stderr)
}

// marked lists the processes with a variable in their environment.
func marked(mark string) (pids []int) {
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range entries {
		environ, err := os.ReadFile(path)
		var pid int
		if _, bad := fmt.Sscanf(path, "/proc/%d/environ", &pid); err == nil && bad == nil && bytes.Contains(environ, []byte(mark)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// processorTime is the total processor time of a process: utime and stime of proc(5)'s stat,
// in hundredths of a second.
func processorTime(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if err != nil || len(fields) < 13 {
		return 0
	}
	var user, system int
	fmt.Sscan(string(fields[11])+" "+string(fields[12]), &user, &system)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// planned writes the plan of an experiment into a folder of runs.
func planned(t *testing.T, file, into string) (runs.Folder, *spec.Plan) {
	t.Helper()
	plan, err := new(narrowing).plan(file)
	if err != nil {
		t.Fatal(err)
	}
	folder := runs.At(filepath.Join(into, plan.Name))
	if err := plan.Write(folder.PlanPath()); err != nil {
		t.Fatal(err)
	}
	return folder, plan
}

// Wherever a signal interrupts a trial, it goes on to the same bytes.
func TestEarlyEndsChangeNothing(t *testing.T) {
	testkit.Deep(t)
	file, whole, cut := survivalSweep(t), t.TempDir(), t.TempDir()
	verbOutput(t, survivalArgs(file, whole, 2)...)
	folder, plan := planned(t, file, cut)
	ends := 0
	for _, trial := range plan.Trials[:2] { // the trained ones
		for wait := 300 * time.Millisecond; ; wait += 400 * time.Millisecond {
			cmd := infbench(t, "trial", folder.Dir, trial.ID, "--checkpoint-every", "5", "--grace", "0s")
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(wait)
			cmd.Process.Signal(syscall.SIGTERM)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code == exitOK {
				break
			} else if code == usage.ExitStopped {
				ends++
			} else if code != -1 { // before it listened for signals
				t.Fatalf("exit code %d: %s", code, said.String())
			}
		}
	}
	t.Logf("two trials were cut off %d times", ends)
	verbOutput(t, survivalArgs(file, cut, 1)...)
	if !maps.Equal(outcome(t, folder.Dir), outcome(t, filepath.Join(whole, plan.Name))) {
		t.Error("rankings, scores or report differ from those of a sweep that nothing stopped")
	}
}

// Training on a mixture that is killed before and after a source joins, on one processor and
// on two, ends with the same bytes as an uninterrupted one.
func TestKilledMixturesEndTheSame(t *testing.T) {
	testkit.Deep(t)
	file := experimentFile(t, "mixtures", `
base: {data: "mini-infir:1 + mini-exclusion:1@0.4", loss: "multi(P,I)", SMALL}
matrix: {train.epochs: [1], train.rows_per_group: [6], train.groups: [20], train.batches: [mixed, source]}
`)
	var want map[string][32]byte
	for _, c := range []struct {
		processors string
		every      int // steps between kills; the source joins at step 26 of 64
	}{{"GOMAXPROCS=2", 100}, {"GOMAXPROCS=1", 20}, {"GOMAXPROCS=2", 20}} {
		folder, plan := planned(t, file, t.TempDir())
		for _, trial := range plan.Trials {
			saved := func() int { return savedSteps(t, folder.Dir, trial.ID, 0) }
			var killed []int
			for code := -1; code == -1; {
				cmd := infbench(t, "trial", folder.Dir, trial.ID, "--checkpoint-every", "5")
				cmd.Env = append(os.Environ(), c.processors)
				code = killedInTraining(t, cmd, saved, saved()+c.every)
				if code == -1 {
					killed = append(killed, saved())
				} else if code != exitOK {
					t.Fatalf("exit code %d: %s", code, cmd.Stderr)
				}
			}
			t.Logf("%s, %s: killed with %d steps saved", trial.Label, c.processors, killed)
			if c.every < 64 && (len(killed) < 2 || killed[0] > 25 || killed[1] < 26) {
				t.Error("it was not killed before and after the source joined")
			}
		}
		got := numbers(t, folder.Dir)
		if want == nil {
			want = got
		}
		if len(got) != 2*5 || !maps.Equal(got, want) {
			t.Errorf("%s, killed every %d steps: rankings or scores differ from those of uninterrupted trials", c.processors, c.every)
		}
	}
}

// killedInTraining runs a command and kills it once a number of steps are saved; it returns
// the exit code, -1 if it was killed.
func killedInTraining(t *testing.T, cmd *exec.Cmd, saved func() int, most int) int {
	t.Helper()
	cmd.Stderr = new(bytes.Buffer)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	for saved() < most {
		select {
		case <-ended:
			return cmd.ProcessState.ExitCode()
		case <-time.After(2 * time.Millisecond):
		}
	}
	cmd.Process.Kill()
	<-ended
	return cmd.ProcessState.ExitCode()
}
