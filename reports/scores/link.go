package scores

import (
	"slices"

	"infbench/reports/table"
)

// Compare orders trials as links name them.
func (t *Trial) Compare(other *Trial) int { return t.index - other.index }

// LinkTo makes the link of a number of some trials.
func (v *Set) LinkTo(stat string, trials []*Trial, c Number) *table.Link {
	l := v.Link(stat, trials, c.Slots())
	l.ByQuery = c.ByQuery
	return l
}

// Link makes the link of what is computed from slots.
func (v *Set) Link(stat string, trials []*Trial, slots []Slot) *table.Link {
	l := &table.Link{Stat: stat}
	for _, t := range trials {
		l.Trials = append(l.Trials, t.index)
	}
	for _, s := range slots {
		l.Slots = append(l.Slots, v.places[s])
	}
	slices.Sort(l.Slots)
	return l
}
