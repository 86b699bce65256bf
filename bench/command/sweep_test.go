package command

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// smallSweep trains for a few steps only: enough to exercise every part.
const smallSweep = `
name: small
base:
  train: {epochs: 1, rows_per_group: 240, lr: 5e-3}
matrix: {seed: [1, 2]}
baselines: [untrained, bm25]
evaluate: [mini-bright]
`

// numbers returns the hash of every ranking and scores file of a run folder by its name.
func numbers(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	sums := map[string][32]byte{}
	err := filepath.WalkDir(filepath.Join(dir, runs.TrialsDir), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir // moved aside
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".trec.gz") && d.Name() != results.ScoresFile {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		sums[rel] = sha256.Sum256(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// A sweep runs only the missing trials, gives the same bytes for any number of workers and
// processors, and detects damage.
func TestSweep(t *testing.T) {
	file := inFile(t, "small.yaml", smallSweep)
	folder := t.TempDir()
	dir := filepath.Join(folder, "small")
	sweepAgain := func(args ...string) (stdout, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(append([]string{"sweep", file, "--runs", folder}, args...), &out, &errs); code != exitOK {
			t.Fatalf("exit %d: %s", code, errs.String())
		}
		return out.String(), errs.String()
	}

	out, _ := sweepAgain("--workers", "2")
	for _, want := range []string{"uni(P)", "untrained", "bm25", "report.html"} {
		if !strings.Contains(out, want) {
			t.Errorf("the leaderboard lacks %q:\n%s", want, out)
		}
	}
	first := numbers(t, dir)
	if len(first) != 5*5 { // 5 trials, each with 4 tasks and a scores file
		t.Fatalf("%d files of numbers, want 25", len(first))
	}

	t.Run("plan and status read the files", func(t *testing.T) {
		if out := verbOutput(t, "status", dir); !strings.Contains(out, "5 done, 0 running, 0 failed, 0 waiting") {
			t.Errorf("status printed\n%s", out)
		}
		if out := verbOutput(t, "plan", file, "--runs", folder); !strings.Contains(out, "5 trials, 0 to run") {
			t.Errorf("plan printed\n%s", out)
		}
		if out := verbOutput(t, "plan", file, "--runs", folder, "--diff"); !strings.Contains(out, "nothing differs") {
			t.Errorf("plan --diff printed\n%s", out)
		}
		wider := inFile(t, "wider.yaml", strings.Replace(smallSweep, "[1, 2]", "[1, 2, 3]", 1))
		if out := verbOutput(t, "plan", wider, "--runs", folder, "--diff"); strings.Count(out, "\n") != 3 || !strings.Contains(out, "uni(P) seed=3") || !strings.Contains(out, "2 added, 0 dropped, 0 altered, 5 as before") {
			t.Errorf("plan --diff of a new seed printed\n%s", out)
		}
	})
	t.Run("again does nothing", func(t *testing.T) {
		if out, _ := sweepAgain(); !strings.Contains(out, "all 5 trials are done") {
			t.Errorf("output %q", out)
		}
	})
	// Two workers share the processors; one worker has them all (GOMAXPROCS).
	t.Run("a deleted trial alone is redone, on all processors, to the same bytes", func(t *testing.T) {
		exp, err := runs.At(dir).Reader().Load()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(runs.At(dir).Trial(exp.Trials[0].ID).Dir); err != nil {
			t.Fatal(err)
		}
		if _, errs := sweepAgain("--workers", "1"); !strings.Contains(errs, "5 trials, 1 to run") {
			t.Errorf("progress %q", errs)
		}
		if again := numbers(t, dir); !maps.Equal(again, first) {
			t.Error("rankings or scores differ")
		}
	})
	t.Run("a trial repeats to the same values", func(t *testing.T) {
		exp, err := runs.At(dir).Reader().Load()
		if err != nil {
			t.Fatal(err)
		}
		bm25 := exp.Trials[len(exp.Trials)-1]
		if out := verbOutput(t, "repeat", dir, bm25.ID); !strings.Contains(out, "all 160 values are the same") {
			t.Errorf("repeat printed\n%s", out)
		}
		verbFails(t, usage.ExitUsage, "is ambiguous", "repeat", dir, "")
		verbFails(t, usage.ExitUsage, "has no trial", "repeat", dir, "x")
	})
	t.Run("a system is named by its label", func(t *testing.T) {
		if out := verbOutput(t, "repeat", dir, "bm25"); !strings.Contains(out, "all 160 values are the same") {
			t.Errorf("repeat printed\n%s", out)
		}
		verbFails(t, usage.ExitUsage, "is ambiguous", "repeat", dir, "uni:P")
		out := verbOutput(t, "evaluate", "--model", dir+":uni:P seed=1", "--data", "mini-bright", "--out", filepath.Join(t.TempDir(), "e"))
		if !strings.Contains(out, "mini-bright") {
			t.Errorf("evaluate printed\n%s", out)
		}
		verbFails(t, usage.ExitUsage, `did you mean "uni:P`, "evaluate", "--model", dir+":uni:I", "--data", "mini-bright")
		if out := verbOutput(t, "diff", dir+":uni:P", dir+":untrained"); !strings.Contains(out, "untrained") || strings.Contains(out, "bm25") {
			t.Errorf("diff of two systems of a run printed\n%s", out)
		}
		if named := completions(t, "repeat", dir, ""); len(named) != 10 || !slices.Contains(named, "uni:P seed=1") {
			t.Errorf("completed %q, want five labels and as many IDs", named)
		}
	})
	t.Run("a damaged trial is named and redone", func(t *testing.T) {
		path := filepath.Join(dir, slices.Sorted(maps.Keys(first))[0])
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, errs := sweepAgain(); !strings.Contains(errs, "was changed; it is moved aside, and the trial runs again") {
			t.Errorf("progress %q", errs)
		}
		if again := numbers(t, dir); !maps.Equal(again, first) {
			t.Error("rankings or scores differ")
		}
	})
	t.Run("reports are the same bytes", func(t *testing.T) {
		for _, format := range []string{"html", "terminal", "csv", "json", "markdown", "latex"} {
			a := verbOutput(t, "report", dir, "--format", format)
			if b := verbOutput(t, "report", dir, "--format", format); a != b {
				t.Errorf("format %s differs", format)
			}
		}
	})
	t.Run("a trained encoder ranks a real collection", func(t *testing.T) {
		exp, err := runs.At(dir).Reader().Load()
		if err != nil {
			t.Fatal(err)
		}
		model := filepath.Join(dir, runs.TrialsDir, exp.Trials[0].ID, results.ModelDir)
		out := filepath.Join(t.TempDir(), "out")
		verbOutput(t, "evaluate", "--model", model, "--data", testkit.SharedPath(t, "data/scifact/beir"), "--out", out, "--measure", "R@100")
		if r := means(t, out)["R@100"]; r <= 0 || r > 1 {
			t.Errorf("R@100 = %v", r)
		}
	})
}

func TestSweepBadInput(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"key", "name: x\nevaluat: [mini-bright]", `unknown key "evaluat"; did you mean "evaluate"?`},
		{"loss", "name: x\nevaluate: [mini-bright]\nbase: {loss: uni(Q)}", `x.yaml:3:14: unknown loss "uni(Q)"`},
		{"benchmark", "name: x\nevaluate: [mini-brigt]", `did you mean "mini-bright"?`},
		{"backbone", "name: x\nevaluate: [mini-bright]\nbase: {backbone: tiny-bart}", `did you mean "tiny-bert"?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs := t.TempDir()
			verbFails(t, usage.ExitUsage, c.want, "sweep", inFile(t, "x.yaml", c.yaml), "--runs", runs)
			if left, _ := os.ReadDir(runs); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	verbFails(t, usage.ExitUsage, "no such file", "sweep", filepath.Join(t.TempDir(), "none.yaml"))
	blocked := inFile(t, "plain", "x")
	verbFails(t, usage.ExitUsage, "plain is a file, not a directory", "sweep", inFile(t, "x.yaml", "name: x\nevaluate: [mini-bright]"), "--runs", blocked)
	verbFails(t, usage.ExitUsage, "--workers: want at least 1", "sweep", inFile(t, "y.yaml", "name: x"), "--workers", "0")
}

func TestTrainWantsOneCell(t *testing.T) {
	verbFails(t, usage.ExitUsage, "has 2 cells; choose one with --set (seed has 2 values), as in --set seed=1", "train", inFile(t, "x.yaml", smallSweep))
	verbFails(t, usage.ExitUsage, `unknown key "sed"; did you mean "seed"?`, "train", inFile(t, "x.yaml", smallSweep), "--set", "sed=1")
}
