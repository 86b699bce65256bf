package catalog

import (
	"errors"

	"infbench/datasets"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/metrics"
)

// OverrideMeasures replaces the measures of a benchmark by the named ones, on every side that
// its tasks have.
func OverrideMeasures(b *datasets.Benchmark, measures []string) error {
	if len(measures) == 0 {
		return nil
	}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		sides := []datasets.Side{datasets.None}
		if len(t.Pairs) > 0 {
			// None is the pair itself, for measures such as p-MRR.
			sides = []datasets.Side{datasets.None, datasets.Original, datasets.Changed}
		}
		t.Scorings = nil
		for _, name := range measures {
			m, err := metrics.Parse(name)
			if err != nil {
				return err
			}
			_, summarized := m.(metrics.Summarizer)
			if _, grouped := m.(metrics.Grouped); summarized && !grouped {
				return usage.Errorf("--measure %s is not a mean over queries; infbench score computes it for a saved run", name)
			}
			for _, side := range sides {
				t.Scorings = append(t.Scorings, datasets.Scoring{Measure: m.String(), Side: side})
			}
		}
	}
	return nil
}

// RetrieveDepth is the number of documents that are kept of a ranking: the depth of FollowIR's
// and BRIGHT's measures.
const RetrieveDepth = 1000

// CanonicalMeasure is a measure's name in results.
func CanonicalMeasure(name string) (string, error) {
	m, err := metrics.Parse(name)
	if err != nil {
		return "", err
	}
	return m.String(), nil
}

// AskedMeasure is a requested measure with its name in the output.
type AskedMeasure struct {
	Label string
	Trec  metrics.TrecMeasure // its Measure is nil for text that only --format trec prints
	Known bool                // trec_eval has the measure
}

// ParseMeasure parses one --measure: a name of ours or else one of trec_eval's. A name with two
// meanings, such as rbp with different defaults, is trec_eval's: ours is spelt RBP.
func ParseMeasure(name string) ([]AskedMeasure, error) {
	m, err := metrics.Parse(name)
	found, trecErr := metrics.ParseTrec(name)
	theirs := trecErr == nil && len(found) == 1 && found[0].Measure != m
	if err == nil && !theirs {
		t, known := metrics.TrecName(m)
		if !known {
			t = metrics.TrecMeasure{Name: m.String(), Measure: m}
		}
		return []AskedMeasure{{Label: name, Trec: t, Known: known}}, nil
	}
	var unknown *nearest.UnknownError
	if trecErr != nil && errors.As(err, &unknown) && !errors.As(trecErr, &unknown) {
		return nil, trecErr // trec_eval's name, wrong parameters
	}
	if trecErr != nil {
		return nil, err
	}
	var all []AskedMeasure
	for _, t := range found {
		a := AskedMeasure{Trec: t, Known: true}
		if t.Measure != nil {
			a.Label = t.Measure.String()
		}
		all = append(all, a)
	}
	return all, nil
}
