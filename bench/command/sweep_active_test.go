package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// drawnCells is an engine that makes up results; those of uni(I) are below the others. It
// dies after dies cells, or never if dies is 0.
type drawnCells struct {
	t      *testing.T
	folder runs.Folder
	plan   *spec.Plan
	dies   int
	ran    *[]string
	fails  map[string]int // how often a cell fails before it succeeds
}

var errKilled = errors.New("killed")

func (m drawnCells) Run(_ context.Context, jobs []engine.Job, report func(engine.Event)) error {
	for i, j := range jobs {
		if m.dies > 0 && i == m.dies {
			return errKilled
		}
		report(engine.Event{Job: j, Kind: engine.Started})
		at := slices.IndexFunc(m.plan.Trials, func(t spec.Trial) bool { return t.ID == j.ID })
		one := &m.plan.Trials[at]
		folder := results.Folder{Dir: m.folder.Trial(j.ID).Dir, Files: unsynced{}}
		if m.fails[j.ID] > 0 {
			m.fails[j.ID]--
			err := errors.New("read error")
			if err := errors.Join(folder.Writer().Trial(one.WriteYAML), folder.Failures().Add(results.Fault, err)); err != nil {
				m.t.Fatal(err)
			}
			report(engine.Event{Job: j, Kind: engine.Failed, Err: err})
			continue
		}
		h := fnv.New64()
		io.WriteString(h, one.Label)
		r := rand.New(rand.NewPCG(h.Sum64(), 1))
		mean := .5 + .02*r.NormFloat64()
		if one.Cell.Loss == "uni(I)" {
			mean -= .2
		}
		var scores []results.Result
		for q := range 12 {
			v := mean + .05*r.NormFloat64()
			scores = append(scores, results.Result{Benchmark: "mini-bright", Task: "biology", Query: fmt.Sprint("q", q), Measure: "nDCG@10", Value: &v})
		}
		p := results.Provenance{Infbench: "made up", Seconds: map[string]float64{"total": 60}}
		if err := errors.Join(folder.Writer().Trial(one.WriteYAML), folder.Writer().Complete(runs.Config(one), scores, p)); err != nil {
			m.t.Fatal(err)
		}
		*m.ran = append(*m.ran, j.ID)
		report(engine.Event{Job: j, Kind: engine.Succeeded})
	}
	return nil
}

// anActiveSweep makes the files of an active sweep in the working folder.
func anActiveSweep(t *testing.T) (file string, plan *spec.Plan) {
	t.Helper()
	t.Chdir(t.TempDir())
	file = inFile(t, "x.yaml", "name: chosen\nmatrix: {loss: [uni(P), uni(I), 'multi(P,I)'], seed: [1, 2, 3, 4, 5, 6, 7, 8]}\nevaluate: [mini-bright]")
	plan, err := new(narrowing).plan(file)
	if err != nil {
		t.Fatal(err)
	}
	claims := `claims:
  - {id: passages, says: passages are needed, where: here, test: better, measure: nDCG@10, on: mini-bright, system: {loss: uni(P)}, against: {loss: uni(I)}, command: infbench sweep x.yaml}
  - {id: best, says: the joint loss is the best, where: here, test: best, measure: nDCG@10, on: mini-bright, system: {loss: "multi(P,I)"}, command: infbench sweep x.yaml}
  - {id: alike, says: two are alike, where: here, test: equal, margin: 2, measure: nDCG@10, on: mini-bright, system: {loss: uni(P)}, against: {loss: "multi(P,I)"}, command: infbench sweep x.yaml}
`
	if err := os.WriteFile("claims.yaml", []byte(claims), 0o666); err != nil {
		t.Fatal(err)
	}
	return file, plan
}

// activeSweep is the sweep in a folder.
func activeSweep(t *testing.T, dir string, plan *spec.Plan, more ...string) *sweepRun {
	t.Helper()
	var o sweepOptions
	cmd := &cobra.Command{}
	o.active.AddFlags(cmd)
	o.register(cmd)
	if err := cmd.ParseFlags(append([]string{"--active", "--claims", "claims.yaml", "--cells", "70%", "--workers", "2"}, more...)); err != nil {
		t.Fatal(err)
	}
	return newSweepRun(o, runs.Folder{Dir: dir, Files: disk.OS{}}, plan, io.Discard, io.Discard)
}

// sweepActively runs it by an engine that dies after a number of cells.
func sweepActively(t *testing.T, dir string, plan *spec.Plan, dies int, ran *[]string, more ...string) error {
	t.Helper()
	s := activeSweep(t, dir, plan, more...)
	s.newEngine = func(folder runs.Folder, _ int, _ func(string)) (engine.Engine, error) {
		return drawnCells{t, folder, plan, dies, ran, nil}, nil
	}
	return s.runActively(t.Context())
}

// An active sweep decides a clear claim with some of its cells. A sweep killed after every
// second cell takes the same decisions and runs the same cells, each once.
func TestActiveSweep(t *testing.T) {
	_, plan := anActiveSweep(t)
	var ran, again []string
	if err := sweepActively(t, "runs/chosen", plan, 0, &ran); err != nil {
		t.Fatal(err)
	}
	for tries := 0; ; tries++ {
		err := sweepActively(t, "killed/chosen", plan, 1, &again)
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) || tries > 100 {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile("runs/chosen/active.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	resumed, err := os.ReadFile("killed/chosen/active.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ran)
	slices.Sort(again)
	if !bytes.Equal(whole, resumed) || !slices.Equal(ran, again) || len(slices.Compact(ran)) != len(again) {
		t.Errorf("killed and resumed, the sweep decides otherwise:\n%s\n%s", whole, resumed)
	}
	log, err := runs.At("runs/chosen").Rounds().Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, verdicts := log.Verdicts(); verdicts["passages"] != "holds" || verdicts["best"] != "not shown" || len(verdicts) != 2 {
		t.Errorf("verdicts %v", verdicts)
	}
	if n := len(plan.Trials); len(ran) > n*7/10 || len(ran) < 8 {
		t.Errorf("%d of %d cells were run, at most 70 %% may be", len(ran), n)
	}

	out := verbOutput(t, "status", "runs/chosen")
	for _, want := range []string{"Active sweep, round", "It ended:", "passages", "above", "best"} {
		if !strings.Contains(out, want) {
			t.Errorf("status lacks %q:\n%s", want, out)
		}
	}
	if out := verbOutput(t, "status", "runs/chosen", "--format", "json"); !strings.Contains(out, "round 1: drawn for the start") || !strings.Contains(out, "variance of") {
		t.Errorf("status does not say why a cell was chosen:\n%s", out)
	}
	out = verbOutput(t, "claims", "claims.yaml", "runs/chosen")
	for _, want := range []string{
		"1 hold, 0 reversed, 1 not shown, 1 not run", "holds, by its sequence", "not shown, by its sequence (uni(P))", "decided it after 16 cells; at most 5 %",
		"only the verdicts of its sequence hold; it does not decide this one: it is about no difference",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("claims lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "<0.0001") || strings.Contains(out, "no value from") {
		t.Errorf("a bare test is made of a sweep that its data ended, or what it left out is listed:\n%s", out)
	}
	text := strings.Replace(string(mustRead(t, "claims.yaml")), "passages are needed", "other words", 1)
	if err := os.WriteFile("others.yaml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out := verbOutput(t, "claims", "others.yaml", "runs/chosen"); !strings.Contains(out, "0 hold, 0 reversed, 0 not shown, 3 not run") {
		t.Errorf("claims that the sweep did not state are judged by it:\n%s", out)
	}
	if out := verbOutput(t, "report", "runs/chosen"); !strings.Contains(out, "passages holds, best not shown") {
		t.Errorf("the report does not say what the sequence says:\n%s", out)
	}

	out = verbOutput(t, "report", "runs/chosen", "--all")
	for _, test := range []string{"corrected by Holm over those pairs", "may be best", "systems may be", "Bartlett's test", "nothing is there to compare it with"} {
		if strings.Contains(out, test) {
			t.Errorf("the report tests what results chose, or says that nothing is there: %q\n%s", test, out)
		}
	}

	page := verbOutput(t, "report", "runs/chosen", "--format", "html", "--out", "page.html") + string(mustRead(t, "page.html"))
	for _, want := range []string{"Cells chosen by results", "drawn for the start", "variance of ", "shown in this round", "passages above", "Not decided: alike", "makes other tests"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if out := verbOutput(t, "verify", "page.html", "--runs", "runs/chosen"); strings.Contains(out, "differs") {
		t.Error(out)
	}

	// The remaining cells can be run: then all cells exist, whatever they show, and tests are
	// valid.
	s := newSweepRun(sweepOptions{workers: 2}, runs.At("runs/chosen"), plan, io.Discard, io.Discard)
	s.newEngine = func(folder runs.Folder, _ int, _ func(string)) (engine.Engine, error) {
		return drawnCells{t, folder, plan, 0, &ran, nil}, nil
	}
	if err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out := verbOutput(t, "claims", "claims.yaml", "runs/chosen"); !strings.Contains(out, "1 hold,") {
		t.Errorf("no test of a whole sweep:\n%s", out)
	}
}

// A cell that fails once changes nothing, since the disk or host may be the cause; a cell
// that fails again is given up, and the sweep goes on without it.
func TestActiveSweepOfFailedCells(t *testing.T) {
	_, plan := anActiveSweep(t)
	var calm []string
	if err := sweepActively(t, "calm/chosen", plan, 0, &calm); err != nil {
		t.Fatal(err)
	}
	for times, want := range []string{1: "", 2: "1 of 24 trials failed"} {
		if times == 0 {
			continue
		}
		var ran []string
		dir := fmt.Sprintf("failed%d/chosen", times)
		s, fails := activeSweep(t, dir, plan), map[string]int{calm[3]: times}
		s.newEngine = func(folder runs.Folder, _ int, _ func(string)) (engine.Engine, error) {
			return drawnCells{t, folder, plan, 0, &ran, fails}, nil
		}
		err := s.runActively(t.Context())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("a cell that fails %d times: %v, want %q", times, err, want)
		}
		if same := bytes.Equal(mustRead(t, "calm/chosen/active.jsonl"), mustRead(t, filepath.Join(dir, "active.jsonl"))); same != (times == 1) {
			t.Errorf("a cell that fails %d times: the same decisions: %t", times, same)
		}
		if slices.Contains(ran, calm[3]) != (times == 1) {
			t.Errorf("a cell that fails %d times ran: %t", times, times != 1)
		}
	}
}

// A changed log, results other than those used for the decisions, and settings other than at
// the start are refused, with the line.
func TestActiveSweepRefuses(t *testing.T) {
	file, plan := anActiveSweep(t)
	var ran []string
	dir := filepath.Join("runs", "chosen")
	if err := sweepActively(t, dir, plan, 0, &ran); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, runs.ActiveFile)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what, want string, more ...string) {
		t.Helper()
		if err := sweepActively(t, dir, plan, 0, &ran, more...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	refused("another alpha", "began with --alpha 0.05, found 0.2", "--alpha", "0.2")
	refused("another budget", "began with --cells", "--cells", "8")
	refused("another draw", "began with --start 1, found 9", "--start", "9")
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i, change := range map[int]string{1: `"round":1`, 2: `"round":2`} {
		changed := slices.Clone(lines)
		changed[i] = bytes.Replace(changed[i], []byte(change), []byte(change+"0"), 1)
		if err := os.WriteFile(log, bytes.Join(changed, nil), 0o666); err != nil {
			t.Fatal(err)
		}
		refused("a changed line", fmt.Sprintf("active.jsonl:%d: ", i+1))
		verbFails(t, exitFailure, fmt.Sprintf("runs/chosen/active.jsonl:%d: ", i+1), "verify", dir)
		verbFails(t, exitFailure, fmt.Sprintf("runs/chosen/active.jsonl:%d: ", i+1), "sweep", file)
	}
	if err := os.WriteFile(log, bytes.Join(lines[:len(lines)-2], nil), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := sweepActively(t, dir, plan, 0, &ran); err != nil {
		t.Errorf("a log without its last rounds: %v", err)
	}
	if now, _ := os.ReadFile(log); !bytes.Equal(now, text) {
		t.Errorf("the rounds that were lost come out otherwise:\n%s\n%s", text, now)
	}
}

// Flags that do not go together are a usage error.
func TestActiveFlags(t *testing.T) {
	file, _ := anActiveSweep(t)
	for want, args := range map[string]string{
		"--claims is for --active":        "--claims claims.yaml",
		"--cells is for --active":         "--cells 9",
		"--active needs --claims FILE":    "--active",
		"--alpha: want a number above 0":  "--active --claims claims.yaml --alpha 0",
		"--start: want at least 1":        "--active --claims claims.yaml --start 0",
		"--cells: want a number of cells": "--active --claims claims.yaml --cells 0%",
		"leave out --detach":              "--active --claims claims.yaml --engine slurm --detach",
	} {
		verbFails(t, usage.ExitUsage, want, append([]string{"sweep", file}, strings.Fields(args)...)...)
	}
}

// A budget below the first draw, and a plan no larger than it, are refused before anything is
// written.
func TestActiveSweepTooSmall(t *testing.T) {
	file, plan := anActiveSweep(t)
	var ran []string
	err := sweepActively(t, "runs/chosen", plan, 0, &ran, "--cells", "5")
	if want := "--cells (by default 40% of all): 5 of 24 cells are fewer than the first round, which has 8"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	few := inFile(t, "few.yaml", strings.Replace(string(mustRead(t, file)), ", 3, 4, 5, 6, 7, 8", "", 1))
	verbFails(t, usage.ExitUsage, "6 cells are too few to choose from: the first round alone has 8; leave out --active", "sweep", few, "--active", "--claims", "claims.yaml")
	if _, err := os.Stat("runs"); len(ran) > 0 || !os.IsNotExist(err) {
		t.Errorf("%d cells were run, or something was written", len(ran))
	}
}

// If some cells were finished before, a sweep chooses as if they were not, runs none again,
// and reports the basis of its error rate; if all were finished, there is nothing to choose.
func TestActiveSweepOfFinishedCells(t *testing.T) {
	_, plan := anActiveSweep(t)
	var fresh, before, ran []string
	if err := sweepActively(t, "fresh/chosen", plan, 0, &fresh); err != nil {
		t.Fatal(err)
	}
	all := newSweepRun(sweepOptions{workers: 2}, runs.At("runs/chosen"), plan, io.Discard, io.Discard)
	all.newEngine = func(folder runs.Folder, _ int, _ func(string)) (engine.Engine, error) {
		return drawnCells{t, folder, plan, 10, &before, nil}, nil
	}
	if err := all.run(t.Context()); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if err := sweepActively(t, "runs/chosen", plan, 0, &ran); err != nil {
		t.Fatal(err)
	}
	again, err := runs.At("runs/chosen").Rounds().Read()
	if err != nil {
		t.Fatal(err)
	}
	if first, _ := runs.At("fresh/chosen").Rounds().Read(); !reflect.DeepEqual(first.Rounds, again.Rounds) {
		t.Error("the existing cells changed the choice")
	}
	if slices.ContainsFunc(ran, func(id string) bool { return slices.Contains(before, id) }) {
		t.Error("cells that were there were run again")
	}
	for _, args := range []string{"status runs/chosen", "report runs/chosen"} {
		if out := strings.Join(strings.Fields(verbOutput(t, strings.Fields(args)...)), " "); !strings.Contains(out, "10 cells were finished before the claims of this active sweep were stated") {
			t.Errorf("%s does not say what its error rate rests on:\n%s", args, out)
		}
	}

	all.newEngine = func(folder runs.Folder, _ int, _ func(string)) (engine.Engine, error) {
		return drawnCells{t, folder, plan, 0, &ran, nil}, nil
	}
	if err := errors.Join(all.run(t.Context()), os.Remove(filepath.Join("runs", "chosen", runs.ActiveFile))); err != nil {
		t.Fatal(err)
	}
	want := "all 24 cells of runs/chosen are finished, so no cell can be chosen: infbench claims claims.yaml runs/chosen judges all of them"
	if err := sweepActively(t, "runs/chosen", plan, 0, &ran); err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}

// asked returns claims.yaml with some words of a claim replaced.
func asked(t *testing.T, was, now string) {
	t.Helper()
	if err := os.WriteFile("claims.yaml", []byte(strings.ReplaceAll(`claims:
  - {id: passages, says: passages are needed, where: here, test: better, measure: nDCG@10, on: mini-bright, system: {loss: uni(P)}, against: {loss: uni(I)}, command: infbench sweep x.yaml}
`, was, now)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Claims that the planned systems cannot decide are refused before a cell runs for them; if
// only the results show that, the sweep can start over with the existing cells.
func TestActiveClaimsOfOthers(t *testing.T) {
	_, plan := anActiveSweep(t)
	var ran []string
	for now, want := range map[string]string{
		"uni(Z)":        "passages: loss=uni(Z) (did you mean uni(P)?) is not planned",
		`"multi(P,IQ)"`: "passages: loss=multi(P,IQ) (did you mean multi(P,I)?) is not planned",
	} {
		asked(t, "uni(I)", now)
		if err := sweepActively(t, "runs/chosen", plan, 0, &ran); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	asked(t, "test: better", "test: equal, margin: 2")
	if err := sweepActively(t, "runs/chosen", plan, 0, &ran); err == nil || !strings.Contains(err.Error(), "it is about no difference") {
		t.Error(err)
	}
	if _, err := os.Stat("runs"); len(ran) > 0 || !os.IsNotExist(err) {
		t.Errorf("%d cells were run for claims that nothing can decide, and something was written", len(ran))
	}
	asked(t, "nDCG@10", "RR@10")
	log := filepath.Join("runs", "chosen", runs.ActiveFile)
	if err := sweepActively(t, "runs/chosen", plan, 0, &ran); err == nil || !strings.Contains(err.Error(), "no RR@10 on mini-bright") || !strings.Contains(err.Error(), "delete "+log+", and the same command starts again") {
		t.Error(err)
	}
	asked(t, "", "")
	began := len(ran)
	if err := errors.Join(os.Remove(log), sweepActively(t, "runs/chosen", plan, 0, &ran)); err != nil {
		t.Fatal(err)
	}
	if slices.Sort(ran); began == 0 || len(slices.Compact(slices.Clone(ran))) != len(ran) {
		t.Errorf("cells that were there were run again: %q", ran)
	}
}

// The same command goes on, even with more cells; another plan is refused before anything is
// written, and a lost trial runs again.
func TestActiveSweepAgain(t *testing.T) {
	file, plan := anActiveSweep(t)
	dir := filepath.Join("runs", "chosen")
	var ran []string
	for range 2 {
		if err := sweepActively(t, dir, plan, 0, &ran, "--cells", "1000"); err != nil {
			t.Fatal(err)
		}
	}
	log, frozen := mustRead(t, filepath.Join(dir, runs.ActiveFile)), mustRead(t, filepath.Join(dir, runs.PlanFile))
	text := string(mustRead(t, file))
	for what, seeds := range map[string]string{"more": "7, 8, 9", "fewer": "7"} {
		other := inFile(t, what+".yaml", strings.Replace(text, "7, 8", seeds, 1))
		verbFails(t, exitFailure, "the plan has other cells than when this active sweep began", "sweep", other, "--active")
		if !bytes.Equal(frozen, mustRead(t, filepath.Join(dir, runs.PlanFile))) {
			t.Fatalf("%s seeds: the plan of an active sweep was changed by a command that was refused", what)
		}
	}
	fewer := inFile(t, "fewer.yaml", strings.Replace(text, "7, 8", "7", 1))
	verbFails(t, exitFailure, "the new plan drops 3 trials of runs/chosen/plan.json, an active sweep", "sweep", fewer)

	first := ran[0]
	ran = nil
	if err := errors.Join(os.RemoveAll(runs.At(dir).Trial(first).Dir), sweepActively(t, dir, plan, 0, &ran, "--cells", "1000")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ran, []string{first}) || !bytes.Equal(log, mustRead(t, filepath.Join(dir, runs.ActiveFile))) {
		t.Errorf("one trial was lost, %q were run, or it was decided otherwise", ran)
	}
}

// A process that finds rounds written by another, and decides the same, goes on after them.
func TestActiveRoundsOfAnother(t *testing.T) {
	at := runs.Folder{Dir: t.TempDir(), Files: disk.OS{}}
	one, err := at.Rounds().Begin(results.ActiveSettings{Claims: "c.yaml", Budget: 4})
	if err != nil {
		t.Fatal(err)
	}
	other, err := at.Rounds().Begin(results.ActiveSettings{Claims: "c.yaml", Budget: 4, Round: 9})
	if err != nil || other.Round != one.Round {
		t.Fatalf("%v, rounds of %d: the second process must go on from the first one's rounds", err, other.Round)
	}
	round := func(n int, id string) results.ActiveRound {
		return results.ActiveRound{Round: n, Cells: []results.ActiveCell{{ID: id}}}
	}
	if err := errors.Join(at.Rounds().Add(one, round(1, "a")), at.Rounds().Add(one, round(2, "b"))); err != nil {
		t.Fatal(err)
	}
	if err := at.Rounds().Add(other, round(1, "a")); err != nil || len(other.Rounds) != 2 {
		t.Fatalf("%v, %d rounds, want the 2 that another wrote", err, len(other.Rounds))
	}
	if err := at.Rounds().Add(one, round(3, "c")); err != nil {
		t.Fatal(err)
	}
	if err := at.Rounds().Add(other, round(3, "d")); err == nil || !strings.Contains(err.Error(), "another process has continued it") {
		t.Errorf("another decision: %v", err)
	}
}

// Merging the cells chosen by an active sweep would hide the choice, so all cells must exist.
func TestActiveSweepIsNotMerged(t *testing.T) {
	_, plan := anActiveSweep(t)
	var ran []string
	dir := filepath.Join("runs", "chosen")
	if err := sweepActively(t, dir, plan, 0, &ran); err != nil {
		t.Fatal(err)
	}
	merge := []string{"sweep", "--merge", dir, "--runs", "joined"}
	verbFails(t, exitFailure, "runs/chosen has trials that an active sweep chose by their results", merge...)
	verbFails(t, usage.ExitUsage, "runs nothing: leave out --active", append(merge, "--active")...)
	verbFails(t, usage.ExitUsage, "--claims is for --active", append(merge, "--claims", "claims.yaml")...)
	if _, err := os.Stat("joined/chosen/plan.json"); err == nil {
		t.Error("something was written")
	}
}

// While an active sweep has cells that have not run, no command tests two of its rankings;
// after all have run, nothing counts as chosen.
func TestNoBareTestOfChosenRuns(t *testing.T) {
	_, plan := anActiveSweep(t)
	var ran []string
	if err := sweepActively(t, "runs/chosen", plan, 0, &ran); err != nil {
		t.Fatal(err)
	}
	at := runs.At("runs/chosen")
	rank := func(id, text string) string {
		dir := filepath.Join(at.Trial(id).Dir, results.RunsDir)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "biology.trec")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	said := func(args ...string) (code int, text string) {
		var stderr bytes.Buffer
		return run(args, io.Discard, &stderr), stderr.String()
	}
	qrels := inFile(t, "qrels.txt", "q1 0 d1 1\nq2 0 d1 1\nq3 0 d2 1\n")
	a := rank(ran[0], "q1 Q0 d1 1 2 a\nq2 Q0 d1 1 2 a\nq3 Q0 d2 1 2 a\n")
	b := rank(ran[1], "q1 Q0 d2 1 2 b\nq2 Q0 d2 1 2 b\nq3 Q0 d1 1 2 b\n")
	link := filepath.Join(t.TempDir(), "link.trec")
	there, err := filepath.Abs(a)
	if err := errors.Join(err, os.Symlink(there, link)); err != nil {
		t.Fatal(err)
	}
	elsewhere := inFile(t, "elsewhere.trec", "q1 Q0 d1 1 2 c\nq2 Q0 d2 1 2 c\nq3 Q0 d2 1 2 c\n")
	for _, pair := range [][]string{{a, b}, {elsewhere, b}, {link, elsewhere}, {elsewhere, elsewhere + "," + b}} {
		code, text := said(append([]string{"compare", "--qrels", qrels}, pair...)...)
		if code != exitFailure || !strings.Contains(text, "its sweep chose cells by their results") {
			t.Errorf("compare %v: exit %d, %s", pair, code, text)
		}
	}
	if code, text := said("score", "--run", a, "--qrels", qrels); code != exitOK {
		t.Errorf("scoring a run is not a test: exit %d, %s", code, text)
	}
	if len(ran) == len(plan.Trials) {
		t.Fatal("all cells were run")
	}
	for i := range plan.Trials {
		one := &plan.Trials[i]
		if folder := at.Trial(one.ID); !slices.Contains(ran, one.ID) {
			if err := errors.Join(folder.Writer().Trial(one.WriteYAML), folder.Writer().Complete(runs.Config(one), nil, results.Provenance{Infbench: "made up"})); err != nil {
				t.Fatal(err)
			}
		}
	}
	if code, text := said("compare", "--qrels", qrels, a, b); code != exitOK {
		t.Errorf("all cells are run: exit %d, %s", code, text)
	}
}
