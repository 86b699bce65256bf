package command

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/internal/usage"
	"infbench/runners/runs"
)

// One signal of any kind ends a sweep after the current step, which is saved, with its own
// exit code; a second Ctrl-C ends it at once.
func TestSignals(t *testing.T) {
	testkit.Deep(t)
	file := inFile(t, "survival.yaml", fmt.Sprintf(`
name: survival
base:
  backbone: %s
  train: {epochs: 1000, rows_per_group: 120, lr: 5e-3}
evaluate: [mini-bright]
`, smallBackbone(t))) // ends in minutes
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
				return // it finished before the second signal
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
			for _, p := range runs.At(dir).Progress(id).Read() {
				if p.Phase == "train" {
					return id
				}
			}
		}
	}
	t.Fatal("no trial began to train")
	return ""
}

// Any verb ends soon after a signal, with the exit code that shows whether the same command
// goes on.
func TestSignalsEndVerbs(t *testing.T) {
	for _, c := range []struct {
		args  []string
		input string // more than a pipe holds: it is fully written once it is read
		code  int
	}{
		{[]string{"data", "agreement", "-"}, "ann,bob\n" + strings.Repeat("1,1\n", 1<<15), usage.ExitInterrupted}, // a standard input without an end
		{[]string{"data", "fetch", "followir"}, "", usage.ExitStopped},
		{[]string{"models", "fetch", "org/name"}, "", usage.ExitStopped},
		{[]string{"evaluate", "--model", "remote", "--url", "HUB/v1", "--remote-model", "m", "--dim", "4", "--data", "mini-bright", "--out", "out"}, "", usage.ExitStopped},
	} {
		for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
			hub, asked := silentHub(t)
			cmd := infbench(t, strings.Split(strings.ReplaceAll(strings.Join(c.args, "\n"), "HUB", hub), "\n")...)
			cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "HF_ENDPOINT="+hub)
			input, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if c.input == "" {
				<-asked
			} else if _, err := io.WriteString(input, c.input); err != nil {
				t.Fatal(err, said.String())
			}
			began := time.Now()
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			input.Close()
			if took := time.Since(began); cmd.ProcessState.ExitCode() != c.code || took > endsWithin+slack {
				t.Errorf("infbench %v: exit code %d after %v, want %d: %s", c.args, cmd.ProcessState.ExitCode(), took, c.code, said.String())
			}
		}
	}
}

// silentHub accepts requests and answers none; asked receives each request.
func silentHub(t *testing.T) (url string, asked <-chan struct{}) {
	t.Helper()
	first := make(chan struct{}, 1)
	hub := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case first <- struct{}{}:
		default:
		}
		io.Copy(io.Discard, r.Body) // otherwise the end of the connection is not noticed
		<-r.Context().Done()
	}))
	t.Cleanup(hub.Close)
	return hub.URL, first
}
