package main

import (
	"fmt"
	"iter"
	"os"
	"slices"

	"infbench/bench/spec"
	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/training"
	"infbench/training/encoder"
)

// corpora lists the training sets an experiment can name.
func corpora() []string {
	return append([]string{datasets.MiniTraining}, datasets.TrainingNames()...)
}

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
		Corpora:      corpora(),
		Backbone:     checkBackbone,
		Interactions: encoder.Interactions(),
		Baselines:    spec.Baselines(),
		Benchmarks:   datasets.Names(),
	}
}

// openTriplets opens a training set: the generated one, one that was fetched,
// or a file or folder.
func openTriplets(name string, world uint64) (iter.Seq2[datasets.Triplet, error], error) {
	if name == datasets.MiniTraining {
		return func(yield func(datasets.Triplet, error) bool) {
			for _, t := range datasets.MiniInfIR(world) {
				if !yield(t, nil) {
					return
				}
			}
		}, nil
	}
	t, err := datasets.LoadTriplets(name, "", datasets.TripletFields{})
	if err != nil {
		return nil, err
	}
	return t.All(), nil
}

// loadTriplets reads a training set into memory.
func loadTriplets(name string, world uint64) ([]datasets.Triplet, error) {
	all, err := openTriplets(name, world)
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

// loadBenchmark loads a benchmark by name, or a collection by its folder; of its
// tasks only those named, or all if none is.
func loadBenchmark(name string, world uint64, tasks ...string) (*datasets.Benchmark, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return loadFolder(name, tasks)
	} else if isPath(name) {
		return nil, fmt.Errorf("open collection: %w", err)
	}
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return nil, err
	}
	if f, ok := lock.Folder(name); ok {
		b, err := loadFolder(f.Path, tasks)
		if err == nil {
			b.Name = name
		}
		return b, err
	}
	return datasets.Load(name, datasets.Options{World: world, Tasks: tasks})
}

// loadFolder loads a collection; datasets.Load knows folders by a slash.
func loadFolder(dir string, tasks []string) (*datasets.Benchmark, error) {
	if !isPath(dir) || dir == "." || dir == ".." {
		dir = "./" + dir
	}
	return datasets.Load(dir, datasets.Options{Tasks: tasks})
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
	if i := slices.IndexFunc(datasets.TrainingSources(), func(s datasets.TrainingSource) bool { return s.Name == name }); i >= 0 {
		rev, err := lockedCommit(datasets.TrainingSources()[i].Repo)
		r[key] = rev
		return rev, err
	}
	b, err := loadBenchmark(name, world)
	if err != nil {
		return "", err
	}
	r[key] = b.Revision
	return r[key], nil
}

// lockedCommit is the commit at which a repository was fetched.
func lockedCommit(r datasets.Repo) (string, error) {
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return "", err
	}
	locked, ok := lock.Find(hub.Repo{Kind: hub.Dataset, ID: r.ID})
	if !ok {
		return "", fmt.Errorf("%s is not in %s: infbench data fetch it first", r.ID, hub.LockFile)
	}
	return locked.Commit, nil
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
