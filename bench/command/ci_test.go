package command

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var ciTable = regexp.MustCompile(`(?s)(<<'STEPS'\n)(.*?)(STEPS\n)`)

func ciScript(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("..", "..", ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	if !ciTable.Match(script) {
		t.Fatal(".ci/run has no table of steps")
	}
	return string(script)
}

// TestContinuousIntegrationFits adds up the planned times of the steps of each tier of
// .ci/run.
func TestContinuousIntegrationFits(t *testing.T) {
	sums := map[string]int{}
	for line := range strings.Lines(ciTable.FindStringSubmatch(ciScript(t))[2]) {
		fields := strings.Fields(line)
		if len(fields) < 4 {
			t.Fatalf("%q: want a name, minutes, tiers and a command", line)
		}
		short, full, _ := strings.Cut(fields[1], "/")
		minutes, err := strconv.Atoi(short)
		deeper, deepErr := strconv.Atoi(cmp.Or(full, short))
		if err != nil || deepErr != nil || deeper < minutes {
			t.Errorf("%q: want minutes, and after a slash more for DEPTH=full", line)
		}
		for tier := range strings.SplitSeq(fields[2], ",") {
			sums[tier] += minutes
			sums[tier+" in full"] += deeper
		}
	}
	for tier, most := range map[string]int{"quick": 20, "main": 75, "main in full": 180, "real": 100} {
		if sums[tier] > most {
			t.Errorf("the steps of the tier %s are meant to take %d minutes together, at most %d fit", tier, sums[tier], most)
		}
	}
	if sums["quick"] == 0 || sums["main"] == 0 {
		t.Errorf("minutes by tier: %v", sums)
	}
}

// A step that fails, is stopped, or is not started for lack of time fails .ci/run, and the
// table at its end names it.
func TestContinuousIntegrationFails(t *testing.T) {
	for _, c := range []struct {
		name, steps, seconds string
		passes               bool
		table                []string
	}{
		{"passes", "one 1 main echo 1; cat\ntwo 1 quick,main echo 2\nthree 1 quick false", "60", true, []string{"one .*  ok", "two .*  ok"}},
		{"slow", "one 0 main sleep 1.1", "60", true, []string{"one .*  ok, but over its minutes"}},
		{"fails", "one 1 main echo 1\ntwo 1 main false; echo 2\nthree 1 main echo 3", "60", false,
			[]string{"one .*  ok", "two .*  FAILED", "three .*  not run"}},
		{"stopped", "one 1 main sleep 50 & sleep 50\ntwo 1 main echo 2", "1", false,
			[]string{"one .*  (STOPPED|NOT RUN): the time is over", "two .*  not run"}},
		{"no time", "one 1 main echo 1", "0", false, []string{"one .*  NOT RUN: the time is over"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, code := runSteps(t, c.steps, []string{"CI_SECONDS=" + c.seconds})
			if (code == 0) != c.passes {
				t.Errorf("it ended with %d\n%s", code, out)
			}
			wantTable(t, out, c.table)
		})
	}
}

// Tiers and names choose steps, in the order of the table; an unknown name is refused with
// the list of names.
func TestContinuousIntegrationChooses(t *testing.T) {
	const steps = "one 1/2 main echo $KILLS\ntwo 1 quick,main echo 2\nthree 1 quick echo 3"
	for _, c := range []struct {
		asked, depth string
		code         int
		table        []string // the last lines, without "all"
		says         string
	}{
		{"", "", 0, []string{"one +[0-9]+ +60 +ok", "two .*  ok"}, "\n5\n"},
		{"", "full", 0, []string{"one +[0-9]+ +120 +ok", "two .*  ok"}, "\n50\n"},
		{"quick", "", 0, []string{"two .*  ok", "three .*  ok"}, ""},
		{"three one", "", 0, []string{"one .*  ok", "three .*  ok"}, ""},
		{"real", "", 0, nil, "the tier real has no step yet"},
		{"one four", "", 2, nil, `unknown step "four": quick, real, or of the steps one two three`},
		{"quick one", "", 2, nil, `unknown step "quick"`},
		{"one", "fulll", 2, nil, `unknown DEPTH "fulll"`},
	} {
		t.Run(c.asked+c.depth, func(t *testing.T) {
			t.Parallel()
			out, code := runSteps(t, steps, []string{"DEPTH=" + c.depth, "CI_SECONDS="}, strings.Fields(c.asked)...)
			if code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("it ended with %d, want %d and %q:\n%s", code, c.code, c.says, out)
			}
			if code == 0 {
				wantTable(t, out, c.table)
			}
		})
	}
}

// wantTable checks the table at the end of .ci/run's output, each row by a pattern.
func wantTable(t *testing.T, out string, rows []string) {
	t.Helper()
	table := `step +took +meant, s\n` + strings.Join(append(rows, ""), `\n`) + `all .*\n$`
	if !regexp.MustCompile(table).MatchString(out) {
		t.Errorf("want at the end\n%s\ngot\n%s", table, out)
	}
}

// runSteps runs .ci/run with other steps in its own folder, and returns the output and exit
// code.
func runSteps(t *testing.T, steps string, env []string, asked ...string) (string, int) {
	t.Helper()
	root := t.TempDir()
	script := ciTable.ReplaceAllString(ciScript(t), "${1}"+strings.ReplaceAll(steps, "$", "$$")+"\n$3")
	for name, text := range map[string]string{".ci/run": script} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("bash", append([]string{filepath.Join(root, ".ci", "run")}, asked...)...)
	cmd.Env = slices.Concat(os.Environ(), []string{"DEPTH=", "CI_LOGS=logs", "GOFLAGS=", "GOCACHE=" + filepath.Join(root, "cache")}, env) // a cache that may be cleared
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// The image for cards installs only packages that cuda-requirements.txt names by hash, and
// takes its base images as arguments, so that they can be digests.
func TestImageForCardsIsPinned(t *testing.T) {
	file := string(mustRead(t, "../../Dockerfile.cuda"))
	installs := regexp.MustCompile(`pip install[^\n]*`).FindAllString(file, -1)
	if len(installs) != 1 || !strings.Contains(installs[0], " --require-hashes ") || !strings.Contains(installs[0], " --requirement /cuda-requirements.txt") {
		t.Errorf("it installs by %q", installs)
	}
	for _, from := range regexp.MustCompile(`(?m)^FROM .*`).FindAllString(file, -1) {
		if name := regexp.MustCompile(`^FROM [a-z]+:\$\{(\w+)\}( AS \w+)?$`).FindStringSubmatch(from); name == nil || !strings.Contains(file, "\nARG "+name[1]+"=") {
			t.Errorf("%s names no argument", from)
		}
	}
	packages := 0
	for _, entry := range regexp.MustCompile(`(?m)^[a-z].*(?:\n .*)*`).FindAllString(string(mustRead(t, "../../cuda-requirements.txt")), -1) {
		packages++
		if !regexp.MustCompile(`^[a-z0-9-]+==[0-9.]+( \\\n    --hash=sha256:[0-9a-f]{64})+$`).MatchString(entry) {
			t.Errorf("no version and hashes: %s", entry)
		}
	}
	if packages < 10 {
		t.Errorf("%d packages", packages)
	}
}
