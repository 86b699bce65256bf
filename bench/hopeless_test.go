package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/datasets/atomicfile"
)

// simulated runs one cell against finished ones: queries with values of their own,
// noise of each cell and of each look, and lag on every query. It says whether the
// cell was stopped at any look.
func simulated(rng *rand.Rand, lag float64) bool {
	const queries, cells, looks = 100, 5, 10
	difficulty := make([]float64, queries)
	for q := range difficulty {
		difficulty[q] = rng.Float64()
	}
	draw := func(shift, noise float64) []float64 {
		values := make([]float64, queries)
		for q := range values {
			values[q] = difficulty[q] + shift + noise*rng.NormFloat64()
		}
		return values
	}
	named := func(values []float64) (map[string]*float64, float64) {
		m, sum := map[string]*float64{}, 0.0
		for q := range values {
			m[fmt.Sprintf("%03d", q)] = &values[q]
			sum += values[q]
		}
		return m, sum / queries
	}
	var rivals []rival
	for range cells {
		values, mean := named(draw(0, 0.2))
		rivals = append(rivals, rival{values: values, mean: mean})
	}
	own := draw(-lag, 0.2)
	for range looks {
		now := make([]float64, queries)
		for q := range now {
			now[q] = own[q] + 0.1*rng.NormFloat64()
		}
		values, _ := named(now)
		if judge(values, rivals, looks, 0.05).hopeless {
			return true
		}
	}
	return false
}

// TestJudgeErrorRate: a cell that is as good as the finished ones is stopped by
// chance in at most alpha of all sweeps, all its looks and the choice of the best
// rival counted; one that lags is stopped nearly always.
func TestJudgeErrorRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	const runs = 1000
	wrong, right := 0, 0
	for range runs {
		if simulated(rng, 0) {
			wrong++
		}
	}
	for range runs / 10 {
		if simulated(rng, 0.2) {
			right++
		}
	}
	t.Logf("stopped: %.3f of equal cells (alpha 0.05), %.2f of lagging ones", float64(wrong)/runs, float64(right)/(runs/10))
	if wrong > runs*5/100 {
		t.Errorf("%d of %d equal cells were stopped, want at most %d", wrong, runs, runs*5/100)
	}
	if right < runs/10*95/100 {
		t.Errorf("%d of %d lagging cells were stopped", right, runs/10)
	}
}

// TestJudge by hand: 25 differences of -0.5 and -0.3 in turn have a mean of -0.404
// and a standard deviation of 0.102; t(0.95, 24) is 1.711, so u = -0.369 (table of
// Student's t).
func TestJudge(t *testing.T) {
	values, best, worse := map[string]*float64{}, map[string]*float64{}, map[string]*float64{}
	for q := range 25 {
		x, y, z := 0.5-0.2*float64((q+1)%2), 0.8, 0.1
		name := fmt.Sprintf("%02d", q)
		values[name], best[name], worse[name] = &x, &y, &z
	}
	rivals := []rival{{id: "best", values: best, mean: 0.8}}
	v := judge(values, rivals, 1, 0.05)
	if !v.hopeless || v.rival != "best" || v.queries != 25 || fmt.Sprintf("%.3f %.3f", v.difference, v.upper) != "-0.404 -0.369" {
		t.Errorf("%+v", v)
	}
	both := append(rivals, rival{id: "worse", values: worse, mean: 0.1})
	if more := judge(values, both, 10, 0.05); more.rival != "best" || more.upper <= v.upper {
		t.Errorf("more looks and rivals: %+v, one: %+v", more, v)
	}
	both[1].gain = 0.4 // a late bloomer among the finished ones
	if v := judge(values, both, 1, 0.05); v.hopeless || v.gain != 0.4 {
		t.Errorf("a gain of 0.4 is still possible: %+v", v)
	}
	few := map[string]*float64{}
	for q := range leastQueries - 1 {
		few[fmt.Sprintf("%02d", q)] = values["00"]
	}
	if v := judge(few, rivals, 1, 0.05); v.hopeless {
		t.Error("stopped on too few queries")
	}
	if v := judge(values, nil, 1, 0.05); v.hopeless {
		t.Error("stopped without a rival")
	}
}

func TestGainFrom(t *testing.T) {
	list := []results.Evaluation{{Step: 10, Value: .1}, {Step: 20, Value: .3}, {Step: 30, Value: .2}, {Step: 40, Value: .6}}
	for share, want := range map[float64]string{0.2: "0.0 false", 0.25: "0.5 true", 0.5: "0.3 true", 0.75: "0.3 true", 1: "0.0 true"} {
		gain, known := gainFrom(list, share)
		if got := fmt.Sprintf("%.1f %t", gain, known); known && got != want || !known && want != "0.0 false" {
			t.Errorf("from %v: %s, want %s", share, got, want)
		}
	}
}

const hopelessSource = `name: race
base:
  validate: {measure: p-MRR, queries: 30}
  train: {epochs: 1, rows_per_group: 240, lr: 5e-3, evaluate_every: 3}
matrix: {loss: [uni(P), uni(IQ)]}
evaluate: [mini-bright]
stop_hopeless: {alpha: 0.05}
`

// TestStopHopeless: beside a finished cell that no one can catch up with a cell ends
// early, without a number, is shown with how far it came, and goes on when the plan
// no longer asks for that.
func TestStopHopeless(t *testing.T) {
	if testing.Short() {
		t.Skip("trains")
	}
	plan, err := planFrom(inFile(t, "race.yaml", hopelessSource))
	if err != nil {
		t.Fatal(err)
	}
	runs := t.TempDir()
	dir := filepath.Join(runs, plan.Name)
	if err := plan.Write(filepath.Join(dir, planFile)); err != nil {
		t.Fatal(err)
	}
	finishUnbeatable(t, trialDir(dir, plan.Trials[0].ID), &plan.Trials[0])
	cell := &plan.Trials[1]
	var last engine.Progress
	in := usual(&cell.Cell, func(p engine.Progress) { last = p })
	in.hopeless = newHopelessWatch(dir, plan, cell)
	if err := runTrial(context.Background(), dir, cell, in); err != nil {
		t.Fatal(err)
	}
	if last.Phase != stoppedPhase || last.Done >= last.Total {
		t.Errorf("the last report is %+v", last)
	}
	var got results.Trial
	if err := results.ReadTrial(trialDir(dir, cell.ID), &got); err != nil || got.State != results.Stopped || len(got.Results) > 0 {
		t.Fatalf("the trial reads %+v, %v", got, err)
	}
	words := fmt.Sprintf("stopped as hopeless after step %d of %d", last.Done, last.Total)
	for _, args := range [][]string{{"status", dir}, {"report", dir}, {"report", dir, "--format", "html"}} {
		if out := verbOutput(t, args...); !strings.Contains(out, words) {
			t.Errorf("%v printed\n%s\nwithout %q", args, out, words)
		}
	}
	if jobs, err := pending(dir, plan, t.Output()); err != nil || len(jobs) != 0 {
		t.Errorf("still to run: %v, %v", jobs, err)
	}
	plan.Stop = spec.StopHopeless{}
	if jobs, err := pending(dir, plan, t.Output()); err != nil || len(jobs) != 1 || isStopped(dir, cell.ID) {
		t.Errorf("without stop_hopeless: %v, %v", jobs, err)
	}
}

// finishUnbeatable makes up a finished trial that has the highest p-MRR there is on
// every held-out query from its first evaluation on.
func finishUnbeatable(t *testing.T, dir string, trial *spec.Trial) {
	t.Helper()
	var scores []results.Result
	for i := range trial.Cell.Validate.Queries {
		one := 1.0
		scores = append(scores, results.Result{Benchmark: "validation", Task: spec.HeldOut, Query: fmt.Sprintf("h%06d", i+1), Measure: "p-MRR", Value: &one})
	}
	fsys := atomicfile.OS{}
	if err := results.WriteValidation(fsys, dir, scores); err != nil {
		t.Fatal(err)
	}
	if err := results.WriteEvaluations(fsys, dir, []results.Evaluation{{Step: 1, Value: 1}, {Step: 15, Value: 1, Best: true}}); err != nil {
		t.Fatal(err)
	}
	score := 0.5
	test := []results.Result{{Benchmark: "mini-bright", Task: "biology", Query: "1", Measure: "nDCG@10", Value: &score}}
	if err := results.Complete(fsys, dir, settings(trial), test, results.Provenance{}); err != nil {
		t.Fatal(err)
	}
}
