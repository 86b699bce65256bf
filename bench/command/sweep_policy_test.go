package command

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/trial"
	"infbench/training/encoder"
)

// A trial that ran out of memory is trained in smaller chunks to the same losses apart from
// rounding; it records that, and is repeated with the same chunks.
func TestOutOfMemoryTrainsInSmallerChunks(t *testing.T) {
	plan := crashPlan(t)
	one := &plan.Trials[0]
	train := func(dir string) results.Trial {
		t.Helper()
		if err := plan.Write(runs.At(dir).PlanPath()); err != nil {
			t.Fatal(err)
		}
		if err := trial.Run(t.Context(), runs.At(dir), one, trial.Usual(&one.Cell, func(engine.Progress) {})); err != nil {
			t.Fatal(err)
		}
		var got results.Trial
		if err := runs.At(dir).Trial(one.ID).Reader().Trial(&got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	calm, dir := train(t.TempDir()), t.TempDir()
	for range 2 {
		if err := trial.Fail(runs.At(dir).Trial(one.ID), encoder.OfBackend(errors.New("RESOURCE_EXHAUSTED: failed to allocate"))); err == nil {
			t.Fatal("no error")
		}
	}
	got := train(dir)
	want := 2 * one.Cell.Train.RowsPerGroup * one.Cell.Train.Groups / 4
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
	if page := verbOutput(t, "report", dir); !strings.Contains(page, "ran out of memory in 1 of 1 training run and was trained "+strconv.Itoa(want)+" sequences at a time") {
		t.Errorf("the page does not name the chunk:\n%s", page)
	}
	if out := verbOutput(t, "repeat", dir, one.ID); !strings.Contains(out, "values are the same") {
		t.Errorf("repeat printed %s", out)
	}
}

func TestRetryPolicy(t *testing.T) {
	dir := t.TempDir()
	job := func(id string) engine.Job { return engine.Job{ID: id} }
	p := trial.NewPolicy(runs.At(dir), 2)
	fail := func(id string, class results.Class) (time.Duration, bool) {
		t.Helper()
		cause := errors.New("it broke")
		if err := runs.At(dir).Trial(id).Failures().Add(class, cause); err != nil {
			t.Fatal(err)
		}
		return p.Retry(job(id), cause)
	}
	for i, want := range []bool{true, true, false} {
		if wait, again := fail("transient", results.Transient); again != want || again && wait != trial.FirstPause<<i {
			t.Errorf("transient failure %d: again %v after %v, want %v", i+1, again, wait, want)
		}
	}
	if _, again := fail("fault", results.Fault); again {
		t.Error("a fault is tried again")
	}
	if wait, again := fail("memory", results.OutOfMemory); !again || wait != 0 {
		t.Errorf("out of memory: again %v after %v", again, wait)
	}
	// A killed process leaves no message; the policy makes one.
	if _, again := p.Retry(job("killed"), errors.New("signal: killed")); !again {
		t.Error("a killed trial is not tried again")
	}
	if f, err := runs.At(dir).Trial("killed").Failures().Read(); err != nil || f.Count(results.Killed) != 1 || f.Error != "signal: killed" {
		t.Errorf("mark of a killed trial: %+v, %v", f, err)
	}
	// Words in a log prove nothing: the same chunk is tried again.
	if _, again := p.Retry(job("gone"), errors.New("signal: killed; the last line of out of memory/log: cannot allocate memory")); !again {
		t.Error("a killed trial is not tried again")
	}
	if f, err := runs.At(dir).Trial("gone").Failures().Read(); err != nil || f.Count(results.OutOfMemory) != 0 {
		t.Errorf("mark of a killed trial: %+v, %v", f, err)
	}
}
