package metrics

import (
	"strings"
	"sync"
)

// Scale is by what tables and pages multiply values of a measure, by its name as results
// carry it, options included: 100 for shares, as the tables of the field do, 1 for counts
// and sums of them. A measure of another program's is taken for a share. Files for other
// programs (CSV, JSON, trec_eval's format) hold values as they are; p-values, correlations
// and kappas are no measures and are shown as they are everywhere.
func Scale(name string) float64 {
	if known, ok := scales.Load(name); ok {
		return known.(float64)
	}
	family := name
	if end := strings.IndexAny(name, "(@"); end >= 0 {
		family = name[:end]
	}
	scale := familyScale(family)
	scales.Store(name, scale)
	return scale
}

// scales are those that were asked for, since every cell asks: name -> float64.
var scales sync.Map

// familyScale is the scale of what a family measures.
func familyScale(name string) float64 {
	for _, f := range Families() {
		if f.called(name) && f.Count {
			return 1
		}
	}
	return 100
}
