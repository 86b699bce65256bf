package curate

import (
	"slices"
	"strings"

	"infbench/datasets"
)

// demand is what an instruction asks of a passage.
type demand struct {
	facet        string
	values, none []string // any of them; none of them
	sentences    int      // 1: at most, 2: at least, 0: any number
}

// read understands an instruction: what stands after a "not" is not wanted.
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

// wants says whether a value is asked for.
func (d demand) wants(value string) bool {
	return !slices.Contains(d.none, value) && (d.values == nil || slices.Contains(d.values, value))
}

// accepts says whether a passage shows a value that is asked for, in as many sentences
// as may be. One that says nothing of the matter does not.
func (d demand) accepts(l *datasets.MiniLanguage, passage string) bool {
	shows := slices.ContainsFunc(l.Shown(passage), func(m datasets.MiniMark) bool { return m.Facet == d.facet && d.wants(m.Value) })
	return shows && (d.sentences == 0 || d.sentences == sentences(passage))
}
