package spec

import (
	"slices"

	"infbench/runners"
)

// Baseline is a system that trains nothing: the settings that its numbers depend on, and a
// function that opens it. Package runners implements its ranking.
type Baseline struct {
	Name    string
	Depends []string // settings that its numbers depend on; a sweep runs it once for each combination
	Null    bool     // it ranks without looking at the query

	// Open returns the system; nil if it needs a network.
	Open func(seed int64) (runners.Retriever, error)
}

// Untrained is the backbone before training.
const Untrained = "untrained"

// Baselines lists the baselines.
func Baselines() []Baseline {
	var all []Baseline
	for _, variant := range runners.BM25Variants() {
		all = append(all, Baseline{Name: variant, Depends: []string{"world"}, Open: func(int64) (runners.Retriever, error) {
			return runners.NewBM25(runners.BM25Options{Variant: variant})
		}})
	}
	return append(all,
		Baseline{Name: Untrained, Depends: []string{"world", "seed", "data", "backbone", "interaction", "design", "precision", "dims", "similarity"}},
		Baseline{Name: "random", Depends: []string{"world", "seed"}, Null: true, Open: func(seed int64) (runners.Retriever, error) {
			return runners.NewRandom(uint64(seed)), nil
		}},
		Baseline{Name: "constant", Depends: []string{"world"}, Null: true, Open: func(int64) (runners.Retriever, error) {
			return runners.NewConstant(), nil
		}},
		Baseline{Name: "document-order", Depends: []string{"world"}, Null: true, Open: func(int64) (runners.Retriever, error) {
			return runners.NewDocumentOrder(), nil
		}},
	)
}

// FindBaseline returns the baseline with a name.
func FindBaseline(name string) (Baseline, bool) {
	all := Baselines()
	i := slices.IndexFunc(all, func(b Baseline) bool { return b.Name == name })
	if i < 0 {
		return Baseline{}, false
	}
	return all[i], true
}

// BaselineNames lists the names of all baselines.
func BaselineNames() []string {
	var names []string
	for _, b := range Baselines() {
		names = append(names, b.Name)
	}
	return names
}

// ReadyBaselines lists the names of the baselines that need no network.
func ReadyBaselines() []string {
	var names []string
	for _, b := range Baselines() {
		if b.Open != nil {
			names = append(names, b.Name)
		}
	}
	return names
}
