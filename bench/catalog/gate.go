package catalog

import (
	"infbench/metrics"
)

// CanonicalMeasure is a measure's name as results carry it.
func CanonicalMeasure(name string) (string, error) {
	m, err := metrics.Parse(name)
	if err != nil {
		return "", err
	}
	return m.String(), nil
}
