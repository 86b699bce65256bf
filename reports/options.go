package reports

import (
	"cmp"

	"infbench/reports/claims"
	"infbench/reports/contrast"
	"infbench/reports/published"
	"infbench/reports/scores"
)

// Options says how to report. The zero value gives the leaderboard with the
// defaults of every field.
type Options struct {
	Title      string             // default: the names of the experiments
	Projection *scores.Projection // shown instead of the leaderboard
	Reference  string             // model that all systems are compared with; default contrast.DefaultReference

	Published []*published.Collection // on boards of their own, and beside what was measured
	Overlaps  []Overlap               // of training data with benchmarks, as far as they were counted

	// Repositories names the repository of each model that configurations call by
	// another name, so that published numbers of it are found.
	Repositories map[string]string

	// Ablation shows what training gained for each loss and backbone instead of the
	// leaderboard.
	Ablation bool

	// Studies are shown by the views of their kinds.
	Studies []*Study

	// Claims of papers are held to what was measured.
	Claims []*claims.File

	// View is the name of a ready view (Views) that is shown instead of the
	// leaderboard.
	View string

	// Unbuilt is of a page from before pages carried what made their cells: boards say
	// nothing of it.
	Unbuilt bool
}

// WithDefaults fills in what was left out.
func (o Options) WithDefaults() Options {
	o.Reference = cmp.Or(o.Reference, contrast.DefaultReference)
	return o
}
