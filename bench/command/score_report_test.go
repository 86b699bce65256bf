package command

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/metrics/trec"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// reportedCell is a cell of report --format json.
type reportedCell struct {
	Keys    map[string]string
	Value   *float64
	Queries int
}

// TestScoreEqualsReport compares every cell of a report, a number for each trial, task, side
// and measure, with infbench score on the saved run: judgments and run go through files, and
// none of the trial's own values is read. The experiment is a small one, or the run folder
// INFBENCH_RUNS.
func TestScoreEqualsReport(t *testing.T) {
	dirs := strings.Fields(os.Getenv("INFBENCH_RUNS"))
	if len(dirs) == 0 {
		dirs = smallEvaluations(t)
	}
	args := append([]string{"report"}, dirs...)
	args = append(args, "--row", "trial", "--col", "benchmark,task,side,measure", "--format", "json")
	var report struct{ Cells []reportedCell }
	if err := json.Unmarshal([]byte(verbOutput(t, args...)), &report); err != nil {
		t.Fatal(err)
	}
	exps, err := runs.LoadAll(dirs)
	if err != nil {
		t.Fatal(err)
	}
	scored := map[string]float64{}
	for _, exp := range exps {
		for i := range exp.Trials {
			scoreTrial(t, exp, &exp.Trials[i], scored)
		}
	}
	checked := 0
	for _, cell := range report.Cells {
		if cell.Value == nil {
			continue
		}
		k := cell.Keys
		name := strings.Join([]string{k["trial"], k["benchmark"], k["task"], k["side"], k["measure"]}, " ")
		want, ok := scored[name]
		if !ok {
			t.Errorf("%s: score has no such number", name)
			continue
		}
		if got, want := fmt.Sprintf("%.12f", 100*(*cell.Value)), fmt.Sprintf("%.12f", 100*want); got != want {
			t.Errorf("%s: the report says %s, score says %s", name, got, want)
		}
		checked++
	}
	if checked < 10 {
		t.Errorf("only %d of %d cells have a number", checked, len(report.Cells))
	}
	t.Logf("%d cells, each to 12 decimals", checked)
}

// smallEvaluations evaluates two models that need no training on tasks with and without
// pairs.
func smallEvaluations(t *testing.T) []string {
	t.Helper()
	var dirs []string
	for _, model := range []string{"bm25", "random"} {
		for _, data := range [][]string{{"mini-followir", "headline"}, {"mini-bright", "craft"}} {
			out := filepath.Join(t.TempDir(), model+"-"+data[0])
			verbOutput(t, "evaluate", "--model", model, "--data", data[0], "--task", data[1], "--out", out)
			dirs = append(dirs, out)
		}
	}
	return dirs
}

// scoreTrial scores every saved run of a trial.
func scoreTrial(t *testing.T, exp *results.Experiment, trial *results.Trial, into map[string]float64) {
	t.Helper()
	for _, described := range trial.Provenance.Benchmarks {
		var world uint64 = 1
		fmt.Sscan(trial.Config["world"], &world)
		b, err := catalog.LoadBenchmark(described.Name, world)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Tasks {
			task := &b.Tasks[i]
			at, err := runs.FolderOf(exp, trial)
			if err != nil {
				t.Fatal(err)
			}
			paths, err := filepath.Glob(filepath.Join(at.Dir, results.RunsDir, b.Name+"."+results.FileName(task.Name)+".trec*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range paths {
				for name, value := range scoreTask(t, task, path) {
					into[strings.Join([]string{trial.ID, b.Name, task.Name, name}, " ")] = value
				}
			}
		}
	}
}

// scoreTask scores one run file by "side measure". For a task with pairs it makes the input
// files of score: for each side the judgments and the run of that side, under the names of
// the pairs.
func scoreTask(t *testing.T, task *datasets.Task, path string) map[string]float64 {
	t.Helper()
	measures := map[datasets.Side][]string{}
	for _, s := range task.Scorings {
		measures[s.Side] = append(measures[s.Side], "--measure", s.Measure)
	}
	run, _, err := format.OpenRun(path, trec.Options{})
	if err != nil && !strings.Contains(err.Error(), "no rankings") {
		t.Fatal(err)
	}
	f := scoreFiles{t, t.TempDir()}
	out := map[string]float64{}
	for side, asked := range measures {
		of := func(p datasets.Pair) string {
			if side == datasets.Original {
				return p.Original
			}
			return p.Changed
		}
		args := append([]string{"score", "--format", "json", "--complete", "--run", f.run("run", task, run, of), "--qrels", f.qrels(task, of)}, asked...)
		if side == datasets.None && len(task.Pairs) > 0 {
			args = append(args, "--run-before", f.run("before", task, run, func(p datasets.Pair) string { return p.Original }), "--changed", f.changed(task))
		}
		var scores struct{ Mean map[string]*float64 }
		if err := json.Unmarshal([]byte(verbOutput(t, args...)), &scores); err != nil {
			t.Fatal(err)
		}
		for measure, value := range scores.Mean {
			if value != nil {
				out[string(side)+" "+measure] = *value
			}
		}
	}
	return out
}

// scoreFiles writes the input files of score.
type scoreFiles struct {
	t   *testing.T
	dir string
}

func (f scoreFiles) write(name string, write func(io.Writer) error) string {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	if err := disk.Write(path, write); err != nil {
		f.t.Fatal(err)
	}
	return path
}

// run writes one side of a run. A run without any ranking gets one for an unjudged query,
// since an empty file is an error.
func (f scoreFiles) run(name string, task *datasets.Task, run trec.Run, of func(datasets.Pair) string) string {
	side := trec.Run{"unjudged": {{Doc: "none", Score: 1}}}
	for query, ranking := range run {
		if len(task.Pairs) == 0 {
			side[query] = ranking
		}
	}
	for _, p := range task.Pairs {
		if ranking, ok := run[of(p)]; ok {
			side[p.ID] = ranking
		}
	}
	return f.write(name, func(w io.Writer) error { return trec.WriteRun(w, side, "saved") })
}

func (f scoreFiles) qrels(task *datasets.Task, of func(datasets.Pair) string) string {
	side := task.Qrels
	if len(task.Pairs) > 0 {
		side = trec.Qrels{}
		for _, p := range task.Pairs {
			side[p.ID] = task.Qrels[of(p)]
		}
	}
	return f.write("qrels", func(w io.Writer) error { return trec.WriteQrels(w, side) })
}

func (f scoreFiles) changed(task *datasets.Task) string {
	return f.write("changed", func(w io.Writer) error {
		for _, p := range task.Pairs {
			for _, doc := range p.Moved {
				if _, err := fmt.Fprintln(w, p.ID, doc); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
