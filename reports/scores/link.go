package scores

import (
	"slices"

	"infbench/reports/table"
)

// Link makes the link of a number.
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
