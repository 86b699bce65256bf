// Package catalog turns a name in a file or flag (a benchmark, a training
// corpus, a model, a card, a folder, ORG/NAME) into data or a model of a known
// revision.
package catalog

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"infbench/bench/spec"
	"infbench/bench/usage"
	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/training"
	"infbench/training/encoder"
)

// Corpora lists the training sets an experiment can name.
func Corpora() []string {
	return append([]string{datasets.MiniTraining, datasets.MiniUnfiltered}, datasets.TrainingNames()...)
}

// Known lists the names an experiment file may use.
func Known() spec.Known {
	return spec.Known{
		Losses: func(name string) (string, error) {
			l, err := training.ParseLoss(name)
			if err != nil {
				return "", err
			}
			return l.String(), nil
		},
		Corpora:      Corpora(),
		Backbone:     CheckBackbone,
		Interactions: encoder.Interactions(),
		Baselines:    spec.Baselines(),
		Benchmarks:   datasets.Names(),
	}
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

// LoadBenchmark loads a benchmark by name, or a collection by its folder; of its
// tasks only those named, or all if none is.
func LoadBenchmark(name string, world uint64, tasks ...string) (*datasets.Benchmark, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return loadFolder(name, tasks)
	} else if usage.IsPath(name) {
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
	if !usage.IsPath(dir) || dir == "." || dir == ".." {
		dir = "./" + dir
	}
	return datasets.Load(dir, datasets.Options{Tasks: tasks})
}

// Revisions remembers what resolving costs time: generating a world to hash it.
type Revisions map[string]string

// Resolve finds what pins a corpus or benchmark in a world, or a backbone.
func (r Revisions) Resolve(name string, world uint64) (string, error) {
	key := revisionKey(name, world)
	if rev, ok := r[key]; ok {
		return rev, nil
	}
	rev, err := revisionOf(name, world)
	if err == nil {
		r[key] = rev
	}
	return rev, err
}

func revisionKey(name string, world uint64) string { return fmt.Sprint(name, "@", world) }

// revisionOf does what resolve remembers.
func revisionOf(name string, world uint64) (string, error) {
	if backbone, ok := strings.CutPrefix(name, spec.BackboneInput); ok {
		return backboneRevision(backbone)
	}
	if generated, ok := datasets.MiniTriplets(name, world); ok {
		return datasets.MiniInfIRRevision(world, generated), nil
	}
	if err := checkFetched(name); err != nil {
		return "", err
	}
	if i := slices.IndexFunc(datasets.TrainingSources(), func(s datasets.TrainingSource) bool { return s.Name == name }); i >= 0 {
		return lockedCommit(name, datasets.TrainingSources()[i].Repo)
	}
	b, err := LoadBenchmark(name, world)
	if err != nil {
		return "", err
	}
	return benchmarkRevision(b)
}

// checkFetched is an error where a data set that is read from the hub cache is not
// there.
func checkFetched(name string) error {
	repos, err := Repositories(name)
	if err != nil {
		return nil // no data set of the hub
	}
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return err
	}
	if _, ok := lock.Folder(name); ok {
		return nil
	}
	for _, r := range repos {
		if _, _, err := locate(hub.Repo{Kind: hub.Dataset, ID: r.ID, Revision: r.Revision}); err != nil {
			return notFetched(name)
		}
	}
	return nil
}

// benchmarkRevision pins a benchmark: as it says itself, else by the commits that
// its repositories were fetched at.
func benchmarkRevision(b *datasets.Benchmark) (string, error) {
	if !strings.Contains(b.Revision, "unpinned") {
		return b.Revision, nil
	}
	repos, err := Repositories(b.Name)
	if err != nil {
		return b.Revision, nil
	}
	var commits []string
	for _, r := range repos {
		_, commit, err := locate(hub.Repo{Kind: hub.Dataset, ID: r.ID, Revision: r.Revision})
		if err != nil {
			return "", err
		}
		commits = append(commits, commit)
	}
	return strings.Join(commits, ", "), nil
}

// lockedCommit is the commit at which the repository of a corpus was fetched.
func lockedCommit(name string, r datasets.Repo) (string, error) {
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return "", err
	}
	locked, ok := lock.Find(hub.Repo{Kind: hub.Dataset, ID: r.ID})
	if !ok {
		return "", notFetched(name)
	}
	return locked.Commit, nil
}

// notFetched is a data set that is not there.
func notFetched(name string) error {
	return absent{what: "data set " + name, get: "infbench data fetch " + name}
}

// LoadPinned loads the benchmarks of a trial and refuses any that is not what
// the plan was made with.
func LoadPinned(t *spec.Trial) ([]*datasets.Benchmark, error) {
	var out []*datasets.Benchmark
	for _, name := range t.Evaluate {
		b, err := LoadBenchmark(name, t.Cell.World)
		if err != nil {
			return nil, fmt.Errorf("load benchmark %s: %w", name, err)
		}
		if err := CheckBenchmark(t, name, b); err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// CheckBenchmark refuses a benchmark that is not what the plan was made with.
func CheckBenchmark(t *spec.Trial, name string, b *datasets.Benchmark) error {
	revision, err := benchmarkRevision(b)
	if err != nil {
		return err
	}
	return checkRevision(t, name, revision)
}

// checkRevision refuses data that is not what the plan was made with.
func checkRevision(t *spec.Trial, name, revision string) error {
	for _, r := range t.Revisions {
		if r.Name == name && r.Revision != revision {
			return fmt.Errorf("%s is at revision %s, the plan was made with %s; plan again", name, revision, r.Revision)
		}
	}
	return nil
}
