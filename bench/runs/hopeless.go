package runs

import (
	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/datasets/atomicfile"
)

// StayStopped says whether a trial was stopped as hopeless and the plan still asks
// for that. Where it does not, the mark goes, and the trial goes on from its
// checkpoint.
func StayStopped(fsys atomicfile.FS, dir string, plan *spec.Plan, id string) (bool, error) {
	if !IsStopped(dir, id) {
		return false, nil
	}
	if plan.Stop.Given() {
		return true, nil
	}
	return false, results.Resume(fsys, TrialDir(dir, id))
}

// IsStopped says whether a trial has the mark of a hopeless one.
func IsStopped(dir, id string) bool {
	_, err := results.ReadHalt(TrialDir(dir, id))
	return err == nil
}
