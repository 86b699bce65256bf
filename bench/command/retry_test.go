package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// failingSweep has one cell that trains, and cells whose learning rates make them diverge;
// rates are the values in the file.
func failingSweep(t *testing.T, rates string) string {
	t.Helper()
	return inFile(t, "failing.yaml", fmt.Sprintf("name: failing\nbase: {backbone: %q, train: {epochs: 1, rows_per_group: 240}}\nmatrix: {train.lr: [%s]}\nevaluate: [mini-bright]\n", smallBackbone(t), rates))
}

// A failed cell has no number; the others go on, retry runs it alone, and its first error
// stays on record.
func TestFailedCells(t *testing.T) {
	folder := t.TempDir()
	dir := filepath.Join(folder, "failing")
	verbFails(t, exitFailure, "1 of 2 trials failed", "sweep", failingSweep(t, "1e30, 5e-3"), "--runs", folder)
	if out := verbOutput(t, "status", dir); !strings.Contains(out, "1 done, 0 running, 1 failed, 0 waiting") || !strings.Contains(out, "loss NaN") || strings.Count(out, "mini-infir-") > 5 {
		t.Errorf("status printed\n%s", out)
	}
	if out := verbOutput(t, "report", dir); !strings.Contains(out, "1 of 2 planned trials finished") {
		t.Errorf("the report says\n%s", out)
	}
	verbFails(t, exitFailure, "1 of 2 trials failed", "retry", dir)
	plan, err := spec.ReadPlan(runs.At(dir).PlanPath())
	if err != nil {
		t.Fatal(err)
	}
	f, err := runs.At(dir).Trial(plan.Trials[0].ID).Failures().Read()
	if err != nil || len(f.Attempts) != 2 || f.Attempts[0].Class != results.Fault || !strings.Contains(f.Error, "loss NaN") {
		t.Errorf("failure %+v, %v; want two attempts", f, err)
	}
}

// If the first cells all fail with the same error, the others are not tried.
func TestMaxSameFailures(t *testing.T) {
	runs := t.TempDir()
	verbFails(t, exitFailure, "the first 2 trials failed with the same error", "sweep", failingSweep(t, "1e30, 2e30, 3e30, 4e30"), "--runs", runs, "--workers", "1", "--max-same-failures", "2")
	if out := verbOutput(t, "status", filepath.Join(runs, "failing")); !strings.Contains(out, "0 done, 0 running, 2 failed, 2 waiting") {
		t.Errorf("status printed\n%s", out)
	}
}

// inTinySweep enters a folder in which the experiment of trainingFiles was swept.
func inTinySweep(t *testing.T) (runs.Folder, *spec.Plan) {
	t.Helper()
	t.Chdir(t.TempDir())
	smallNetwork(t, ".")
	trainingFiles(t, ".")
	tinyTrial(t, ".")
	folder := runs.At("runs/tiny")
	plan, err := folder.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return folder, plan
}

// A stopped retry goes on when the same command is given again: first the trial whose failure
// was reset, then the report.
func TestRetryGoesOn(t *testing.T) {
	folder, plan := inTinySweep(t)
	at := folder.Trial(plan.Trials[0].ID)
	if err := errors.Join(os.RemoveAll(at.Dir), os.MkdirAll(at.Dir, 0o755), at.Failures().Add(results.Fault, errors.New("out of luck")), at.Failures().Reset()); err != nil {
		t.Fatal(err)
	}
	verbOutput(t, "retry", "runs/tiny", "--workers", "1")
	if err := at.Marker().Verify(); err != nil {
		t.Error(err)
	}
	report := folder.Report()
	if err := os.Remove(report); err != nil {
		t.Fatal(err)
	}
	verbOutput(t, "retry", "runs/tiny")
	if _, err := os.Stat(report); err != nil {
		t.Error(err)
	}
	wantIn(t, verbOutput(t, "retry", "runs/tiny"), "no trial has failed")
}

// An abandoned trial is run by retry, with all others or by its name; trials that wait are mentioned.
func TestRetryOfAbandonedTrial(t *testing.T) {
	for _, names := range [][]string{nil, {"uni:P"}} {
		folder, plan := inTinySweep(t)
		at := folder.Trial(plan.Trials[0].ID)
		lease, err := folder.Leases().Take(t.Context(), plan.Trials[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		held, err := filepath.Glob(filepath.Join(folder.Dir, "leases", plan.Trials[0].ID+".*"))
		if err != nil || len(held) != 1 {
			t.Fatal(held, err)
		}
		owner := strings.Replace(string(mustRead(t, held[0])), fmt.Sprintf(`"pid":%d`, os.Getpid()), `"pid":4194300`, 1) // no such process
		long := time.Now().Add(-72 * time.Hour)
		if err := errors.Join(lease.Release(), os.RemoveAll(at.Dir), os.MkdirAll(at.Dir, 0o777), os.MkdirAll(filepath.Dir(held[0]), 0o777), os.WriteFile(held[0], []byte(owner), 0o644), os.Chtimes(held[0], long, long)); err != nil {
			t.Fatal(err)
		}
		wantIn(t, verbOutput(t, "status", folder.Dir), "1 abandoned")
		verbOutput(t, append([]string{"retry", folder.Dir, "--workers", "1"}, names...)...)
		if err := at.Marker().Verify(); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(at.Dir); err != nil {
			t.Fatal(err)
		}
		wantIn(t, verbOutput(t, "retry", folder.Dir), "no trial has failed; 1 trial is waiting: infbench sweep runs what waits")
	}
}

// If the parent of a retry was killed, its worker may live a moment longer: the same command
// waits for it, and does not report that nothing has failed.
func TestRetryAwaitsAnother(t *testing.T) {
	for name, forgive := range map[string]bool{"forgiven": true, "about to be forgiven": false} {
		t.Run(name, func(t *testing.T) {
			folder, plan := inTinySweep(t)
			failedTrial(t, ".")
			at := folder.Trial(plan.Trials[0].ID)
			if forgive {
				if err := at.Failures().Reset(); err != nil {
					t.Fatal(err)
				}
			}
			lease, err := folder.Leases().Take(t.Context(), plan.Trials[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(300*time.Millisecond, func() { lease.Release() })
			verbOutput(t, "retry", "runs/tiny", "--workers", "1")
			if err := at.Marker().Verify(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A trial may end after its state was read: it counts as done, and the report missing after a
// killed retry is written.
func TestRetryReportsOnWhatJustEnded(t *testing.T) {
	folder, plan := inTinySweep(t)
	if err := os.Remove(folder.Report()); err != nil {
		t.Fatal(err)
	}
	var states []results.Trial
	for i := range plan.Trials {
		states = append(states, results.Trial{ID: plan.Trials[i].ID, State: results.Running})
	}
	s := newSweepRun(sweepOptions{}, folder, plan, io.Discard, io.Discard)
	if !s.lacksReport(states) {
		t.Error("all trials are done, the report is missing, and nobody writes it")
	}
	if err := os.Remove(filepath.Join(folder.Trial(plan.Trials[0].ID).Dir, results.DoneFile)); err != nil {
		t.Fatal(err)
	}
	if s.lacksReport(states) {
		t.Error("a report is owed while a trial still runs")
	}
}
