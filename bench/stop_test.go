package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"infbench/bench/runs"
	"infbench/bench/usage"
)

// One signal of any kind ends a sweep after the running step, which is saved, with
// a code of its own; a second Ctrl-C ends it at once.
func TestSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("trains")
	}
	file := survivalSweep(t)
	for _, c := range []struct {
		name    string
		signals []syscall.Signal
		code    int
	}{
		{"Ctrl-C", []syscall.Signal{syscall.SIGINT}, usage.ExitStopped},
		{"SIGTERM", []syscall.Signal{syscall.SIGTERM}, usage.ExitStopped},
		{"SIGTERM to process and group", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, usage.ExitStopped},
		{"Slurm's notice", []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR1, syscall.SIGTERM}, usage.ExitStopped},
		{"Ctrl-C twice", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}, 128 + int(syscall.SIGINT)},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs := t.TempDir()
			cmd := infbench(t, survivalArgs(file, runs, 1)...)
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(runs, "survival")
			trained := awaitTraining(t, dir)
			for i, s := range c.signals {
				if i > 0 {
					time.Sleep(5 * time.Millisecond) // equal signals that wait count as one
				}
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			cmd.Wait()
			code := cmd.ProcessState.ExitCode()
			if len(c.signals) > 1 && code == usage.ExitStopped {
				return // it was faster than the second signal
			}
			if code != c.code {
				t.Errorf("exit code %d, want %d: %s", code, c.code, said.String())
			}
			if saved := savedSteps(t, dir, trained, 1); code == usage.ExitStopped && saved == 0 {
				t.Error("no step was saved")
			}
		})
	}
}

// awaitTraining waits until a trial of a run has taken a step, and returns its ID.
func awaitTraining(t *testing.T, dir string) (id string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 5*time.Minute; time.Sleep(5 * time.Millisecond) {
		entries, err := os.ReadDir(filepath.Join(dir, runs.ProgressDir))
		if err != nil {
			continue
		}
		for _, e := range entries {
			id := e.Name()[:len(e.Name())-len(".jsonl")]
			for _, p := range runs.At(dir).Progress(id) {
				if p.Phase == "train" {
					return id
				}
			}
		}
	}
	t.Fatal("no trial began to train")
	return ""
}
