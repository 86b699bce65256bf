package command

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/runners/runs"
)

// A verb whose output is lost does not succeed.
func TestFullStandardOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("SKIP: no device that is always full: %v", err)
	}
	defer full.Close()
	dir, plan := mixedRun(t)
	for i := range plan.Trials {
		finish(t, runs.At(dir).Trial(plan.Trials[i].ID).Dir, &plan.Trials[i])
	}
	page := filepath.Join(t.TempDir(), "report.html")
	verbOutput(t, "report", dir, "--format", "html", "--out", page)
	file := inFile(t, "x.yaml", "name: mixed\nmatrix: {seed: [1, 2, 3, 4, 5]}\nevaluate: [mini-bright]")
	qrels := inFile(t, "qrels", "q 0 a 1\n")
	ranked := inFile(t, "run", "q Q0 a 1 2.5 x\n")
	for _, args := range [][]string{
		{}, {"--help"}, {"help"}, {"help", "--all"}, {"help", "exit-codes"}, {"sweep", "--help"}, {"completion", "bash"}, {"list"}, {"list", "models"}, {"list", "benchmarks"}, {"list", "measures"},
		{"data", "show", "mini-infir"}, {"data", "stats", "mini-infir"}, {"models"}, {"models", "e5-base-v2"},
		{"plan", file}, {"status", dir}, {"status", dir, "--format", "json"}, {"status", dir, "--watch"}, {"retry", dir}, {"sweep", file, "--runs", filepath.Dir(dir)},
		{"report", dir}, {"report", dir, "--format", "csv"}, {"report", dir, "--format", "html"}, {"verify", page}, {"export", dir, "--format", "latex"},
		{"score", "--qrels", qrels, "--run", ranked, "--measure", "AP"}, {"models", "cache", "ls", t.TempDir()}, {"retry", "--discard", dir},
	} {
		var there, said bytes.Buffer
		if code := run(args, &there, &said); code != exitOK && code != exitGate {
			t.Errorf("infbench %v: exit code %d: %s", args, code, said.String())
			continue
		} else if there.Len() == 0 {
			t.Errorf("infbench %v prints nothing", args)
			continue
		}
		said.Reset()
		if code := run(args, full, &said); code == exitOK || !strings.Contains(said.String(), "no space left on device") || strings.Count(said.String(), "no space left") != 1 {
			t.Errorf("infbench %v: exit code %d with a full standard output: %s", args, code, said.String())
		}
	}
}

// If a reader closes the pipe, a verb ends silently, like other programs.
func TestClosedPipe(t *testing.T) {
	cmd := infbench(t, "list")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = write, &said
	err = cmd.Run()
	write.Close()
	if _, killed := err.(*exec.ExitError); !killed || said.Len() > 0 {
		t.Errorf("%v, said %q; want no message", err, said.String())
	}
}

// Pages, help and program list the same exit codes.
func TestExitCodes(t *testing.T) {
	var text string
	for _, p := range docPages(t) {
		text += strings.Join(strings.Fields(p.text), " ")
	}
	help := verbOutput(t, "help", "exit-codes")
	var codes []string
	for _, c := range usage.ExitCodes() {
		codes = append(codes, fmt.Sprintf("%d %s", c.Code, c.Meaning))
	}
	if sentence := "Exit codes: " + strings.Join(codes, ", ") + "."; !strings.Contains(text, sentence) {
		t.Errorf("no page has %q", sentence)
	}
	if !strings.Contains(help, usage.ListExitCodes()) {
		t.Errorf("help lacks the codes:\n%s", help)
	}
}
