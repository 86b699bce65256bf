package command

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/internal/usage"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// mixedRun makes up a run folder with a trial in every state, in plan order: done, running,
// failed twice, tried again after a failure, waiting.
func mixedRun(t *testing.T) (dir string, plan *spec.Plan) {
	t.Helper()
	plan, err := new(narrowing).plan(inFile(t, "x.yaml", "name: mixed\nmatrix: {seed: [1, 2, 3, 4, 5]}\nevaluate: [mini-bright]"))
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), plan.Name)
	if err := plan.Write(runs.At(dir).PlanPath()); err != nil {
		t.Fatal(err)
	}
	at := func(i int) string { return runs.At(dir).Trial(plan.Trials[i].ID).Dir }
	finish(t, at(0), &plan.Trials[0])
	lease, err := runs.At(dir).Leases().Take(t.Context(), plan.Trials[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lease.Release() })
	reporter := runs.At(dir).Progress(plan.Trials[1].ID).Record(func(engine.Progress) {})
	for step, loss := range []float64{4, 3, 2, 1} {
		reporter.Report(engine.Progress{Phase: "train", Done: step + 1, Total: 8, Loss: loss})
	}
	reporter.Close()
	for _, i := range []int{2, 2, 3} {
		if err := results.At(at(i)).Failures().Add(results.Transient, errors.New("status 503: \"\x1b[31mbusy\"\nand more")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := results.At(at(3)).Failures().Retry(); err != nil {
		t.Fatal(err)
	}
	return dir, plan
}

// The states are derived from the files alone, and only text is printed if the output is not
// a terminal.
func TestStatus(t *testing.T) {
	dir, plan := mixedRun(t)
	out := verbOutput(t, "status", dir)
	for _, want := range []string{
		"mixed: 1 done, 1 running, 1 failed, 2 waiting; about 2m40s left\n", // two cells with 60 s each, and one with half of its 40 s of training done
		"train 50% █▆▃▁ loss 1.000", "status 503: \"\ufffd[31mbusy\" (2 attempts)",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("status lacks %q:\n%s", want, out)
		}
	}
	if strings.ContainsAny(out, "\x1b\r") || strings.Contains(out, plan.Trials[0].ID) || strings.Contains(out, "and more") {
		t.Errorf("status prints more than it should:\n%q", out)
	}
}

// A stopped cell is shown with its progress, before cells that were never begun.
func TestStatusOfStoppedCells(t *testing.T) {
	dir, plan := mixedRun(t)
	reporter := runs.At(dir).Progress(plan.Trials[4].ID).Record(func(engine.Progress) {})
	for step, loss := range []float64{4, 3, 2} {
		reporter.Report(engine.Progress{Phase: "train", Done: step + 1, Total: 4, Loss: loss})
	}
	reporter.Close()
	runs.At(dir).Progress(plan.Trials[4].ID).Record(func(engine.Progress) {}).Close() // an attempt that came no further
	out := verbOutput(t, "status", dir)
	stopped, waiting := strings.Index(out, plan.Trials[4].ID), strings.Index(out, plan.Trials[3].ID)
	if !strings.Contains(out, "stopped at train 75% █▅▁ loss 2.000") || stopped < 0 || stopped > waiting {
		t.Errorf("status does not say how far it came:\n%s", out)
	}
}

// --watch may begin before the sweep does.
func TestStatusWatchWaits(t *testing.T) {
	dir, plan := mixedRun(t)
	for i := range plan.Trials {
		finish(t, runs.At(dir).Trial(plan.Trials[i].ID).Dir, &plan.Trials[i])
	}
	later := filepath.Join(t.TempDir(), "later")
	out := &triggerWriter{to: "waiting for", with: func() { os.Rename(dir, later) }}
	want := "waiting for a sweep to create " + later + "\nmixed: 5 done, 0 running, 0 failed, 0 waiting\n"
	if code := run([]string{"status", later, "--watch", "--every", "100ms"}, out, io.Discard); code != exitOK || out.said.String() != want {
		t.Errorf("watch printed %q, want %q; exit %d", out.said.String(), want, code)
	}
	verbFails(t, usage.ExitUsage, "is not a run folder", "status", filepath.Join(t.TempDir(), "none"))
}

// triggerWriter is an output that calls a function when it is about to print a text.
type triggerWriter struct {
	to   string
	with func()
	said strings.Builder
}

// Write implements io.Writer.
func (a *triggerWriter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), a.to) {
		a.with()
	}
	return a.said.Write(p)
}

// Without a terminal, --watch prints a line at every change and ends with the sweep.
func TestStatusWatch(t *testing.T) {
	dir, plan := mixedRun(t)
	for i := range plan.Trials {
		finish(t, runs.At(dir).Trial(plan.Trials[i].ID).Dir, &plan.Trials[i])
	}
	if out := verbOutput(t, "status", dir, "--watch"); out != "mixed: 5 done, 0 running, 0 failed, 0 waiting\n" {
		t.Errorf("watch printed %q", out)
	}
	verbFails(t, usage.ExitUsage, "--every", "status", dir, "--watch", "--every", "1ms")
}

// A failure that is no longer readable is still a failure, and hides no other trial.
func TestStatusOfADamagedFailure(t *testing.T) {
	dir, plan := mixedRun(t)
	if err := os.WriteFile(filepath.Join(runs.At(dir).Trial(plan.Trials[2].ID).Dir, results.FailureFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := verbOutput(t, "status", dir); !strings.Contains(out, "1 failed") || !strings.Contains(out, "the reason is unknown") {
		t.Errorf("status printed\n%s", out)
	}
}

// failedOf lists the trials that retry would run.
func failedOf(t *testing.T, dir string, plan *spec.Plan, prefixes []string) ([]*spec.Trial, error) {
	t.Helper()
	view, err := runs.NewWatch(runs.At(dir)).Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return newSweepRun(sweepOptions{}, runs.At(dir), plan, io.Discard, io.Discard).failed(view.Trials, prefixes)
}

// retry accepts only failed and abandoned trials.
func TestRetryChoosesFailedTrials(t *testing.T) {
	dir, plan := mixedRun(t)
	verbFails(t, usage.ExitUsage, "has not failed: it is done", "retry", dir, plan.Trials[0].ID)
	verbFails(t, usage.ExitUsage, "has no trial", "retry", dir, "zz")
	failed, err := failedOf(t, dir, plan, nil)
	if err != nil || len(failed) != 1 || failed[0].ID != plan.Trials[2].ID {
		t.Errorf("failed trials: %v, %v; want the third", failed, err)
	}
}

// A lease that no living process holds, whatever its content, does not mark a trial as
// running and does not stop a sweep.
func TestStatusOfAbandonedTrials(t *testing.T) {
	testkit.Deep(t)
	dir, plan := mixedRun(t)
	long := time.Now().Add(-72 * time.Hour)
	for i, content := range map[int]string{3: "", 4: "{\"host\":\"elsewhere\",\"pid\":12}\n00000000000000000007\n"} {
		path := filepath.Join(dir, "leases", plan.Trials[i].ID+".1")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	out := verbOutput(t, "status", dir)
	for _, want := range []string{
		"mixed: 1 done, 1 running, 1 failed, 0 waiting, 2 abandoned", "since " + long.Format(time.DateTime) + "; the next sweep continues it", "process 12 of elsewhere had it",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("status lacks %q:\n%s", want, out)
		}
	}
	var said statusOutput
	if err := json.Unmarshal([]byte(verbOutput(t, "status", dir, "--format", "json")), &said); err != nil {
		t.Fatal(err)
	}
	for i, want := range []results.State{results.Done, results.Running, results.Failed, results.Abandoned, results.Abandoned} {
		if got := said.Trials[i]; got.State != want || (got.Since != nil) != (want == results.Abandoned) {
			t.Errorf("trial %d: %+v, want it %s", i, got, want)
		}
	}
	if said.Counts[results.Abandoned] != 2 {
		t.Errorf("counts %v", said.Counts)
	}
	if failed, err := failedOf(t, dir, plan, []string{plan.Trials[4].ID}); err != nil || len(failed) != 1 {
		t.Errorf("retry of an abandoned trial: %v, %v", failed, err)
	}
}
