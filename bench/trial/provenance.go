package trial

import (
	"infbench/bench/results"
	"infbench/bench/spec"
)

// describeTrial adds what a cell was made from and how it got here.
func describeTrial(p *results.Provenance, t *spec.Trial, in Surroundings) {
	p.Inputs = map[string]string{}
	for _, r := range t.Revisions {
		p.Inputs[r.Name] = r.Revision
	}
	p.Seed, p.Attempts = t.Cell.Seed, in.failures
	if in.Chunk != t.Cell.Train.Chunk {
		p.Chunk = in.Chunk
	}
}
