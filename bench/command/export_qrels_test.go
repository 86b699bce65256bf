package command

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/usage"
	"infbench/runners/rescore"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// scoredAgain scores a saved ranking against exported judgments.
func scoredAgain(t *testing.T, base, run string, scoring []results.Result) (mean map[string]*float64, queries map[string]map[string]*float64) {
	t.Helper()
	r := scoring[0]
	args := []string{"--complete", "--measure", r.Measure, "--run", run}
	switch side := string(r.Side); {
	case r.Measure == "p-MRR":
		args = append(args, "--changed", base+rescore.MovedEnding, "--run-before", run)
	case side != "":
		args = append(args, "--qrels", base+"."+side+".qrels")
	default:
		args = append(args, "--qrels", base+".qrels")
	}
	return scoreJSON(t, args...)
}

// A sweep's page reports how many test texts are in its training data. Every value of a run
// folder like the demo's, for each query and as a mean, is reproduced bit for bit by score
// from the exported judgments and the saved rankings.
func TestExportQrels(t *testing.T) {
	t.Chdir(t.TempDir())
	file := inFile(t, "x.yaml", fmt.Sprintf(`name: x
base: {data: mini-infir, backbone: %q, train: {epochs: 1, rows_per_group: 24, groups: 4}}
matrix: {loss: [uni(P)]}
baselines: [bm25, constant, untrained]
evaluate: [mini-followir, mini-mair, mini-bright]
`, smallBackbone(t)))
	verbOutput(t, "sweep", file)
	if page := fileText(t, "runs/x/report.html"); !strings.Contains(page, "mini-infir, world 1") || strings.Contains(page, "Not checked") {
		t.Error("the sweep's page does not list the texts of its benchmarks in its training data")
	}
	out := verbOutput(t, "export", "--format", "qrels", "--out", "judged", "runs/x")
	if !strings.HasPrefix(out, "judged: ") {
		t.Errorf("said %q", out)
	}
	exp, err := runs.At("runs/x").Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	cells := 0
	for i := range exp.Trials {
		trial := &exp.Trials[i]
		for _, scoring := range results.ByScoring(trial.Results) {
			r := scoring[0]
			base := filepath.Join("judged", results.TaskFile(r.Benchmark, r.Task))
			run := filepath.Join(runs.At("runs/x").Trial(trial.ID).Dir, results.RunName(r.Benchmark, r.Task))
			averages, values := scoredAgain(t, base, run, scoring)
			cells++
			for _, r := range scoring {
				query := r.Query
				if r.Side != datasets.None {
					query += map[datasets.Side]string{datasets.Original: "-og", datasets.Changed: "-changed"}[r.Side]
				}
				have := values[query][r.Measure]
				if (have == nil) != (r.Value == nil) || have != nil && *have != *r.Value {
					t.Errorf("%s on %s, %s, %s: %v, the run folder has %v", r.Measure, base, trial.Config[results.Model], query, have, r.Value)
				}
			}
			if mean, defined := results.Mean(scoring); defined > 0 && math.Abs(*averages[r.Measure]-mean) > 1e-12 {
				t.Errorf("%s on %s: mean %v, the run folder has %v", r.Measure, base, *averages[r.Measure], mean)
			}
		}
	}
	if cells < 4*(4*5+8+4) {
		t.Errorf("%d cells of 4 systems", cells)
	}
	lists := fileText(t, "judged/mini-followir.headline.candidates")
	if got, want := strings.Count(lists, "\n"), 2*datasets.MiniPairs*datasets.MiniCandidates; got != want {
		t.Errorf("%d candidates, want %d", got, want)
	}
	if _, err := os.Stat("judged/mini-bright.nature.candidates"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("candidates of a task that ranks its complete corpus: %v", err)
	}
	verbFails(t, usage.ExitUsage, "--format qrels needs --out", "export", "--format", "qrels", "runs/x")
}

// Worlds of one benchmark are different data, each in its own folder.
func TestExportQrelsOfWorlds(t *testing.T) {
	t.Chdir(t.TempDir())
	var dirs []string
	for _, world := range []string{"1", "2"} {
		dirs = append(dirs, "world"+world)
		verbOutput(t, "evaluate", "--model", "constant", "--data", "mini-bright", "--world", world, "--out", dirs[len(dirs)-1])
	}
	verbOutput(t, append([]string{"export", "--format", "qrels", "--out", "judged"}, dirs...)...)
	found, err := filepath.Glob("judged/*/mini-bright.*.qrels")
	if err != nil || len(found) != 2*4 {
		t.Errorf("%q, %v", found, err)
	}
}
