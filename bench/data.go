package main

import (
	"fmt"

	"infbench/bench/spec"
	"infbench/datasets"
	"infbench/training"
)

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
		Corpora:      datasets.TripletNames(),
		Backbone:     checkBackbone,
		Interactions: []string{"concat"},
		Baselines:    spec.Baselines(),
		Benchmarks:   datasets.Names(),
	}
}

// resolveRevision finds what pins a corpus or benchmark in a world.
func resolveRevision(name string, world uint64) (string, error) {
	return datasets.Revision(name, world)
}

// loadPinned loads the benchmarks of a trial and refuses any that is not what
// the plan was made with.
func loadPinned(t *spec.Trial) ([]*datasets.Benchmark, error) {
	var out []*datasets.Benchmark
	for _, name := range t.Evaluate {
		b, err := datasets.Load(name, datasets.Options{World: t.Cell.World})
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
