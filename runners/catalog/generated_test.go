package catalog

import (
	"reflect"
	"testing"

	"infbench/datasets"
)

// TestMiniTriplets: each request gets its set, whichever set was generated last.
func TestMiniTriplets(t *testing.T) {
	for _, set := range []struct {
		name  string
		world uint64
	}{{datasets.MiniTraining, 1}, {datasets.MiniTraining, 1}, {datasets.MiniTraining, 2}, {datasets.MiniTraining + "-50", 2}, {datasets.MiniTraining, 1}} {
		want, _ := datasets.MiniTriplets(set.name, set.world)
		if got, ok := miniTriplets(set.name, set.world); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s of world %d: %d records, %v", set.name, set.world, len(got), ok)
		}
	}
	if got, ok := miniTriplets("no-such-set", 1); ok {
		t.Errorf("%d records of an unknown set", len(got))
	}
}
