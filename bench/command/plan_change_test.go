package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// quickSweep has one cell, which takes a moment.
const quickSweep = "name: quick\nbaselines: [constant]\nevaluate: [mini-bright]\n"

// A sweep reports how a changed file changes the plan, and refuses a change that would drop
// cells of another running sweep.
func TestSweepChangesItsPlan(t *testing.T) {
	one, two := quickSweep, quickSweep+"# again\n"
	folder := t.TempDir()
	dir := filepath.Join(folder, "quick")
	path := runs.At(dir).PlanPath()
	sweep := func(source string) (code int, said string) {
		var out, errs strings.Builder
		code = run([]string{"sweep", inFile(t, "quick.yaml", source), "--runs", folder}, &out, &errs)
		return code, out.String() + errs.String()
	}
	if code, said := sweep(one); code != exitOK || strings.Contains(said, "the plan changes") {
		t.Fatalf("exit %d: %s", code, said)
	}
	if code, said := sweep(two); code != exitOK || !strings.Contains(said, "the plan changes: 0 added, 0 dropped, 0 altered, 1 as before") {
		t.Errorf("with a comment: exit %d: %s", code, said)
	}

	t.Run("a damaged plan is named and replaced", func(t *testing.T) {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{0, 20, len(whole) / 2, len(whole) - 3} {
			flipped := append([]byte(nil), whole...)
			flipped[at] ^= 4
			if err := os.WriteFile(path, flipped, 0o644); err != nil {
				t.Fatal(err)
			}
			verbFails(t, exitFailure, path, "status", dir)
			verbFails(t, exitFailure, path, "retry", dir)
			code, said := sweep(two)
			if now, err := os.ReadFile(path); code != exitOK || !strings.Contains(said, "warning: ") || !strings.Contains(said, path) || err != nil || string(now) != string(whole) {
				t.Errorf("byte %d: exit %d: %s, %v", at, code, said, err)
			}
		}
	})
	t.Run("not under the feet of a sweep", func(t *testing.T) {
		plan, err := spec.ReadPlan(path)
		if err != nil {
			t.Fatal(err)
		}
		lease, err := runs.At(dir).Leases().Take(t.Context(), plan.Trials[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		other := strings.Replace(one, "[constant]", "[document-order]", 1)
		if code, said := sweep(other); code != exitFailure || !strings.Contains(said, "the new plan drops 1 trials of "+path) {
			t.Errorf("exit %d: %s", code, said)
		}
		if err := lease.Release(); err != nil {
			t.Fatal(err)
		}
		if code, said := sweep(other); code != exitOK || !strings.Contains(said, "the plan changes: 1 added, 1 dropped, 0 altered, 0 as before") ||
			!strings.Contains(said, "1 of 1 finished cells are no longer planned; their results stay in "+filepath.Join(dir, "trials")) {
			t.Errorf("after it ended: exit %d: %s", code, said)
		}
	})
}

// A folder that is not a run folder is a usage error that suggests the nearest run folder.
func TestRunFoldersAreNamed(t *testing.T) {
	dir, _ := mixedRun(t)
	slip := dir[:len(dir)-1]
	for _, verb := range [][]string{{"status", slip}, {"retry", slip}, {"repeat", slip, "x"}, {"trial", slip, "x"}} {
		verbFails(t, usage.ExitUsage, "did you mean \""+dir+"\"?", verb...)
	}
	verbFails(t, usage.ExitUsage, "is not a run folder", "status", t.TempDir())
	verbFails(t, usage.ExitUsage, "no such file", "status", filepath.Join(t.TempDir(), "[x"))
}
