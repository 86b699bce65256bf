package command

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// A sweep validated by a measure where lower is better keeps the weights with the lowest
// value and picks the configuration with the lowest mean.
func TestSweepByLower(t *testing.T) {
	plan := crashPlan(t, func(c *spec.Cell) {
		c.Data = inFile(t, "train.jsonl", tripletLines(datasets.MiniInfIR(1)[:48]))
		c.Validate = spec.Validation{Data: spec.HeldOut, Queries: 8, Measure: "RBPResidual"}
		c.Train.Epochs, c.Train.RowsPerGroup, c.Train.EvaluateEvery = 2, 48, 1
	})
	plan.Select = spec.Select{On: spec.OnValidation, Per: []string{"backbone"}}
	dir := filepath.Join(t.TempDir(), plan.Name)
	if said, err := crashSweep(t, dir, plan, disk.OS{}); err != nil {
		t.Fatal(err, said)
	}
	exp, err := runs.At(dir).Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	lowest, picked, seen := math.Inf(1), math.NaN(), map[float64]bool{}
	for _, trial := range exp.Trials[:2] {
		best := slices.IndexFunc(trial.Evaluations, func(e results.Evaluation) bool { return e.Best })
		for _, e := range trial.Evaluations {
			seen[e.Value] = true
			if best < 0 || e.Value < trial.Evaluations[best].Value {
				t.Errorf("%s: the weights of evaluation %d were kept of %+v", trial.ID, best, trial.Evaluations)
			}
		}
		mean, err := runs.ValidationValue(trial.Validation)
		if err != nil {
			t.Fatal(err)
		}
		lowest = min(lowest, mean)
		if trial.Selection.On != "" {
			picked = mean
		}
	}
	if len(seen) < 4 || picked != lowest {
		t.Errorf("picked a mean of %v, the lowest is %v; evaluations %v", picked, lowest, seen)
	}
}

// A configuration that was picked on the test is marked in every row that includes it, in
// every format and projection; other rows are not marked.
func TestSelectedOnTestIsShown(t *testing.T) {
	plan := crashPlan(t)
	plan.Select = spec.Select{On: spec.OnTest, Measure: "nDCG@10", Per: []string{"backbone"}}
	dir := filepath.Join(t.TempDir(), "crash")
	if said, err := crashSweep(t, dir, plan, disk.OS{}); err != nil {
		t.Fatal(err, said)
	}
	exp, err := runs.At(dir).Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	var picked, other string
	for _, trial := range exp.Trials[:2] {
		if trial.Selection.On == spec.OnTest {
			picked = trial.Config["loss"]
		} else {
			other = trial.Config["loss"]
		}
	}
	if picked == "" || other == "" {
		t.Fatalf("picked %q, not %q: want one of each", picked, other)
	}
	const mark = "selected on test"
	for _, args := range [][]string{
		{"report", dir, "--format", "terminal"}, {"report", dir, "--format", "markdown"}, {"report", dir, "--format", "latex"},
		{"report", dir, "--format", "csv"}, {"report", dir, "--format", "json"}, {"report", dir, "--format", "html"},
		{"report", dir, "--row", "loss", "--col", "measure"}, {"report", dir, "--row", "loss", "--col", "measure", "--format", "csv"},
		{"report", dir, "--row", "benchmark", "--col", "measure"}, {"report", dir, "--row", "benchmark", "--col", "loss,measure"},
		{"report", dir, "--format", "markdown", "--pr", "--baseline", dir},
		{"export", dir, "--format", "csv"}, {"export", dir, "--format", "json"}, {"export", dir, "--format", "latex"},
	} {
		name := strings.Join(append(args[:1:1], args[2:]...), " ")
		out := verbOutput(t, args...)
		if !strings.Contains(out, mark) {
			t.Errorf("%s: no row has the mark %q", name, mark)
		}
		if strings.Contains(name, "json") || strings.Contains(name, "html") {
			continue // no lines
		}
		for line := range strings.Lines(out) {
			row, says := strings.Trim(strings.ReplaceAll(line, "\\", ""), "| \""), strings.Contains(line, mark)
			if strings.HasPrefix(row, other) && says {
				t.Errorf("%s: another row has the mark: %s", name, line)
			}
			if strings.HasPrefix(row, picked) && !says {
				t.Errorf("%s: a row of the pick lacks the mark: %s", name, line)
			}
		}
	}
}
