package command

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// partedSweep trains a small network for a few steps: these tests need no meaningful numbers.
const partedSweep = `
name: parted
base: {backbone: %q, train: {epochs: 1, rows_per_group: 240}}
matrix: {seed: [1, 2]}
baselines: [bm25, random]
evaluate: [mini-bright]
`

// A plan split by --only and joined gives the numbers of the complete plan, under the same
// IDs; the page of a part is marked as a part.
func TestSweepInParts(t *testing.T) {
	file := inFile(t, "parts.yaml", fmt.Sprintf(partedSweep, smallBackbone(t)))
	folder := t.TempDir()
	in := func(name string, args ...string) string {
		return verbOutput(t, append([]string{"sweep", file, "--runs", filepath.Join(folder, name)}, args...)...)
	}
	whole := filepath.Join(folder, "whole", "parted")
	in("whole")
	in("one", "--only", "model=trained", "--only", "seed=1")
	in("two", "--only", "model=trained,bm25", "--only", "seed=2")
	in("two", "--only", "model=bm25,random") // one part after another
	one, two := filepath.Join(folder, "one", "parted"), filepath.Join(folder, "two", "parted")

	const remark = "A part of the experiment: 1 of 5 trials; --only model=trained --only seed=1."
	for _, args := range [][]string{{"status", one}, {"report", one}, {"plan", file, "--runs", filepath.Join(folder, "one"), "--only", "model=trained", "--only", "seed=1"}} {
		if out := verbOutput(t, args...); !strings.Contains(strings.Join(strings.Fields(out), " "), remark) {
			t.Errorf("%v says nothing of the part:\n%s", args, out)
		}
	}
	if page := mustRead(t, filepath.Join(one, runs.ReportFile)); !bytes.Contains(page, []byte("1 of 5 trials")) {
		t.Error("the page does not mention the part")
	}
	if out := verbOutput(t, "status", two); !strings.Contains(out, "4 of 5 trials; --only") || !strings.Contains(out, "4 done, 0 running, 0 failed, 0 waiting") {
		t.Errorf("status of two parts:\n%s", out)
	}

	merge := []string{"sweep", "--merge", one, two, "--runs", filepath.Join(folder, "joined")}
	joined := filepath.Join(folder, "joined", "parted")
	verbOutput(t, merge...)
	if got, want := numbers(t, joined), numbers(t, whole); !maps.Equal(got, want) {
		t.Errorf("%d files joined, %d in the complete sweep, or other bytes", len(got), len(want))
	}
	if !bytes.Equal(mustRead(t, filepath.Join(joined, runs.PlanFile)), mustRead(t, filepath.Join(whole, runs.PlanFile))) {
		t.Errorf("%s differs from that of the complete sweep", runs.PlanFile)
	}
	if out := verbOutput(t, "sweep", file, "--runs", filepath.Join(folder, "joined")); !strings.Contains(out, "all 5 trials are done") {
		t.Errorf("a sweep of the joined folder: %s", out)
	}
	verbOutput(t, "verify", filepath.Join(joined, runs.ReportFile), joined)

	t.Run("again copies nothing", func(t *testing.T) {
		var out, errs bytes.Buffer
		if code := run(merge, &out, &errs); code != exitOK || !strings.Contains(errs.String(), "0 trials copied, 5 already there, 0 not finished in any folder") {
			t.Errorf("exit %d: %s", code, errs.String())
		}
	})
	t.Run("a killed merge is completed", func(t *testing.T) {
		exp, err := runs.At(joined).Reader().Load()
		if err != nil {
			t.Fatal(err)
		}
		at := runs.At(joined).Trial(exp.Trials[0].ID)
		if err := os.Remove(filepath.Join(at.Dir, results.DoneFile)); err != nil {
			t.Fatal(err)
		}
		verbOutput(t, merge...)
		if err := at.Marker().Verify(); err != nil {
			t.Error(err)
		}
	})
	t.Run("other plans are refused", func(t *testing.T) {
		in("set", "--set", "train.epochs=2", "--only", "model=bm25")
		verbFails(t, exitFailure, "set on its command line: train.epochs=2, not nothing", "sweep", "--merge", one, filepath.Join(folder, "set", "parted"), "--runs", filepath.Join(folder, "x"))
		verbFails(t, usage.ExitUsage, "neither --set nor --only", "sweep", "--merge", one, "--only", "seed=1")
		verbFails(t, usage.ExitUsage, "accepts 1 arg(s), received 2", "sweep", one, two)
	})
	t.Run("other numbers and damage are refused", func(t *testing.T) {
		plan, err := runs.At(one).Plan()
		if err != nil {
			t.Fatal(err)
		}
		id := plan.Trials[0].ID
		at := runs.At(one).Trial(id)
		rewrite(t, filepath.Join(at.Dir, results.ScoresFile), []byte("{}\n"))
		verbFails(t, exitFailure, "scores.jsonl was changed", merge...)
		if err := at.Marker().Write(); err != nil {
			t.Fatal(err)
		}
		verbFails(t, exitFailure, "trial "+id+" (uni(P) seed=1) differs between "+runs.At(joined).Trial(id).Dir+" and "+at.Dir+": scores.jsonl", merge...)
	})
}

// A part of a changed file drops none of the planned trials that the file still has. Trials that it no
// longer has are listed as not planned, and removed only on request.
func TestPartOfChangedFile(t *testing.T) {
	backbone := smallBackbone(t)
	t.Chdir(t.TempDir())
	sweep := func(seeds string, args ...string) (stderr string) {
		t.Helper()
		file := inFile(t, "parts.yaml", strings.Replace(fmt.Sprintf(partedSweep, backbone), "[1, 2]", seeds, 1))
		var out, errs bytes.Buffer
		if code := run(append([]string{"sweep", file}, args...), &out, &errs); code != exitOK {
			t.Fatalf("exit %d: %s", code, errs.String())
		}
		return errs.String()
	}
	sweep("[1, 2]")
	wantIn(t, sweep("[1, 2, 3]", "--only", "seed=3", "--only", "model=trained"), "1 added, 0 dropped", "1 trials, 1 to run")
	wantIn(t, strings.Join(strings.Fields(verbOutput(t, "status")), " "), "6 done, 0 running, 0 failed, 0 waiting", "6 of 7 trials; --only seed=3 --only model=trained; and 5 trials of an earlier plan.")
	wantIn(t, sweep("[1, 2, 3]", "--only", "model=random"), "1 added, 0 dropped", "3 trials, 1 to run")
	if out := verbOutput(t, "status"); strings.Contains(out, "A part of") {
		t.Errorf("a complete plan is called a part:\n%s", out)
	}

	wantIn(t, sweep("[1]", "--only", "model=bm25"), "4 dropped")
	out := verbOutput(t, "status", "runs/parted")
	wantIn(t, out, "3 done, 0 running, 0 failed, 0 waiting, 4 no longer planned", "infbench retry runs/parted --discard unplanned")
	if strings.Count(out, "not planned") != 4 {
		t.Errorf("not every trial is listed:\n%s", out)
	}
	if out := verbOutput(t, "retry", "runs/parted", "--discard"); strings.Contains(out, "removed runs") {
		t.Errorf("trials were removed without a request: %s", out)
	}
	if out := verbOutput(t, "retry", "runs/parted", "--discard", "unplanned"); strings.Count(out, "removed") != 4 {
		t.Errorf("removed:\n%s", out)
	}
	if out := verbOutput(t, "status"); strings.Contains(out, "planned") {
		t.Errorf("something is left:\n%s", out)
	}
}

// One more baseline, and one more seed, run alone; plan, status and the page list the additions with their dates.
func TestSweepGrowsBySystems(t *testing.T) {
	backbone := smallBackbone(t)
	t.Chdir(t.TempDir())
	text := fmt.Sprintf(partedSweep, backbone)
	sweep := func() (stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run([]string{"sweep", inFile(t, "parts.yaml", text)}, &out, &errs); code != exitOK {
			t.Fatalf("exit %d: %s", code, errs.String())
		}
		return errs.String()
	}
	sweep()
	before := numbers(t, "runs/parted")
	text = strings.Replace(text, "[bm25, random]", "[bm25, random, constant]", 1)
	wantIn(t, sweep(), "1 added, 0 dropped, 0 altered, 5 as before", "6 trials, 1 to run")
	text = strings.Replace(text, "[1, 2]", "[1, 2, 3]", 1)
	today := time.Now().UTC().Format(time.DateOnly)
	wantIn(t, sweep(), "2 added, 0 dropped, 0 altered, 6 as before", "8 trials, 2 to run")
	for name, sum := range before {
		if numbers(t, "runs/parted")[name] != sum {
			t.Errorf("%s is another", name)
		}
	}
	text = strings.Replace(text, "[mini-bright]", "[mini-bright, mini-followir]", 1)
	wantIn(t, sweep(), "0 added, 0 dropped, 8 altered", "8 trials, 8 to run (3 with models that were trained before)")
	said := []string{
		"On " + today + " 1 trial was added: constant.", "On " + today + " 2 trials were added: uni(P) seed=3, random seed=3.",
		"On " + today + " 8 trials were replaced: evaluate: mini-bright -> mini-bright, mini-followir",
	}
	for _, args := range [][]string{{"plan", inFile(t, "parts.yaml", text)}, {"status"}, {"report", "runs/parted"}} {
		wantIn(t, strings.Join(strings.Fields(verbOutput(t, args...)), " "), said...)
	}
	page := string(mustRead(t, "runs/parted/report.html"))
	for _, text := range said[:2] {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	verbOutput(t, "verify", "runs/parted/report.html", "runs/parted")
	if again := sweep(); strings.Contains(again, "the plan changes") {
		t.Errorf("the same file again: %s", again)
	}
}

// The settings changed by --set are on the page, and make other trials.
func TestSweepSet(t *testing.T) {
	file := inFile(t, "small.yaml", smallSweep)
	before := verbOutput(t, "plan", file, "--runs", t.TempDir())
	after := verbOutput(t, "plan", file, "--runs", t.TempDir(), "--set", "train.lr=1e-4")
	if !strings.Contains(after, "Set on the command line: train.lr=1e-4.") || strings.Contains(before, "Set on") {
		t.Errorf("plan --set printed\n%s", after)
	}
	ids := func(out string) (trained, bm25 string) {
		for line := range strings.Lines(out) {
			switch f := strings.Fields(line); {
			case strings.Contains(line, "uni(P) seed=1"):
				trained = f[0]
			case len(f) > 2 && strings.HasSuffix(strings.TrimSpace(line), "bm25"):
				bm25 = f[0]
			}
		}
		return trained, bm25
	}
	trained, bm25 := ids(before)
	if again, same := ids(after); again == trained || again == "" || same != bm25 {
		t.Errorf("IDs %s and %s became %s and %s", trained, bm25, again, same)
	}
	verbFails(t, usage.ExitUsage, `did you mean "train.epochs"?`, "plan", file, "--set", "train.epoch=3")
	verbFails(t, usage.ExitUsage, `unknown value of seed "3"`, "sweep", file, "--only", "seed=3", "--runs", t.TempDir())
}

// A part needs only its own inputs, under the IDs of the complete plan: the other models are
// fetched on other machines, or never.
func TestPartNeedsItsModelsOnly(t *testing.T) {
	r := newRehearsal(t)
	r.run("data", "fetch", "followir-mteb1")
	file := filepath.Join(r.dir, "x.yaml")
	source := "name: x\nbaselines: [bm25, intfloat/e5-base-v2, GritLM/GritLM-7B]\nevaluate: [followir-mteb1]\n"
	rewrite(t, file, []byte(source))
	sweep := func(into string, only ...string) string {
		args := []string{"sweep", file, "--runs", into}
		for _, model := range only {
			args = append(args, "--only", "model="+model)
		}
		return r.run(args...)
	}
	sweep("one", "bm25")
	r.fails("infbench models fetch GritLM/GritLM-7B", "sweep", file, "--runs", "two", "--only", "model=GritLM/GritLM-7B")
	r.run("models", "fetch", "GritLM/GritLM-7B")
	sweep("two", "GritLM/GritLM-7B")
	plan := r.run("plan", file, "--only", "model=bm25,GritLM/GritLM-7B")
	if strings.Contains(plan, "models fetch") || !strings.Contains(plan, "time: ") {
		t.Errorf("plan of a part whose models are there:\n%s", plan)
	}
	if whole := r.run("plan", file); !strings.Contains(whole, "infbench models fetch intfloat/e5-base-v2") || strings.Contains(whole, "infbench models fetch GritLM") {
		t.Errorf("plan of the whole:\n%s", whole)
	}
	r.run("sweep", "--merge", "one/x", "two/x", "--runs", "joined")

	r.run("models", "fetch", "intfloat/e5-base-v2")
	sweep("whole")
	sweep("three", "intfloat/e5-base-v2")
	r.run("sweep", "--merge", "joined/x", "three/x", "--runs", "joined")
	got, want := numbers(t, filepath.Join(r.dir, "joined", "x")), numbers(t, filepath.Join(r.dir, "whole", "x"))
	if len(want) == 0 || !maps.Equal(got, want) {
		t.Errorf("%d files joined, %d in the complete sweep, or other bytes", len(got), len(want))
	}
	if now, was := mustRead(t, filepath.Join(r.dir, "joined/x/plan.json")), mustRead(t, filepath.Join(r.dir, "whole/x/plan.json")); !bytes.Equal(now, was) {
		t.Errorf("the joined plan is\n%s\nthe whole\n%s", now, was)
	}

	rewrite(t, file, []byte(strings.Replace(source, "[bm25, intfloat/e5-base-v2,", "[bm25, {model: intfloat/e5-base-v2, similarity: dot},", 1)))
	if err := os.RemoveAll(filepath.Join(r.home, "hub", "models--intfloat--e5-base-v2")); err != nil {
		t.Fatal(err)
	}
	sweep("four", "bm25")
	r.fails("trials with other settings", "sweep", "--merge", "two/x", "four/x", "--runs", "elsewhere")
}
