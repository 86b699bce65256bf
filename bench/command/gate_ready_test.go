package command

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"infbench/bench/experiments"
	"infbench/reports/gate"
	"infbench/runners/catalog"
	"infbench/runners/spec"
)

// The shipped rules parse.
func TestReadyRules(t *testing.T) {
	const file = "../../.github/gate.yaml"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if rules, err := gate.ParseRules(file, data, catalog.CanonicalMeasure); err != nil || len(rules) != 2 {
		t.Errorf("%d rules, %v", len(rules), err)
	}
}

// TestReadyExperiment: the experiment of the workflow trains each system with three seeds, so
// that its gate distinguishes a change from another seed.
func TestReadyExperiment(t *testing.T) {
	data, err := os.ReadFile("../../.github/workflows/leaderboard.yml")
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(data, &w); err != nil {
		t.Fatal(err)
	}
	file, ok := strings.CutPrefix(w.Env["MEASURE"], "infbench sweep bench/experiments/")
	if !ok || w.Env["RUNS"] != "runs/"+strings.TrimSuffix(file, ".yaml") {
		t.Fatalf("the workflow measures %q, and gates %q", w.Env["MEASURE"], w.Env["RUNS"])
	}
	e, err := catalog.Parse(file, []byte(experiments.Text(strings.TrimSuffix(file, ".yaml"))))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := e.Expand(catalog.Revisions{}.Resolve)
	if err != nil {
		t.Fatal(err)
	}
	seeds := map[string]int{}
	for _, trial := range plan.Trials {
		if trial.Cell.Model == spec.Trained {
			seeds[fmt.Sprint(trial.Cell.Loss)]++
		}
	}
	for loss, n := range seeds {
		if n < 3 {
			t.Errorf("%s has %d seeds", loss, n)
		}
	}
	if len(seeds) != 11 {
		t.Errorf("%d losses, want 11", len(seeds))
	}
}
