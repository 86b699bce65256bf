package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"sync"

	"infbench/training"
)

// identity is the value whose hash is a trial's ID: everything that determines its numbers.
// Settings of training with default values are left out (withoutDefaults).
type identity struct {
	Format    int        `yaml:"format"`
	Cell      Cell       `yaml:"cell"`
	Evaluate  []string   `yaml:"evaluate,omitempty"`
	Revisions []Revision `yaml:"revisions"`
}

func (t *Trial) identity() identity { return t.byContent(t.asPlanned()) }

// asPlanned returns the identity with the paths of the plan.
func (t *Trial) asPlanned() identity {
	return identity{planFormat, t.Cell, t.Evaluate, t.Revisions}
}

// Hash returns the trial's ID. It depends on everything that determines its numbers, never on
// the place of the run.
func (t *Trial) Hash() string { return t.identity().hash() }

func (id identity) hash() string {
	all := plain(reflect.ValueOf(id)).(map[string]any)
	cell := all["cell"].(map[string]any)
	if train, set := cell["train"].(map[string]any); set {
		cell["train"] = withoutDefaults(train, usualTraining())
	}
	return shortSum(asJSON(all))
}

// shortSum returns the beginning of a SHA-256, in the form of IDs.
func shortSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:16]
}

// usualTraining returns the default settings of training.
var usualTraining = sync.OnceValue(func() map[string]any {
	return plain(reflect.ValueOf(training.DefaultConfig())).(map[string]any)
})

// withoutDefaults returns the settings that differ from the usual ones. An unset setting with a
// default is nil. A new setting of infbench whose default is the previous behaviour therefore
// does not change the IDs of finished trials.
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
		if _, ok := set[key]; !ok {
			out[key] = nil
		}
	}
	return out
}

// WeightsID hashes everything that determines the weights that a trial evaluates. Trials with
// the same hash can evaluate one model, which is trained once. Settings of evaluation do not
// count. Benchmarks count only if training leaves out their texts.
func (t *Trial) WeightsID() string {
	id := t.asPlanned()
	if t.Cell.Model == Trained {
		id.Cell.Precision, id.Cell.Similarity = "", ""
		if !t.Cell.Validate.Given() { // validation depends on the tested width
			id.Cell.Dims = 0
		}
	}
	if !t.Cell.Train.DropOverlap {
		id.Evaluate, id.Revisions = nil, slices.DeleteFunc(slices.Clone(id.Revisions), func(r Revision) bool { return t.onlyEvaluatesOn(r.Name) })
	}
	return t.byContent(id).hash()
}

// DifferInSeed reports whether two trials differ only in their seeds.
func DifferInSeed(a, b *Trial) bool {
	x, y := a.identity(), b.identity()
	x.Cell.Seed = y.Cell.Seed
	return x.hash() == y.hash()
}

// onlyEvaluatesOn reports whether a revision belongs to a benchmark of the trial, and not to
// training data with that name.
func (t *Trial) onlyEvaluatesOn(name string) bool {
	return !slices.Contains(t.Cell.Reads(), name) && slices.ContainsFunc(t.Evaluate, func(entry string) bool {
		benchmark, _ := TasksOf(entry)
		return benchmark == name
	})
}
