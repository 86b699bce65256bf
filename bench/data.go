package main

import (
	"fmt"
	"os"

	"infbench/bench/spec"
	"infbench/datasets"
	"infbench/metrics/nearest"
	"infbench/training"
)

// corpora are the training sets an experiment can name.
var corpora = []string{datasets.MiniTraining}

// known lists the names an experiment file may use.
func known() spec.Known {
	return spec.Known{
		Losses: func(name string) (string, error) {
			l, err := training.ParseLoss(name)
			if err != nil {
				return "", err
			}
			return l.String(), nil
		},
		Corpora:      corpora,
		Backbone:     checkBackbone,
		Interactions: []string{"concat"},
		Baselines:    spec.Baselines(),
		Benchmarks:   datasets.Names(),
	}
}

// loadTriplets loads a training set.
func loadTriplets(name string, world uint64) ([]datasets.Triplet, error) {
	if name == datasets.MiniTraining {
		return datasets.MiniInfIR(world), nil
	}
	return nil, nearest.Unknown("training data", name, corpora)
}

// loadBenchmark loads a benchmark by name, or a collection by its folder.
func loadBenchmark(name string, world uint64) (*datasets.Benchmark, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return datasets.OpenFolder(name)
	} else if isPath(name) {
		return nil, fmt.Errorf("open collection: %w", err)
	}
	return datasets.Load(name, datasets.Options{World: world})
}

// revisions remembers what resolving costs time: generating a world to hash it.
type revisions map[string]string

// resolve finds what pins a corpus or benchmark in a world.
func (r revisions) resolve(name string, world uint64) (string, error) {
	key := fmt.Sprint(name, "@", world)
	if rev, ok := r[key]; ok {
		return rev, nil
	}
	if name == datasets.MiniTraining {
		r[key] = datasets.MiniInfIRRevision(world, datasets.MiniInfIR(world))
		return r[key], nil
	}
	b, err := loadBenchmark(name, world)
	if err != nil {
		return "", err
	}
	r[key] = b.Revision
	return r[key], nil
}

// loadPinned loads the benchmarks of a trial and refuses any that is not what
// the plan was made with.
func loadPinned(t *spec.Trial) ([]*datasets.Benchmark, error) {
	var out []*datasets.Benchmark
	for _, name := range t.Evaluate {
		b, err := loadBenchmark(name, t.Cell.World)
		if err != nil {
			return nil, fmt.Errorf("load benchmark %s: %w", name, err)
		}
		for _, r := range t.Revisions {
			if r.Name == name && r.Revision != b.Revision {
				return nil, fmt.Errorf("benchmark %s is at revision %s, the plan was made with %s; plan again", name, b.Revision, r.Revision)
			}
		}
		out = append(out, b)
	}
	return out, nil
}
