package spec

import "slices"

// weightsIdentity is what determines the weights that a trial evaluates.
type weightsIdentity struct {
	Cell      Cell       `yaml:"cell"`
	Evaluate  []string   `yaml:"evaluate,omitempty"`
	Revisions []Revision `yaml:"revisions"`
}

// WeightsID hashes what determines the weights that a trial evaluates. Trials of one hash
// can evaluate one model, which is trained once. Settings of evaluation do not count, and
// benchmarks count only where training leaves out what they hold.
func (t *Trial) WeightsID() string {
	is := weightsIdentity{Cell: t.Cell}
	if t.Cell.Model == Trained {
		is.Cell.Precision = ""
		if !t.Cell.Validate.Given() { // which is of the tested width
			is.Cell.Dims = 0
		}
	}
	if t.Cell.Train.DropOverlap {
		is.Evaluate = t.Evaluate
	}
	for _, r := range t.Revisions {
		if is.Evaluate != nil || !t.evaluatesOn(r.Name) {
			is.Revisions = append(is.Revisions, r)
		}
	}
	return hashOf(is)
}

// DifferInSeed reports whether two trials are one but for their seeds.
func DifferInSeed(a, b *Trial) bool {
	x, y := a.identity(), b.identity()
	x.Cell.Seed = y.Cell.Seed
	return hashOf(x) == hashOf(y)
}

// evaluatesOn reports whether a revision is that of a benchmark of the trial.
func (t *Trial) evaluatesOn(name string) bool {
	return slices.ContainsFunc(t.Evaluate, func(entry string) bool {
		benchmark, _ := TasksOf(entry)
		return benchmark == name
	})
}
