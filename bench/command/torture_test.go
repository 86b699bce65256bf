package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// TestTorture kills a sweep and its trials at random moments, as kill -9 or a power switch
// would, starts it again, kills it again, and so on: INFBENCH_KILLS times, a few by default.
// Whenever a sweep finishes, its numbers and report must be those of an uninterrupted sweep,
// and no kill may cost more than one checkpoint interval of training.
//
// make torture does it 500 times with the real binary, with KERNELS=avx2 under those kernels.
func TestTorture(t *testing.T) {
	testkit.Deep(t)
	kills := 2
	if text := os.Getenv("INFBENCH_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	file, calm := survivalSweep(t), t.TempDir()
	command := func(runs string) []string {
		args := survivalArgs(file, runs, 2)
		if set := os.Getenv("INFBENCH_KERNELS"); set != "" {
			args = append(args, "--kernels", set)
		}
		return args
	}
	began := time.Now()
	if out, err := infbench(t, command(calm)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f := tortured{t: t, whole: time.Since(began), want: outcome(t, filepath.Join(calm, "survival")), rng: rand.New(rand.NewPCG(1, uint64(kills)))}
	for f.kills < kills {
		f.life(command(t.TempDir()), kills)
	}
	t.Logf("%d kills of %d sweeps (%d while training, %d while evaluating, %d elsewhere), %.1f s uninterrupted: %d differences, at most %d steps of training lost (interval 5)",
		f.kills, f.lives, f.during["train"], f.during["evaluate"], f.kills-f.during["train"]-f.during["evaluate"], f.whole.Seconds(), f.differences, f.lost)
}

// tortured counts the effects of the kills.
type tortured struct {
	t           *testing.T
	whole       time.Duration // of an uninterrupted sweep
	want        map[string][32]byte
	rng         *rand.Rand
	kills       int
	lives       int
	differences int
	lost        int            // most steps that one kill cost
	during      map[string]int // phase -> kills
}

// life starts a sweep repeatedly until it finishes or has been killed often enough; then it
// lets the sweep finish.
func (f *tortured) life(args []string, most int) {
	f.lives++
	dir := filepath.Join(args[3], "survival")
	if f.during == nil {
		f.during = map[string]int{}
	}
	for {
		delay := time.Duration(f.rng.Int64N(int64(f.whole)))
		if f.kills == most {
			delay = time.Hour
		}
		if finished := f.run(args, delay); finished {
			break
		}
		f.kills++
		f.measureLoss(dir)
	}
	if got := outcome(f.t, dir); !maps.Equal(got, f.want) {
		f.differences++
		f.t.Errorf("after %d kills: rankings, scores or report differ", f.kills)
	}
	f.t.Logf("sweep %d got to its end, %d kills so far, %d differences, at most %d steps lost", f.lives, f.kills, f.differences, f.lost)
}

// run starts the sweep in its own session and kills the session after a while; finished
// reports whether the sweep was faster.
func (f *tortured) run(args []string, delay time.Duration) (finished bool) {
	f.t.Helper()
	cmd := infbench(f.t, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			f.t.Fatalf("an uninterrupted sweep: %v: %s", err, said.String())
		}
		return true
	case <-time.After(delay):
	}
	killSession(f.t, cmd.Process.Pid)
	return <-ended == nil
}

// killSession kills every process of a session, including those started meanwhile.
func killSession(t *testing.T, session int) {
	t.Helper()
	for alive := true; alive; {
		alive = false
		stats, err := filepath.Glob("/proc/[0-9]*/stat")
		if err != nil || len(stats) == 0 {
			t.Skip("SKIP: this system does not list its processes in /proc")
		}
		for _, stat := range stats {
			data, err := os.ReadFile(stat)
			if err != nil {
				continue // gone
			}
			// After the name in parentheses: state, parent, group, session.
			fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
			if fields[3] != fmt.Sprint(session) || fields[0] == "Z" {
				continue
			}
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
			if err != nil {
				t.Fatal(err)
			}
			alive = true
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// measureLoss compares the progress that running trials had reported with their checkpoints.
func (f *tortured) measureLoss(dir string) {
	f.t.Helper()
	reports, err := filepath.Glob(filepath.Join(dir, runs.ProgressDir, "*.jsonl"))
	if err != nil {
		f.t.Fatal(err)
	}
	phase := ""
	for _, path := range reports {
		id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		trained := 0
		for _, p := range runs.At(dir).Progress(id).Read() {
			phase = p.Phase
			switch p.Phase {
			case runs.PhaseStart:
				trained = savedSteps(f.t, dir, id, trained)
			case "train":
				trained = p.Done
			}
		}
		lost := trained - savedSteps(f.t, dir, id, trained)
		f.lost = max(f.lost, lost)
		if lost > 5 {
			f.t.Errorf("kill %d cost trial %s %d steps", f.kills, id, lost)
		}
	}
	f.during[phase]++
}

// savedSteps returns the number of steps in the checkpoint of a trial; all if the trial is
// complete.
func savedSteps(t *testing.T, dir, id string, all int) int {
	t.Helper()
	if _, err := os.Stat(filepath.Join(runs.At(dir).Trial(id).Dir, results.DoneFile)); err == nil {
		return all
	}
	data, err := os.ReadFile(filepath.Join(runs.At(dir).Trial(id).Dir, results.CheckpointDir, "state.json"))
	if os.IsNotExist(err) {
		return 0
	}
	var state struct{ Step int }
	if err == nil {
		err = json.Unmarshal(data, &state)
	}
	if err != nil {
		t.Fatal(err)
	}
	return state.Step
}
