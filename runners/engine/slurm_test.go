package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infbench/internal/disk"
	"infbench/runners/results"
	"infbench/runners/spec"
)

func TestSlurmRunsAnArray(t *testing.T) {
	f := newFakeSlurm(t)
	f.queue("41|0-2%2|PENDING|@1\n", "41|2%2|PENDING|@1\n41|0|RUNNING|@1\n41|1|RUNNING|@1\n", "41|2|RUNNING|@1\n41|0|COMPLETED|@1\n41|1|COMPLETED|@1\n", "41|2|COMPLETED|@1\n")
	f.file("turn.3", f.doneAt("a")+f.doneAt("b"))
	f.file("turn.4", f.doneAt("c"))
	f.wantEvents([]string{"a", "b", "c"},
		"a started", "b started", "a succeeded", "b succeeded", "c started", "c succeeded")
	submitted := f.calls("sbatch")
	if len(submitted) != 1 {
		t.Fatalf("%d submissions, want one array: %v", len(submitted), submitted)
	}
	for _, want := range []string{"--array=0-2%2", "--requeue", "--signal=B:USR1@120", "--cpus-per-task=1", "--job-name=infbench-demo-"} {
		if !strings.Contains(submitted[0], want) {
			t.Errorf("sbatch lacks %s: %s", want, submitted[0])
		}
	}
	if open := f.openWaveNames(); len(open) != 0 {
		t.Errorf("waves left open: %v", open)
	}
	if n := len(f.calls("scancel")); n != 0 {
		t.Errorf("%d cancellations of a sweep that ended well", n)
	}
}

// The reason of a failure names what Slurm did to the task.
func TestSlurmNamesEndings(t *testing.T) {
	tests := []struct {
		name   string
		state  string // state of the task
		output string // output of the task
		want   string // in the reason
	}{
		{"time limit", "TIMEOUT", "", "TIMEOUT"},
		{"memory", "OUT_OF_MEMORY", "", "out of memory"},
		{"cancelled", "CANCELLED", "", "cancelled by somebody"},
		{"deadline", "DEADLINE", "", "deadline"},
		{"trial failed without a word", "FAILED", "infbench-task: begin x\ninfbench-task: exit 3\n", "exit status 3; the last line of its log: no such model"},
		{"killed", "FAILED", "infbench-task: begin x\ninfbench-task: exit 137\n", "ended by signal 9"},
		{"the script alone was killed for memory", "FAILED", "infbench-task: begin x\nslurmstepd: error: Detected 1 oom_kill event in StepId=41.batch.\ninfbench-task: exit 137\n", "out of memory"},
		{"ended well, no result", "COMPLETED", "infbench-task: begin x\ninfbench-task: exit 0\n", "not complete"},
		{"forgotten by the controller", "", "infbench-task: begin x\nslurmstepd-n1: error: *** JOB 41 ON n1 CANCELLED AT 2026-11-20T16:06:24 DUE TO TIME LIMIT ***\n", "TIMEOUT"},
		{"an earlier turn does not count", "", "slurmstepd-n1: error: *** JOB 41 ON n1 CANCELLED AT 2026-11-20T16:06:24 DUE TO TIME LIMIT ***\ninfbench-task: begin restart=1\ninfbench-task: exit 4\n", "exit status 4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFakeSlurm(t)
			last := "41|0|" + test.state + "|@1\n"
			if test.state == "" {
				last = ""
			}
			f.queue("41|0|RUNNING|@1\n", last)
			// The engine makes the wave's folder; the output appears in it while the task runs.
			f.file("turn.1", `printf '`+strings.ReplaceAll(test.output, "\n", `\n`)+`' >"$(ls -d `+f.run+`/slurm/infbench-*)/0.out"`+"\n")
			write(t, filepath.Join(f.run, "logs", "a.log"), "loading\ninfbench: no such model\n")
			got, err := eventsOf(context.Background(), f.engine(), "a")
			if err != nil || len(got) != 2 || !strings.HasPrefix(got[1], "a failed: ") || !strings.Contains(got[1], test.want) {
				t.Errorf("events %q, %v; want a failure with %q", got, err, test.want)
			}
			var trial results.Trial
			if err := results.At(f.trial("a")).Reader().State(&trial); err != nil || trial.State != results.Failed || !strings.Contains(trial.Error, test.want) {
				t.Errorf("the folder says %s %q, %v; want it failed with %q", trial.State, trial.Error, err, test.want)
			}
		})
	}
}

// A waiting task that a user cancels vanishes from its array's list.
func TestSlurmCancelledBeforeItBegan(t *testing.T) {
	f := newFakeSlurm(t)
	f.queue("41|0|RUNNING|@1\n41|1-2%2|PENDING|@1\n", "41|0|RUNNING|@1\n41|1%2|PENDING|@1\n", "41|0|RUNNING|@1\n41|1%2|PENDING|@1\n", "41|0-1|COMPLETED|@1\n")
	f.file("turn.4", f.doneAt("a")+f.doneAt("b"))
	f.wantEvents([]string{"a", "b", "c"},
		"a started", "c started", "c failed: cancelled by somebody", "a succeeded", "b started", "b succeeded")
	if n := len(f.calls("sbatch")); n != 1 {
		t.Errorf("%d submissions, want 1", n)
	}
}

// A trial's own record of its failure takes precedence over Slurm's report. The record of an
// earlier failure does not count as a new one.
func TestSlurmTakesTheTrialsWord(t *testing.T) {
	f := newFakeSlurm(t)
	if err := results.At(f.trial("a")).Failures().Add(results.Fault, errors.New("an earlier failure")); err != nil {
		t.Fatal(err)
	}
	f.queue("41|0|PENDING|@1\n", "41|0|RUNNING|@1\n", "41|0|FAILED|@1\n")
	f.file("turn.3", failing(t, f.trial("a"), "loss is NaN at step 7"))
	if err := os.MkdirAll(f.trial("a"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.wantEvents([]string{"a"}, "a started", "a failed: loss is NaN at step 7")
}

// A requeued task is waited for. A lost one is submitted again, but not forever.
func TestSlurmLostTasks(t *testing.T) {
	t.Run("requeued by Slurm", func(t *testing.T) {
		f := newFakeSlurm(t)
		f.queue("41|0|RUNNING|@1\n", "41|0|REQUEUED|@1\n", "41|0|PENDING|@1\n", "41|0|RUNNING|@1\n", "41|0|COMPLETED|@1\n")
		f.file("turn.5", f.doneAt("a"))
		f.wantEvents([]string{"a"}, "a started", "a succeeded")
		if n := len(f.calls("sbatch")); n != 1 {
			t.Errorf("%d submissions, want 1", n)
		}
	})
	t.Run("node failed, requeueing is off", func(t *testing.T) {
		f := newFakeSlurm(t)
		f.queue("41|0|RUNNING|@1\n", "41|0|NODE_FAIL|@1\n", "42|0|RUNNING|@2\n", "42|0|COMPLETED|@2\n")
		f.file("turn.4", f.doneAt("a"))
		f.wantEvents([]string{"a"}, "a started", "a succeeded")
		if n := len(f.calls("sbatch")); n != 2 {
			t.Errorf("%d submissions, want 2", n)
		}
	})
	t.Run("node fails again and again", func(t *testing.T) {
		f := newFakeSlurm(t)
		f.queue("41|0|NODE_FAIL|@1\n", "42|0|NODE_FAIL|@2\n", "43|0|NODE_FAIL|@3\n", "44|0|NODE_FAIL|@4\n")
		f.wantEvents([]string{"a"}, "a started", "a failed: its node failed")
		if n := len(f.calls("sbatch")); n != 1+maxLost {
			t.Errorf("%d submissions, want %d", n, 1+maxLost)
		}
	})
	t.Run("a list that lacks it once", func(t *testing.T) {
		f := newFakeSlurm(t)
		f.queue("41|0|RUNNING|@1\n", "", "41|0|RUNNING|@1\n", "41|0|COMPLETED|@1\n")
		f.file("turn.4", f.doneAt("a"))
		f.wantEvents([]string{"a"}, "a started", "a succeeded")
		if n := len(f.calls("sbatch")); n != 1 {
			t.Errorf("%d submissions, want 1", n)
		}
	})
}

// While the controller is away, jobs are followed by their folders. Truncated lists are
// requested again.
func TestSlurmControllerAway(t *testing.T) {
	f := newFakeSlurm(t)
	f.queue(
		"41|0-1%2|PENDING|@1\n",
		"41|0|RUNNING|@1\n41|1|RUNNING|@1\n",
		"!slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n",
		"41|0|RUNN",         // truncated within a line
		"41|0|COMPLETED|@1", // without its last line
		"41|0|COMPLETED|@1\n41|1|COMPLETED|@1\n",
	)
	f.file("turn.3", f.doneAt("a"))
	f.file("turn.6", f.doneAt("b"))
	f.wantEvents([]string{"a", "b"}, "a started", "b started", "a succeeded", "b succeeded")
}

// A submission with unknown outcome is looked up before it is repeated.
func TestSlurmSubmission(t *testing.T) {
	t.Run("controller away", func(t *testing.T) {
		f := newFakeSlurm(t)
		f.file("sbatch.1", "echo 'sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)' >&2; exit 1\n")
		f.queue("", "42|0|COMPLETED|@1\n")
		f.file("turn.2", f.doneAt("a"))
		f.wantEvents([]string{"a"}, "a started", "a succeeded")
		if n := len(f.calls("sbatch")); n != 2 {
			t.Errorf("%d submissions, want 2", n)
		}
	})
	t.Run("answer lost, array arrived", func(t *testing.T) {
		f := newFakeSlurm(t)
		f.file("sbatch.1", "echo \"$name\" >>\"$FAKE/names\"; echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1\n")
		f.queue("41|0|RUNNING|@1\n", "41|0|COMPLETED|@1\n")
		f.file("turn.2", f.doneAt("a"))
		f.wantEvents([]string{"a"}, "a started", "a succeeded")
		if n := len(f.calls("sbatch")); n != 1 {
			t.Errorf("%d submissions, want 1: the array had arrived", n)
		}
	})
	t.Run("answer lost, array arrived late", func(t *testing.T) {
		f := newFakeSlurm(t)
		f.file("sbatch.1", "echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1\n")
		f.queue("", "42|0|PENDING|@1\n41|0|RUNNING|@1\n", "41|0|COMPLETED|@1\n42|0|CANCELLED|@1\n")
		f.file("turn.3", f.doneAt("a"))
		f.wantEvents([]string{"a"}, "a started", "a succeeded")
		cancelled := f.calls("scancel")
		if len(cancelled) != 1 || !strings.HasSuffix(cancelled[0], " 42") {
			t.Errorf("cancelled %v, want the second array, 42, once", cancelled)
		}
	})
	t.Run("refused", func(t *testing.T) {
		for _, says := range []string{
			"Invalid partition name specified",
			"Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)", // a single task: its number is not the reason
			"sbatch: error: QOSMaxWallDurationPerJobLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
			"Invalid job array specification",
		} {
			f := newFakeSlurm(t)
			t.Setenv("FAKE_MOST", "0")
			t.Setenv("FAKE_SAYS", "sbatch: error: Batch job submission failed: "+says)
			got, err := eventsOf(context.Background(), f.engine(), "a", "b")
			if err == nil || !strings.Contains(err.Error(), "2 trials were not submitted, first a: sbatch: sbatch: error: Batch job submission failed: "+strings.ReplaceAll(says, "\n", "; ")) || len(got) != 0 {
				t.Errorf("%q: events %q, error %v", says, got, err)
			}
			if open, err := os.ReadDir(filepath.Join(f.run, "slurm")); len(f.openWaveNames()) != 0 || err != nil || len(open) > 3 {
				t.Errorf("%q: left %v, %v", says, open, err)
			}
			var trial results.Trial
			if results.At(f.trial("a")).Reader().State(&trial); trial.State == results.Failed {
				t.Errorf("%q: the trial's folder says that it failed: %s", says, trial.Error)
			}
		}
	})
	t.Run("refused beside others", func(t *testing.T) {
		f := newFakeSlurm(t)
		f.file("sbatch.1", "echo 'sbatch: error: invalid partition specified: gpu' >&2; exit 1\n")
		f.queue("42|0|COMPLETED|@1\n")
		f.file("turn.1", f.doneAt("b"))
		done := 0
		jobs := []Job{{ID: "a", Label: "the first", Resources: spec.Resources{Partition: "gpu"}}, {ID: "b"}}
		err := f.engine().Run(context.Background(), jobs, func(e Event) {
			if e.Kind == Succeeded {
				done++
			}
		})
		if err == nil || !strings.HasPrefix(err.Error(), "1 trial was not submitted, first the first: ") || done != 1 {
			t.Errorf("%d succeeded, %v; want b alone", done, err)
		}
	})
}

// If a cluster accepts fewer jobs of a user than there are trials, they are submitted in
// slices, one after the other. No trial fails because of it.
func TestSlurmSubmitLimits(t *testing.T) {
	const policy = "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
	messages := []string{
		"sbatch: error: QOSMaxSubmitJobPerUserLimit\n" + policy,
		"sbatch: error: QOSMaxSubmitJobPerAccountLimit\n" + policy,
		"sbatch: error: QOSGrpSubmitJobsLimit\n" + policy,
		"sbatch: error: AssocMaxSubmitJobLimit\n" + policy,
		"sbatch: error: AssocGrpSubmitJobsLimit\n" + policy,
		policy,
		"sbatch: error: Batch job submission failed: Invalid job array specification",
		"sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\nsbatch: error: Batch job submission failed: Resource temporarily unavailable", // MaxJobCount
		"sbatch: error: You have too many jobs in this partition",
	}
	for _, says := range messages {
		f := newFakeSlurm(t)
		t.Setenv("FAKE_MOST", "2")
		t.Setenv("FAKE_SAYS", says)
		lists := []string{"42|0-1|COMPLETED|@1\n", "43|0-1|COMPLETED|@2\n", "44|0|COMPLETED|@3\n"}
		shift := 0
		if strings.Contains(says, "temporarily") { // the queue is asked whether the array has arrived
			lists, shift = append([]string{""}, lists...), 1
		}
		f.queue(lists...)
		f.file(fmt.Sprintf("turn.%d", 1+shift), f.doneAt("a")+f.doneAt("b"))
		f.file(fmt.Sprintf("turn.%d", 2+shift), f.doneAt("c")+f.doneAt("d"))
		f.file(fmt.Sprintf("turn.%d", 3+shift), f.doneAt("e"))
		f.wantEvents([]string{"a", "b", "c", "d", "e"}, "a started", "a succeeded", "b started", "b succeeded", "c started", "c succeeded", "d started", "d succeeded", "e started", "e succeeded")
		var sizes []string
		for _, call := range f.calls("sbatch") {
			_, rest, _ := strings.Cut(call, "--array=")
			size, _, _ := strings.Cut(rest, " ")
			sizes = append(sizes, size)
		}
		if got := strings.Join(sizes, " "); got != "0-4%2 0-1%2 0-1%2 0-0%2" {
			t.Errorf("%q: arrays %s", says, got)
		}
	}
	t.Run("none for now", func(t *testing.T) { // other jobs of the user wait
		f := newFakeSlurm(t)
		refuse := "echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2; exit 1\n"
		for i := range 4 {
			f.file(fmt.Sprintf("sbatch.%d", i+1), refuse)
		}
		f.queue("45|0|COMPLETED|@1\n", "46|0|COMPLETED|@2\n")
		f.file("turn.1", f.doneAt("a"))
		f.file("turn.2", f.doneAt("b"))
		f.wantEvents([]string{"a", "b"}, "a started", "a succeeded", "b started", "b succeeded")
		if dirs, _ := os.ReadDir(filepath.Join(f.run, "slurm")); len(dirs) > 5 {
			t.Errorf("refused submissions left %v", dirs)
		}
	})
	t.Run("detached", func(t *testing.T) {
		f := newFakeSlurm(t)
		t.Setenv("FAKE_MOST", "1")
		t.Setenv("FAKE_SAYS", messages[0])
		s := f.engine()
		s.Detach = true
		if got, err := eventsOf(context.Background(), s, "a", "b"); !errors.Is(err, ErrDetached) || len(got) != 0 || len(f.openWaveNames()) != 1 {
			t.Fatalf("events %q, %v; want ErrDetached after one task", got, err)
		}
		f.queue("42|0|COMPLETED|@1\n", "43|0|PENDING|@2\n")
		if err := os.MkdirAll(f.trial("a"), 0o755); err != nil {
			t.Fatal(err)
		}
		if got, err := eventsOf(context.Background(), s, "b"); !errors.Is(err, ErrDetached) || len(got) != 0 || len(f.openWaveNames()) != 1 {
			t.Errorf("again: events %q, %v", got, err)
		}
		t.Setenv("FAKE_MOST", "0")
		f = newFakeSlurm(t)
		s = f.engine()
		s.Detach = true
		if _, err := eventsOf(context.Background(), s, "a", "b"); err == nil || errors.Is(err, ErrDetached) || !strings.Contains(err.Error(), "QOSMaxSubmitJobPerUserLimit") {
			t.Errorf("nothing was submitted: %v", err)
		}
	})
}

// Waves of one set of resources run one after the other, each as large as an array may be.
// Other sets of resources run at the same time.
func TestSlurmWaves(t *testing.T) {
	f := newFakeSlurm(t)
	t.Setenv("FAKE_ARRAY", "2")
	f.queue("41|0-1|COMPLETED|@1\n42|0|COMPLETED|@2\n", "43|0|COMPLETED|@3\n")
	f.file("turn.1", f.doneAt("a")+f.doneAt("b")+f.doneAt("g"))
	f.file("turn.2", f.doneAt("c"))
	jobs := []Job{{ID: "a"}, {ID: "g", Resources: spec.Resources{GPUs: 2, CPUs: 8, Memory: 3 << 30, Time: spec.TimeLimit(90 * time.Minute), Partition: "gpu", Account: "ir", Extra: []string{"--constraint=a100"}}}, {ID: "b"}, {ID: "c"}}
	done := 0
	if err := f.engine().Run(context.Background(), jobs, func(e Event) {
		if e.Kind == Succeeded {
			done++
		}
	}); err != nil || done != 4 {
		t.Fatalf("%d of 4 succeeded, %v", done, err)
	}
	calls := f.calls("sbatch")
	if len(calls) != 3 {
		t.Fatalf("%d submissions, want 3: %v", len(calls), calls)
	}
	for i, want := range []string{"--array=0-1%2 ", "--gres=gpu:2 --mem=3145728K --time=90 --partition=gpu --account=ir --constraint=a100 ", "--array=0-0%2 "} {
		if !strings.Contains(calls[i], want) {
			t.Errorf("submission %d lacks %q: %s", i+1, want, calls[i])
		}
	}
}

// A sweep whose process died is continued: waiting and running tasks are watched, those that
// were never submitted or were forgotten are submitted.
func TestSlurmTakesUpArrays(t *testing.T) {
	f := newFakeSlurm(t)
	parent := filepath.Join(f.run, "slurm")
	for _, w := range []struct {
		name, job string
		cells     []string
	}{
		{"infbench-demo-1", "", []string{"a", "b", "elsewhere"}}, // died before it kept the number
		{"infbench-demo-2", "", []string{"c"}},                   // died before sbatch
		{"infbench-demo-3", "7", []string{"d"}},                  // ended and forgotten
	} {
		made, err := openWave(parent, w.name, w.cells)
		if err != nil {
			t.Fatal(err)
		}
		if err := made.confirm(w.job); err != nil {
			t.Fatal(err)
		}
	}
	// a and b have the same resources as c and d, which wait for the end of the wave.
	f.queue("40|0|RUNNING|infbench-demo-1\n40|1-2%2|PENDING|infbench-demo-1\n",
		"40|0|COMPLETED|infbench-demo-1\n40|1|COMPLETED|infbench-demo-1\n",
		"41|0-1|COMPLETED|@1\n")
	f.file("turn.2", f.doneAt("a")+f.doneAt("b"))
	f.file("turn.3", f.doneAt("c")+f.doneAt("d"))
	f.wantEvents([]string{"a", "b", "c", "d"}, "a started", "a succeeded", "b started", "b succeeded", "c started", "c succeeded", "d started", "d succeeded")
	calls := f.calls("sbatch")
	if len(calls) != 1 || !strings.Contains(calls[0], "--array=0-1%2") {
		t.Errorf("submissions %v, want one, of the two cells that were in no array", calls)
	}
}

// At the end of the context this folder's arrays are cancelled by name. The engine waits until
// their trials have saved, and reports them stopped.
func TestSlurmCancels(t *testing.T) {
	f := newFakeSlurm(t)
	f.queue("41|1%2|PENDING|@1\n41|0|RUNNING|@1\n")
	f.file("cancelled", "41|0-1|CANCELLED|@1\n")
	ctx, cancel := context.WithCancel(context.Background())
	var got []string
	err := f.engine().Run(ctx, []Job{{ID: "a"}, {ID: "b"}}, func(e Event) {
		got = append(got, fmt.Sprint(e.Job.ID, " ", e.Kind))
		cancel() // with the first
	})
	want := []string{fmt.Sprint("a ", Started), fmt.Sprint("a ", Stopped)}
	if !errors.Is(err, context.Canceled) || !slices.Equal(got, want) {
		t.Errorf("events %q, %v; want %q: a stopped, b untouched", got, err, want)
	}
	calls := f.calls("scancel")
	if len(calls) != 1 || !strings.Contains(calls[0], "--name=infbench-demo-") {
		t.Errorf("cancelled %v, want one array by its name", calls)
	}
	if open := f.openWaveNames(); len(open) != 0 {
		t.Errorf("waves left open: %v", open)
	}
}

func TestSlurmDetaches(t *testing.T) {
	f := newFakeSlurm(t)
	s := f.engine()
	s.Detach = true
	if got, err := eventsOf(context.Background(), s, "a", "b"); !errors.Is(err, ErrDetached) || len(got) != 0 {
		t.Errorf("events %q, %v; want none, ErrDetached", got, err)
	}
	if open := f.openWaveNames(); len(open) != 1 {
		t.Errorf("open waves: %v, want the one submitted", open)
	}
}

func TestSlurmIsOnePerFolder(t *testing.T) {
	f := newFakeSlurm(t)
	defer take(t, Leases{Dir: filepath.Join(f.run, "slurm"), Beat: 10 * time.Millisecond}, "submitter").Release()
	if _, err := eventsOf(context.Background(), f.engine(), "a"); err == nil || len(f.calls("sbatch")) != 0 {
		t.Errorf("error %v, submissions %v; want a refusal", err, f.calls("sbatch"))
	}
}

// Variables that would hide jobs from squeue or make sbatch wait are not passed to Slurm's
// commands.
func TestSlurmEnv(t *testing.T) {
	for _, v := range []string{"SQUEUE_PARTITION", "SCANCEL_STATE", "SBATCH_WAIT", "SLURM_MEM_PER_NODE", "SLURM_CONF", "SBATCH_ACCOUNT"} {
		t.Setenv(v, "x")
	}
	env := " " + strings.Join(slurmEnv(), " ") + " "
	for v, want := range map[string]bool{
		"SQUEUE_PARTITION=x": false, "SCANCEL_STATE=x": false, "SBATCH_WAIT=x": false, "SLURM_MEM_PER_NODE=x": false,
		"SLURM_CONF=x": true, "SBATCH_ACCOUNT=x": true, "SLURM_BITSTR_LEN=0": true,
	} {
		if strings.Contains(env, " "+v+" ") != want {
			t.Errorf("%s passed on: %v, want %v", v, !want, want)
		}
	}
}

func TestParseArraySize(t *testing.T) {
	for text, want := range map[string]int{
		"MaxArraySize            = 501\n": 501, "KillWait = 5 sec\nMaxArraySize = 4001\n": 4001,
		"": defaultArraySize, "MaxArraySize = 0\n": defaultArraySize, "MaxArraySize = (null)\n": defaultArraySize,
	} {
		if got := parseArraySize(text); got != want {
			t.Errorf("parseArraySize(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestParseSubmitted(t *testing.T) {
	for text, want := range map[string]string{"12\n": "12", "12;cluster\n": "12", "site: remember to log out\n77\n": "77"} {
		if got, err := parseSubmitted(text); err != nil || got != want {
			t.Errorf("parseSubmitted(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	if got, err := parseSubmitted("Submitted"); err == nil {
		t.Errorf("parseSubmitted took %q", got)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := disk.WriteBytes(path, []byte(content)); err != nil {
		t.Fatal(err)
	}
}

// A cell that the policy retries goes into another array.
func TestSlurmRetries(t *testing.T) {
	f := newFakeSlurm(t)
	f.queue("41|0|OUT_OF_MEMORY|@1\n", "42|0|RUNNING|@2\n", "42|0|COMPLETED|@2\n")
	f.file("turn.3", f.doneAt("a"))
	s := f.engine()
	var asked []string
	s.Trials.Retry = func(j Job, cause error) (time.Duration, bool) {
		asked = append(asked, j.ID+": "+cause.Error())
		return 0, len(asked) == 1
	}
	got, err := eventsOf(context.Background(), s, "a")
	if err != nil || len(got) != 4 || !strings.HasPrefix(got[1], "a retried: out of memory") || got[3] != "a succeeded" {
		t.Errorf("events %q, %v; want a retried once, then succeeded", got, err)
	}
	if len(asked) != 1 || len(f.calls("sbatch")) != 2 {
		t.Errorf("asked %q, submitted %d times; want once and twice", asked, len(f.calls("sbatch")))
	}
}

// Cells that another process runs wait for it. Cells that it finishes are not run again.
func TestSlurmLeavesCellsToOthers(t *testing.T) {
	f := newFakeSlurm(t)
	f.queue("41|0|COMPLETED|@1\n")
	f.file("turn.1", f.doneAt("a"))
	s := f.engine()
	looks := 0
	s.Trials.Look = func(j Job) (State, error) {
		if j.ID == "a" {
			return Free, nil
		}
		if looks++; looks < 4 {
			return Busy, nil
		}
		return Finished, nil
	}
	got, err := eventsOf(context.Background(), s, "a", "b")
	if err != nil || strings.Join(got, ", ") != "a started, a succeeded, b elsewhere" {
		t.Errorf("events %q, %v", got, err)
	}
	if calls := f.calls("sbatch"); len(calls) != 1 || !strings.Contains(calls[0], "--array=0-0%2") {
		t.Errorf("submissions %v, want a alone", calls)
	}
}
