package catalog

import (
	"slices"
	"testing"

	"infbench/bench/spec"
)

// What evaluate takes by name an experiment takes as a baseline, beside the
// backbone as it was before training, and the other way round.
func TestBaselinesAreModels(t *testing.T) {
	want := append(ModelNames(), "untrained")
	if got := spec.Baselines(); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("baselines %q, want %q", got, want)
	}
	for _, name := range ModelNames() {
		if r, err := OpenBaseline(name, 1); err != nil || r.Name() != name {
			t.Errorf("baseline %s: %v, %v", name, r, err)
		}
	}
}
