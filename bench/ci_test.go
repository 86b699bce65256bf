package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var ciTable = regexp.MustCompile(`(?s)(<<'STEPS'\n)(.*?)(STEPS\n)`)

func ciScript(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("..", ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	if !ciTable.Match(script) {
		t.Fatal(".ci/run has no table of steps")
	}
	return string(script)
}

// What the steps of .ci/run are meant to take fits into its hour.
func TestContinuousIntegrationFits(t *testing.T) {
	sum := 0
	for line := range strings.Lines(ciTable.FindStringSubmatch(ciScript(t))[2]) {
		var name string
		var minutes int
		if n, _ := fmt.Sscan(line, &name, &minutes); n != 2 {
			t.Errorf("%q: want a name, minutes and a command", line)
		}
		sum += minutes
	}
	if sum < 20 || sum > 60 {
		t.Errorf("the steps are meant to take %d minutes together", sum)
	}
}

// A step that fails, is stopped or is not begun for want of time fails the run
// of .ci/run, and the table at its end names it.
func TestContinuousIntegrationFails(t *testing.T) {
	for _, c := range []struct {
		name, steps, seconds string
		passes               bool
		table                []string
	}{
		{"passes", "one 1 echo $HERE; cat\ntwo 1 echo 2", "60", true, []string{"one .*  ok", "two .*  ok"}},
		{"slow", "one 0 sleep 1.1", "60", true, []string{"one .*  ok, but over its minutes"}},
		{"fails", "one 1 echo 1\ntwo 1 false; echo 2\nthree 1 echo 3", "60", false,
			[]string{"one .*  ok", "two .*  FAILED", "three .*  not run"}},
		{"stopped", "one 1 echo 1\ntwo 1 sleep 50 & sleep 50\nthree 1 echo 3", "6", false,
			[]string{"one .*  ok", "two .*  STOPPED: the time is over", "three .*  not run"}},
		{"no time", "one 1 echo 1", "0", false, []string{"one .*  NOT RUN: the time is over"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := runSteps(t, c.steps, c.seconds)
			if (err == nil) != c.passes {
				t.Errorf("it ended with %v\n%s", err, out)
			}
			table := `step +took meant, s\n` + strings.Join(c.table, `\n`) + `\nall .*\n$`
			if !regexp.MustCompile(table).MatchString(out) {
				t.Errorf("want at the end\n%s\ngot\n%s", table, out)
			}
		})
	}
}

// runSteps runs .ci/run with other steps, in a folder of its own.
func runSteps(t *testing.T, steps, seconds string) (string, error) {
	t.Helper()
	root := t.TempDir()
	script := ciTable.ReplaceAllString(ciScript(t), "${1}"+strings.ReplaceAll(steps, "$", "$$")+"\n$3")
	for name, text := range map[string]string{"Makefile": "environment:\n\t@echo export HERE=here\n", ".ci/run": script} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("bash", filepath.Join(root, ".ci", "run"))
	cmd.Env = append(os.Environ(), "CI_SECONDS="+seconds, "CI_LOGS=logs")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
