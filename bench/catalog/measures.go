package catalog

import (
	"infbench/bench/usage"
	"infbench/datasets"
	"infbench/metrics"
)

// OverrideMeasures replaces what a benchmark measures by the named measures, on
// every side its tasks have.
func OverrideMeasures(b *datasets.Benchmark, measures []string) error {
	if len(measures) == 0 {
		return nil
	}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		sides := []datasets.Side{datasets.None}
		if len(t.Pairs) > 0 {
			// None is the pair itself, where measures such as p-MRR apply.
			sides = []datasets.Side{datasets.None, datasets.Original, datasets.Changed}
		}
		t.Scorings = nil
		for _, name := range measures {
			m, err := metrics.Parse(name)
			if err != nil {
				return err
			}
			if _, ok := m.(metrics.Summarizer); ok {
				return usage.Errorf("--measure %s is no mean over queries; infbench score has it for a saved run", name)
			}
			for _, side := range sides {
				t.Scorings = append(t.Scorings, datasets.Scoring{Measure: m.String(), Side: side})
			}
		}
	}
	return nil
}

// RetrieveDepth is how many documents of a ranking are kept: the depth of
// FollowIR's and BRIGHT's measures.
const RetrieveDepth = 1000

// CanonicalMeasure is a measure's name as results carry it.
func CanonicalMeasure(name string) (string, error) {
	m, err := metrics.Parse(name)
	if err != nil {
		return "", err
	}
	return m.String(), nil
}
