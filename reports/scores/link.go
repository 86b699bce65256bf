package scores

import (
	"slices"

	"infbench/reports/table"
)

// Compare orders trials as in links.
func (t *Trial) Compare(other *Trial) int { return t.index - other.index }

// LinkTo returns the link of a statistic of some trials on a number.
func (v *Set) LinkTo(stat string, trials []*Trial, c Number) *table.Link {
	l := v.Link(stat, trials, c.Slots())
	l.ByQuery = c.ByQuery
	return l
}

// Link returns the link of a statistic over slots.
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
