package curate

import (
	"slices"
	"strings"

	"infbench/datasets"
)

// demand is the requirement of an instruction for a passage.
type demand struct {
	facet        string
	values, none []string // any of values, and none of none
	sentences    int      // 1: at most, 2: at least, 0: any number
}

// read parses an instruction: values after a "not" are unwanted.
func read(l *datasets.MiniLanguage, instruction string) demand {
	var d demand
	wanted, unwanted, _ := strings.Cut(instruction, " not ")
	for _, m := range l.Asked(wanted) {
		d.facet, d.values = m.Facet, append(d.values, m.Value)
	}
	for _, m := range l.Asked(unwanted) {
		d.facet, d.none = m.Facet, append(d.none, m.Value)
	}
	for n, bound := range bounds {
		if n > 0 && strings.Contains(instruction, strings.TrimSpace(bound)) {
			d.sentences = n
		}
	}
	return d
}

// wants reports whether a value satisfies the demand.
func (d demand) wants(value string) bool {
	return !slices.Contains(d.none, value) && (d.values == nil || slices.Contains(d.values, value))
}

// accepts reports whether a passage shows a wanted value in an allowed number of sentences. A
// passage without the facet is rejected.
func (d demand) accepts(l *datasets.MiniLanguage, passage string) bool {
	shows := slices.ContainsFunc(l.Shown(passage), func(m datasets.MiniMark) bool { return m.Facet == d.facet && d.wants(m.Value) })
	return shows && (d.sentences == 0 || d.sentences == sentences(passage))
}
