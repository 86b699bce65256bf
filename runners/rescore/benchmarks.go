package rescore

import (
	"infbench/datasets"
	"infbench/runners/results"
)

// Benchmarks are those that a finished trial was scored on, of the very revisions, less
// what is not at hand, which NotChecked names.
func (c *Rescorer) Benchmarks(at results.Folder) ([]*datasets.Benchmark, error) {
	var t results.Trial
	if err := at.Reader().Trial(&t); err != nil {
		return nil, err
	}
	var out []*datasets.Benchmark
	for _, b := range t.Provenance.Benchmarks {
		found, err := c.find(at, b, t.Config[results.World])
		if err != nil {
			return nil, err
		}
		if found != nil {
			out = append(out, found)
		}
	}
	return out, nil
}
