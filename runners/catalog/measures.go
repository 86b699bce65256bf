package catalog

import (
	"errors"

	"infbench/datasets"
	"infbench/internal/nearest"
	"infbench/internal/usage"
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
			_, summarized := m.(metrics.Summarizer)
			if _, grouped := m.(metrics.Grouped); summarized && !grouped {
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

// AskedMeasure is a measure and what it is called in the output.
type AskedMeasure struct {
	Label string
	Trec  metrics.TrecMeasure // its Measure is nil for text that only --format trec prints
	Known bool                // trec_eval has the measure
}

// ParseMeasure reads one --measure: a name of ours or, failing that, trec_eval's.
// A name that means something else to each, as rbp with its other default, is
// trec_eval's: ours is spelt RBP.
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
