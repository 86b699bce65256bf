package contrast

import (
	"slices"

	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// Levels compares the levels of one factor over the kept settings of the others.
type Levels struct {
	Order []string  // best mean first
	Means []float64 // in the order of Order
	Next  *Contrast // the best compared with the nearest level that may also be the best, else with the second
	Level []string  // levels not shown to be behind the best, nearest first
}

// Lead compares the levels of the factor of a balanced part on a number. For two levels
// there is one test, the main effect, which must already be tested. If a pair of levels
// consists of just two systems, the test of these systems is used. The pairs of more
// levels are tested together and corrected by Holm over all of them. ok is false if a kept
// cell has no value or nothing was tested.
func (b *Balanced) Lead(v *scores.Set, on scores.Number, main *Contrast, pairs Pairs) (l Levels, ok bool) {
	mean := map[string]float64{}
	for _, level := range b.Levels[0] {
		for _, rest := range b.Rests {
			cell := v.Cell(b.systems[cellKey(rest, level)], on)
			if !cell.State.Valued() {
				return l, false
			}
			mean[level] += cell.Value / float64(len(b.Rests))
		}
	}
	best := on.Heading().Best
	l.Order = slices.SortedStableFunc(slices.Values(b.Levels[0]), func(x, y string) int {
		switch {
		case stats.Compare(mean[x], mean[y]) == 0:
			return 0
		case best.Better(mean[x], mean[y]):
			return -1
		}
		return 1
	})
	for _, level := range l.Order {
		l.Means = append(l.Means, mean[level])
	}
	behind := b.behind(v, on, l.Order, main, pairs)
	for i, c := range behind {
		switch {
		case c == nil || c.Why != "":
			return l, false
		case !c.Shown():
			if len(l.Level) == 0 {
				l.Next = c
			}
			l.Level = append(l.Level, l.Order[i+1])
		}
	}
	if l.Next == nil {
		l.Next = behind[0]
	}
	return l, true
}

// behind compares the first of some levels with each of the others.
func (b *Balanced) behind(v *scores.Set, on scores.Number, order []string, main *Contrast, pairs Pairs) (out []*Contrast) {
	switch {
	case len(b.Rests) == 1:
		first := b.systems[cellKey(b.Rests[0], order[0])]
		for _, level := range order[1:] {
			out = append(out, pairs.Of(on, b.systems[cellKey(b.Rests[0], level)], first))
		}
		return out
	case len(order) == 2 && order[0] == b.Levels[0][1]:
		return []*Contrast{main}
	case len(order) == 2:
		return []*Contrast{main.turned()}
	}
	f := &Family{}
	for i, level := range order {
		for _, other := range order[i+1:] {
			f.Contrasts = append(f.Contrasts, b.between(on, other, level))
		}
	}
	f.Test(v)
	f.Name(words.Plural(f.Tested(), "pair", "pairs") + " of them")
	return f.Contrasts[:len(order)-1]
}

// between returns the untested difference of one level from another over the kept
// settings.
func (b *Balanced) between(on scores.Number, below, above string) *Contrast {
	var terms []Term
	for _, rest := range b.Rests {
		share := 1 / float64(len(b.Rests))
		terms = append(terms, Term{b.systems[cellKey(rest, below)], -share}, Term{b.systems[cellKey(rest, above)], share})
	}
	c := Sum(on, terms...)
	c.effect = true
	return c
}
