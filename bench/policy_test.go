package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/datasets/atomicfile"
	"infbench/training/encoder"
)

// The texts are those of XLA, CUDA, the NVIDIA driver and net/http.
func TestClassify(t *testing.T) {
	for _, c := range []struct {
		err  error
		want results.Class
	}{
		{errors.New("loss is NaN at step 7"), results.Fault},
		{errors.New(`unknown loss "uni(Q)"`), results.Fault},
		{errors.New("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes"), results.OutOfMemory},
		{errors.New("CUDA_ERROR_OUT_OF_MEMORY: out of memory"), results.OutOfMemory},
		{fmt.Errorf("train: %w", syscall.ENOMEM), results.OutOfMemory},
		{fmt.Errorf("evaluate: %w", encoder.ErrMemory), results.Fault}, // batches were halved to one text already
		{fmt.Errorf("ask endpoint: %w", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), results.Transient},
		{fmt.Errorf("read: %w", syscall.ECONNRESET), results.Transient},
		{fmt.Errorf("read answer: %w", io.ErrUnexpectedEOF), results.Transient},
		{errors.New(`status 429: "slow down"`), results.Transient},
		{errors.New(`status 503: "busy"`), results.Transient},
		{errors.New(`status 401: "who are you"`), results.Fault},
		{errors.New("INTERNAL: device lost"), results.Transient},
		{errors.New("Xid 79: GPU has fallen off the bus"), results.Transient},
		{fmt.Errorf("write: %w", syscall.ENOSPC), results.Fault},
	} {
		if got := classify(c.err); got != c.want {
			t.Errorf("classify(%q) = %s, want %s", c.err, got, c.want)
		}
	}
}

// Out of memory halves the chunk until nothing is left to halve.
func TestSmallerChunk(t *testing.T) {
	c := spec.DefaultCell()
	c.Train.RowsPerGroup, c.Train.Groups = 6, 1
	for failures, want := range []int{0, 6, 3, 1} {
		if got, err := smallerChunk(&c, failures); got != want || err != nil {
			t.Errorf("after %d failures: %d, %v; want %d", failures, got, err, want)
		}
	}
	if _, err := smallerChunk(&c, 4); classify(err) != results.Fault {
		t.Errorf("after 4 failures: %v, want a fault", err)
	}
	c.Train.Chunk = 5
	if got, err := smallerChunk(&c, 1); got != 2 || err != nil {
		t.Errorf("half of 5: %d, %v", got, err)
	}
	c.Interaction = string(encoder.CrossAttention)
	if _, err := smallerChunk(&c, 1); err == nil {
		t.Error("cross-attention was cut into chunks")
	}
}

// A baseline has no chunk to halve: it is not tried for ever.
func TestMemoryOfABaseline(t *testing.T) {
	c := spec.Cell{Model: "untrained"}
	for failures := range memoryRetries + 1 {
		if _, err := smallerChunk(&c, failures); err != nil {
			t.Errorf("after %d failures: %v", failures, err)
		}
	}
	if _, err := smallerChunk(&c, memoryRetries+1); err == nil || classify(err) != results.Fault {
		t.Errorf("after %d failures: %v, want a fault", memoryRetries+1, err)
	}
}

// A trial that ran out of memory is trained in smaller chunks to the same losses,
// but for rounding; it says so, and is repeated as it was made.
func TestOutOfMemoryTrainsInSmallerChunks(t *testing.T) {
	plan := crashPlan(t)
	trial := &plan.Trials[0]
	train := func(dir string) results.Trial {
		t.Helper()
		if err := plan.Write(filepath.Join(dir, planFile)); err != nil {
			t.Fatal(err)
		}
		if err := runTrial(t.Context(), dir, trial, usual(&trial.Cell, func(engine.Progress) {})); err != nil {
			t.Fatal(err)
		}
		var got results.Trial
		if err := results.ReadTrial(trialDir(dir, trial.ID), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	calm, dir := train(t.TempDir()), t.TempDir()
	for range 2 {
		if err := failTrial(usual(&trial.Cell, nil), trialDir(dir, trial.ID), errors.New("RESOURCE_EXHAUSTED: failed to allocate")); err == nil {
			t.Fatal("no error")
		}
	}
	got := train(dir)
	want := 2 * trial.Cell.Train.RowsPerGroup * trial.Cell.Train.Groups / 4
	if got.Provenance.Chunk != want || calm.Provenance.Chunk != 0 || len(got.Provenance.Attempts) != 2 || got.Provenance.Attempts[0].Class != results.OutOfMemory {
		t.Errorf("provenance: chunk %d, want %d; attempts %+v", got.Provenance.Chunk, want, got.Provenance.Attempts)
	}
	if len(got.Curve) == 0 || len(got.Curve) != len(calm.Curve) {
		t.Fatalf("%d steps, want %d", len(got.Curve), len(calm.Curve))
	}
	for i, step := range got.Curve {
		if d := math.Abs(step.Loss - calm.Curve[i].Loss); !(d <= 1e-4) {
			t.Errorf("step %d: loss %v, in one piece %v", step.Step, step.Loss, calm.Curve[i].Loss)
		}
	}
	if out := verbOutput(t, "repeat", dir, trial.ID); !strings.Contains(out, "values are the same") {
		t.Errorf("repeat printed %s", out)
	}
}

func TestRetryPolicy(t *testing.T) {
	dir := t.TempDir()
	job := func(id string) engine.Job { return engine.Job{ID: id} }
	p := newRetryPolicy(dir, 2)
	fail := func(id string, class results.Class) (time.Duration, bool) {
		t.Helper()
		cause := errors.New("it broke")
		if err := results.Fail(atomicfile.OS{}, trialDir(dir, id), class, cause); err != nil {
			t.Fatal(err)
		}
		return p.retry(job(id), cause)
	}
	for i, want := range []bool{true, true, false} {
		if wait, again := fail("transient", results.Transient); again != want || again && wait != firstPause<<i {
			t.Errorf("transient failure %d: again %v after %v, want %v", i+1, again, wait, want)
		}
	}
	if _, again := fail("fault", results.Fault); again {
		t.Error("a fault is tried again")
	}
	if wait, again := fail("memory", results.OutOfMemory); !again || wait != 0 {
		t.Errorf("out of memory: again %v after %v", again, wait)
	}
	// A process that died leaves no word; the policy does.
	if _, again := p.retry(job("killed"), errors.New("signal: killed")); !again {
		t.Error("a killed trial is not tried again")
	}
	if f, err := results.ReadFailure(trialDir(dir, "killed")); err != nil || f.Count(results.Killed) != 1 || f.Error != "signal: killed" {
		t.Errorf("mark of a killed trial: %+v, %v", f, err)
	}
	if _, again := p.retry(job("gone"), errors.New("fatal error: runtime: out of memory")); !again {
		t.Error("a trial that Go's runtime ended for memory is not tried again")
	}
}

func TestSameFailures(t *testing.T) {
	job := func(i int) engine.Job {
		return engine.Job{ID: fmt.Sprint("id", i), Label: fmt.Sprint("uni(P) seed=", i)}
	}
	alike := func(i int) error { return fmt.Errorf("trial id%d: no such file: data-%d", i, i) }
	for _, c := range []struct {
		name string
		most int
		errs []error
		want int // after which failure the sweep stops; 0: never
	}{
		{"alike", 3, []error{alike(0), alike(1), alike(2), alike(3)}, 3},
		{"odd ones", 3, []error{alike(0), errors.New("other"), alike(2), alike(3), alike(4)}, 0},
		{"after a success", 2, []error{nil, alike(1), alike(2), alike(3)}, 0},
		{"switched off", 0, []error{alike(0), alike(1), alike(2)}, 0},
	} {
		s, stopped := sameFailures{most: c.most}, 0
		for i, err := range c.errs {
			if s.after(job(i), err) && stopped == 0 {
				stopped = i + 1
			}
		}
		if stopped != c.want {
			t.Errorf("%s: stopped after %d, want %d", c.name, stopped, c.want)
		}
	}
}
