package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readmeOutput is what the README says that a command prints, "..." aside.
type readmeOutput struct {
	readmeCommand
	lines []string
}

// readmeOutputs are the indented lines that follow a command, at once or after one blank
// line, and are no commands themselves.
func readmeOutputs(t *testing.T) (all []readmeOutput) {
	t.Helper()
	lines := strings.Split(string(mustRead(t, filepath.Join("..", "..", "README.md"))), "\n")
	commands := map[int]readmeCommand{}
	for _, c := range readmeCommands(t) {
		if strings.HasPrefix(lines[c.line-1], "    ") { // not those in sentences
			commands[c.line] = c
		}
	}
	for n, c := range commands {
		if n < len(lines) && lines[n] == "" {
			n++
		}
		var shown []string
		for ; n < len(lines) && strings.HasPrefix(lines[n], "    ") && commands[n+1].text == ""; n++ {
			if line := strings.TrimSpace(lines[n]); line != "..." && strings.Trim(line, "─") != "" && !strings.HasPrefix(line, "#") {
				shown = append(shown, line)
			}
		}
		if shown != nil {
			all = append(all, readmeOutput{c, shown})
		}
	}
	slices.SortFunc(all, func(a, b readmeOutput) int { return a.line - b.line })
	return all
}

// TestReadmeOutput runs the commands whose output the README shows, beside the demo's run
// folder (make demo, then make readme): every line of it is printed so.
func TestReadmeOutput(t *testing.T) {
	if os.Getenv("INFBENCH_README") == "" {
		t.Skip("SKIP: make readme types the README's commands")
	}
	demo, err := filepath.Abs(filepath.Join("..", "..", "runs", "demo"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(demo); err != nil {
		t.Skipf("SKIP: no run folder of make demo at %s", demo)
	}
	s := newReadmeStage(t)
	s.link(demo, "runs/demo")
	if err := os.CopyFS(s.path("whole"), os.DirFS("..")); err != nil { // the stage's own are made smaller
		t.Fatal(err)
	}
	checked := 0
	for _, o := range readmeOutputs(t) {
		cmd := exec.Command("bash", "-c", strings.ReplaceAll(o.text, "bench/", "whole/"))
		cmd.Dir, cmd.Env = s.dir, s.env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("README.md:%d: %s: %v\n%s", o.line, o.text, err, out)
			continue
		}
		var printed []string
		for line := range strings.Lines(string(out)) {
			printed = append(printed, strings.Join(strings.Fields(line), " "))
		}
		for _, line := range o.lines {
			checked++
			if !slices.Contains(printed, strings.Join(strings.Fields(line), " ")) {
				t.Errorf("README.md:%d: %s does not print %q, but\n%s", o.line, o.text, line, out)
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d lines of output in the README", checked)
	}
}
