package catalog

import (
	"infbench/bench/usage"
	"infbench/datasets"
)

// Repositories lists what the benchmark or training corpus of a name is read
// from.
func Repositories(name string) ([]datasets.Repo, error) {
	for _, s := range datasets.TrainingSources() {
		if s.Name == name {
			return []datasets.Repo{s.Repo}, nil
		}
	}
	s, err := datasets.FindSource(name)
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	return s.Repos, nil
}
