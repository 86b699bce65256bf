package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"sync"

	"infbench/training"
)

// identity is what a trial's ID is the hash of: all that determines its numbers. Settings
// of training are left out where they have their defaults (withoutDefaults).
type identity struct {
	Format    int        `yaml:"format"`
	Cell      Cell       `yaml:"cell"`
	Evaluate  []string   `yaml:"evaluate,omitempty"`
	Revisions []Revision `yaml:"revisions"`
}

func (t *Trial) identity() identity { return t.byContent(t.asPlanned()) }

// asPlanned is the identity with the paths that the plan has.
func (t *Trial) asPlanned() identity {
	return identity{planFormat, t.Cell, t.Evaluate, t.Revisions}
}

// Hash is the trial's ID: what determines its numbers, never where it ran.
func (t *Trial) Hash() string { return t.identity().hash() }

func (is identity) hash() string {
	all := plain(reflect.ValueOf(is)).(map[string]any)
	cell := all["cell"].(map[string]any)
	if train, set := cell["train"].(map[string]any); set {
		cell["train"] = withoutDefaults(train, usualTraining())
	}
	return shortSum(asJSON(all))
}

// shortSum is the beginning of a SHA-256, as IDs are.
func shortSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:16]
}

// usualTraining are the settings of training that hold where a file names none.
var usualTraining = sync.OnceValue(func() map[string]any {
	return plain(reflect.ValueOf(training.DefaultConfig())).(map[string]any)
})

// withoutDefaults are the settings that differ from the usual ones, nil for one that is
// unset in place of its default. A setting that infbench gains, with a default that does
// what it did before, leaves the IDs of finished trials as they are.
func withoutDefaults(set, usual map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range set {
		section, nested := value.(map[string]any)
		if usualSection, both := usual[key].(map[string]any); nested && both {
			if rest := withoutDefaults(section, usualSection); len(rest) > 0 {
				out[key] = rest
			}
		} else if !reflect.DeepEqual(value, usual[key]) {
			out[key] = value
		}
	}
	for key := range usual {
		if _, is := set[key]; !is {
			out[key] = nil
		}
	}
	return out
}

// WeightsID hashes what determines the weights that a trial evaluates. Trials of one hash
// can evaluate one model, which is trained once. Settings of evaluation do not count, and
// benchmarks count only where training leaves out what they hold.
func (t *Trial) WeightsID() string {
	is := t.asPlanned()
	if t.Cell.Model == Trained {
		is.Cell.Precision, is.Cell.Similarity = "", ""
		if !t.Cell.Validate.Given() { // which is of the tested width
			is.Cell.Dims = 0
		}
	}
	if !t.Cell.Train.DropOverlap {
		is.Evaluate, is.Revisions = nil, slices.DeleteFunc(slices.Clone(is.Revisions), func(r Revision) bool { return t.onlyEvaluatesOn(r.Name) })
	}
	return t.byContent(is).hash()
}

// DifferInSeed reports whether two trials are one but for their seeds.
func DifferInSeed(a, b *Trial) bool {
	x, y := a.identity(), b.identity()
	x.Cell.Seed = y.Cell.Seed
	return x.hash() == y.hash()
}

// onlyEvaluatesOn reports whether a revision is that of a benchmark of the trial, and of
// no training data of that name.
func (t *Trial) onlyEvaluatesOn(name string) bool {
	return !slices.Contains(t.Cell.Reads(), name) && slices.ContainsFunc(t.Evaluate, func(entry string) bool {
		benchmark, _ := TasksOf(entry)
		return benchmark == name
	})
}
