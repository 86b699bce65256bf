package runs

import (
	"path/filepath"

	"infbench/bench/engine"
	"infbench/bench/spec"
)

// Names inside a run folder.
const (
	PlanFile  = "plan.json"
	TrialsDir = "trials"
	leasesDir = "leases"
	LogsDir   = "logs"
	CacheDir  = "cache"
	ReportOut = "report.html"
)

// TrialDir is the folder of a trial of a run.
func TrialDir(runDir, id string) string { return filepath.Join(runDir, TrialsDir, id) }

// Leases are the claims on the trials of a run.
func Leases(runDir string) engine.Leases {
	return engine.Leases{Dir: filepath.Join(runDir, leasesDir)}
}

// Settings is a cell as reports show it: the model of a trained cell is its
// backbone.
func Settings(t *spec.Trial) map[string]string {
	s := t.Cell.Settings()
	if t.Cell.Model == spec.Trained {
		s["model"] = t.Cell.Backbone
	}
	return s
}
