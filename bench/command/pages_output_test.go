package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pageOutput is a command of a page and the lines of its output on the page, without "...".
type pageOutput struct {
	pageCommand
	lines []string
}

// outputs returns the indented lines of a page that follow a command, directly or after one
// blank line, and are not commands themselves.
func (p docPage) outputs() (all []pageOutput) {
	lines := strings.Split(p.text, "\n")
	commands := map[int]pageCommand{}
	for _, c := range p.commands() {
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
			all = append(all, pageOutput{c, shown})
		}
	}
	slices.SortFunc(all, func(a, b pageOutput) int { return a.line - b.line })
	return all
}

// TestPagesOutput runs the commands whose output a page shows, next to the demo's run folder
// (make demo, then make pages): the command prints every line shown on the page.
func TestPagesOutput(t *testing.T) {
	if os.Getenv("INFBENCH_PAGES") == "" {
		t.Skip("SKIP: make pages types the commands of README.md and docs")
	}
	demo, err := filepath.Abs(filepath.Join("..", "..", "runs", "demo"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(demo); err != nil {
		t.Skipf("SKIP: no run folder of make demo at %s", demo)
	}
	s := newPageStage(t)
	s.link(demo, "runs/demo")
	if err := os.CopyFS(s.path("whole"), os.DirFS("..")); err != nil { // the stage's own are smaller
		t.Fatal(err)
	}
	checked := 0
	for _, p := range docPages(t) {
		if pagesOfOthers[p.path] != "" { // there every indented line is a command
			continue
		}
		for _, o := range p.outputs() {
			cmd := exec.Command("bash", "-c", strings.ReplaceAll(o.text, "bench/", "whole/"))
			cmd.Dir, cmd.Env = s.dir, s.env
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v: %v\n%s", o.pageCommand, err, out)
				continue
			}
			var printed []string
			for line := range strings.Lines(string(out)) {
				printed = append(printed, strings.Join(strings.Fields(line), " "))
			}
			for _, line := range o.lines {
				checked++
				if !slices.Contains(printed, strings.Join(strings.Fields(line), " ")) {
					t.Errorf("%v does not print %q, but\n%s", o.pageCommand, line, out)
				}
			}
		}
	}
	t.Logf("%d lines of output", checked)
	if checked < 20 {
		t.Errorf("%d lines of output in the pages", checked)
	}
}
