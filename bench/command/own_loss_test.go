package command

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// ownCommands builds the command with its own loss shown in docs/library.md, and the same
// with another version of the loss.
func ownCommands(t *testing.T) (first, second string) {
	t.Helper()
	programs := libraryPrograms(t, string(mustRead(t, filepath.Join("..", "..", "docs", "library.md"))))
	i := slices.IndexFunc(programs, func(program string) bool { return strings.Contains(program, "command.Main(Margin{})") })
	if i < 0 {
		t.Fatal("docs/library.md shows no command with a loss of its own")
	}
	module := outsideModule(t)
	module.write("first", programs[i])
	module.write("second", strings.Replace(programs[i], `return "1"`, `return "2"`, 1))
	bin := filepath.Join(module.dir, "bin")
	module.run("build", "-o", bin+string(filepath.Separator), "./first", "./second")
	return filepath.Join(bin, "first"), filepath.Join(bin, "second")
}

// programOutput returns the output of a command that must succeed.
func programOutput(t *testing.T, program string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, out, &stderr)
	}
	return string(out)
}

// trainedWith is the ID of a run folder's trial with a loss.
func trainedWith(t *testing.T, dir, loss string) string {
	t.Helper()
	exp, err := runs.At(dir).Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range exp.Trials {
		if trial.Config[results.Loss] == loss {
			return trial.ID
		}
	}
	t.Fatalf("%s has no trial with the loss %s", dir, loss)
	return ""
}

// A loss from outside this repository trains, is killed, resumes and is on the board under
// its own name, like built-in losses in the processes of a sweep. The ordinary command reads
// its results, and does not train it.
func TestOwnLoss(t *testing.T) {
	testkit.Deep(t)
	first, second := ownCommands(t)
	file := inFile(t, "own.yaml", fmt.Sprintf(`
name: own
base:
  backbone: %s
  train: {epochs: 1, rows_per_group: 120, lr: 5e-3}
matrix: {loss: [uni(P), margin]}
baselines: [bm25]
evaluate: [mini-bright]
`, smallBackbone(t)))
	whole, cut := t.TempDir(), t.TempDir()
	programOutput(t, first, survivalArgs(file, whole, 2)...)
	whole, killed := filepath.Join(whole, "own"), filepath.Join(cut, "own")
	id := trainedWith(t, whole, "margin@1")

	cmd := exec.Command(first, survivalArgs(file, cut, 2)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	for savedSteps(t, killed, id, 1000) < 5 {
		select {
		case <-ended:
			t.Fatalf("the sweep ended before it was killed: %v", cmd.ProcessState)
		case <-time.After(2 * time.Millisecond):
		}
	}
	killSession(t, cmd.Process.Pid)
	<-ended
	if saved := savedSteps(t, killed, id, 1000); saved == 1000 {
		t.Fatal("the trial was complete before it was killed")
	}
	const hint = `multi:P+I+IQ); a custom loss works only in the program that registers it`
	verbFails(t, exitFailure, `unknown loss "margin@1" (known: uni:P, `, "trial", killed, id)
	verbFails(t, usage.ExitUsage, hint, "plan", file)
	programOutput(t, first, survivalArgs(file, cut, 2)...)
	want, got := numbers(t, whole), numbers(t, killed)
	for sums, dir := range map[*map[string][32]byte]string{&want: whole, &got: killed} {
		for _, loss := range []string{"margin@1", "uni(P)"} {
			model := filepath.Join(runs.At(dir).Trial(trainedWith(t, dir, loss)).Model(), "model.safetensors")
			(*sums)["weights of "+loss] = sha256.Sum256(mustRead(t, model))
		}
	}
	if len(got) != 3*5+2 || !maps.Equal(got, want) {
		t.Error("weights, rankings or scores differ from those of an uninterrupted sweep")
	}

	page := filepath.Join(t.TempDir(), "report.html")
	verbOutput(t, "report", killed, "--format", "html", "--out", page)
	for text, args := range map[string][]string{
		"margin@1":                    {"report", killed},
		"3 done":                      {"status", killed},
		", 0 differences":             {"verify", page, "--runs", cut},
		"0 of 12 numbers":             {"diff", whole, killed},
		"loss: margin@1, or margin; ": nil,
	} {
		out := ""
		if args == nil {
			out = programOutput(t, first, "list", "losses", "margin")
		} else {
			out = verbOutput(t, args...)
		}
		if !strings.Contains(out, text) {
			t.Errorf("%v prints\n%swithout %q", args, out, text)
		}
	}
	if plan := programOutput(t, second, "plan", file, "--runs", cut); !strings.Contains(plan, "margin@2") || strings.Contains(plan, id) {
		t.Errorf("another version of the loss plans\n%s", plan)
	}
}
