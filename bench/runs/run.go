// Package runs knows the run folder, what a sweep, an evaluation or an import
// leaves behind: every file name in it, and how all three are read alike.
package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"infbench/bench/spec"
	"infbench/bench/usage"
	"infbench/metrics/nearest"
)

// ReadPlan reads the frozen plan of a run folder. A folder that is none is wrong
// usage, and the run folders beside it are named; so is one of imported results.
func ReadPlan(dir string) (*spec.Plan, error) {
	path := filepath.Join(dir, PlanFile)
	plan, err := spec.ReadPlan(path)
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return plan, err
	}
	if _, err := os.Stat(filepath.Join(dir, ImportFile)); err == nil {
		return nil, usage.Error{Err: fmt.Errorf("%s holds imported results: nothing of it was planned or can be run; see infbench report %s", dir, dir)}
	}
	known := runsNear(dir)
	if len(known) == 0 {
		return nil, usage.Error{Err: fmt.Errorf("%s is no run folder (infbench sweep makes one): %w", dir, err)}
	}
	return nil, usage.Error{Err: fmt.Errorf("%w: %s is not there", nearest.Unknown("run folder", filepath.Clean(dir), known), path)}
}

// runsNear lists the run folders in a folder, beside it and below runs.
func runsNear(dir string) []string {
	var known []string
	seen := map[string]bool{}
	for _, pattern := range []string{filepath.Join(dir, "*"), filepath.Join(filepath.Dir(filepath.Clean(dir)), "*"), filepath.Join("runs", "*")} {
		plans, err := filepath.Glob(filepath.Join(pattern, PlanFile))
		if err != nil {
			continue // a name with [ in it is no pattern
		}
		for _, plan := range plans {
			if run := filepath.Dir(plan); !seen[run] {
				seen[run] = true
				known = append(known, run)
			}
		}
	}
	return known
}
