package catalog

import (
	"iter"
	"slices"

	"infbench/datasets"
)

// Corpora lists the training sets an experiment can name.
func Corpora() []string {
	return append([]string{datasets.MiniTraining, datasets.MiniUnfiltered}, datasets.TrainingNames()...)
}

// OpenTriplets opens a training set: the generated one, one that was fetched,
// or a file or folder.
func OpenTriplets(name string, world uint64) (iter.Seq2[datasets.Triplet, error], error) {
	if generated, ok := datasets.MiniTriplets(name, world); ok {
		return func(yield func(datasets.Triplet, error) bool) {
			for _, t := range generated {
				if !yield(t, nil) {
					return
				}
			}
		}, nil
	}
	if _, err := datasets.FindTraining(name); err == nil {
		if err := checkFetched(name); err != nil {
			return nil, err
		}
	}
	t, err := datasets.LoadTriplets(name, "", datasets.TripletFields{})
	if err != nil {
		return nil, err
	}
	return t.All(), nil
}

// loadTriplets reads a training set into memory.
func loadTriplets(name string, world uint64) ([]datasets.Triplet, error) {
	all, err := OpenTriplets(name, world)
	if err != nil {
		return nil, err
	}
	var triplets []datasets.Triplet
	for t, err := range all {
		if err != nil {
			return nil, err
		}
		triplets = append(triplets, t)
	}
	return triplets, nil
}

// Texts lists every text of a training set.
func Texts(triplets []datasets.Triplet) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range triplets {
			for s := range TripletTexts(t) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// TripletTexts lists the texts of one training record.
func TripletTexts(t datasets.Triplet) iter.Seq[string] {
	return slices.Values([]string{
		t.QueryPositive, t.QueryNegative, t.InstructionPositive, t.InstructionNegative,
		t.Positive, t.HardNegative1, t.HardNegative2,
	})
}
