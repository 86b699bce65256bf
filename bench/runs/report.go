package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"infbench/bench/results"
	"infbench/bench/selection"
	"infbench/bench/spec"
)

// LoadExperiments loads the named run folders, or all below runs/.
func LoadExperiments(dirs []string) ([]*results.Experiment, error) {
	if len(dirs) == 0 {
		var err error
		if dirs, err = Names(); err != nil {
			return nil, err
		}
	}
	var exps []*results.Experiment
	for _, dir := range dirs {
		exp, err := LoadExperiment(dir)
		if err != nil {
			return nil, err
		}
		AddParameters(exp)
		exps = append(exps, exp)
	}
	return exps, nil
}

// LoadExperiment reads a run folder of a sweep, or the folder of one
// evaluation.
func LoadExperiment(dir string) (*results.Experiment, error) {
	plan, err := spec.ReadPlan(filepath.Join(dir, PlanFile))
	if errors.Is(err, fs.ErrNotExist) {
		if IsImport(dir) {
			return loadImport(dir)
		}
		return loadEvaluation(dir)
	}
	if err != nil {
		return nil, err
	}
	exp := &results.Experiment{Name: plan.Name, Dir: dir}
	for i := range plan.Trials {
		t := results.Trial{ID: plan.Trials[i].ID, Config: Settings(&plan.Trials[i])}
		if err := results.ReadTrial(filepath.Join(dir, TrialsDir, t.ID), &t); err != nil {
			return nil, fmt.Errorf("read trial %s: %w", plan.Trials[i].Label, err)
		}
		exp.Trials = append(exp.Trials, t)
	}
	selection.MarkSelected(plan, exp)
	return exp, nil
}

// loadEvaluation reads the folder of one evaluation as an experiment of one
// trial.
func loadEvaluation(dir string) (*results.Experiment, error) {
	if _, err := os.Stat(filepath.Join(dir, results.DoneFile)); err != nil {
		return nil, fmt.Errorf("%s is no run folder: neither %s nor %s is there", dir, PlanFile, results.DoneFile)
	}
	name := filepath.Base(filepath.Clean(dir))
	t := results.Trial{ID: name}
	if err := results.ReadTrial(dir, &t); err != nil {
		return nil, err
	}
	return &results.Experiment{Name: name, Dir: dir, Trials: []results.Trial{t}}, nil
}
