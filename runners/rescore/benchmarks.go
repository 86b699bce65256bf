package rescore

import (
	"infbench/datasets"
	"infbench/runners/results"
)

// Benchmarks returns the benchmarks that a finished trial was scored on, in the same revisions.
// It leaves out those that are not available, which NotChecked lists.
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
