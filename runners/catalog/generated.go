package catalog

import (
	"sync/atomic"

	"infbench/datasets"
)

// generatedSet is a generated training set.
type generatedSet struct {
	name     string
	world    uint64
	triplets []datasets.Triplet
}

// lastGenerated is the small set that was generated last: a plan hashes the records of its
// data, counts them and measures their texts.
var lastGenerated atomic.Pointer[generatedSet]

// rememberedRecords is the maximum number of records in lastGenerated.
const rememberedRecords = 10_000

// miniTriplets is datasets.MiniTriplets with a cache; its result must not be changed.
func miniTriplets(name string, world uint64) ([]datasets.Triplet, bool) {
	if last := lastGenerated.Load(); last != nil && last.name == name && last.world == world {
		return last.triplets, true
	}
	triplets, ok := datasets.MiniTriplets(name, world)
	if ok && len(triplets) <= rememberedRecords {
		lastGenerated.Store(&generatedSet{name, world, triplets})
	}
	return triplets, ok
}

// generated is a source that is generated when it is read.
func generated(name string, world uint64) Corpus {
	return Corpus{Shape: datasets.TripletShape, All: func(yield func(datasets.Record, error) bool) {
		triplets, _ := miniTriplets(name, world)
		for _, t := range triplets {
			if !yield(t.Record(), nil) {
				return
			}
		}
	}}
}
