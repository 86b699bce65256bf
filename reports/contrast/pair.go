package contrast

import (
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/reports/scores"
)

// Pair compares two ranked systems as in the ranking: corrected by Holm over all of its
// pairs, with an interval that is simultaneous over them. It returns nil if one of them is
// not ranked.
func (r *Ranking) Pair(a, b *scores.System) *Contrast {
	if r.Of(a) == nil || r.Of(b) == nil {
		return nil
	}
	c := &Contrast{A: a, B: b, On: r.Column}
	if c.test(r.runs); c.Why != "" {
		return c
	}
	at := slices.Index(r.family, c.P)
	if at < 0 { // rounded differently, because the two are in another order
		at = nearest(r.family, c.P)
	}
	c.Adjusted = r.adjusted()[at]
	c.TheseSeedsToo = c.Adjusted > Significant && min(1, c.fixed*float64(r.Pairs)) <= Significant
	c.together, c.family = r.Pairs, r.Family()
	return c
}

// Family names the family of a ranking's pairs.
func (r *Ranking) Family() string {
	return words.Plural(r.Pairs, "pair of systems", "pairs of systems") + " of the column"
}

// Family names the family over which a contrast is corrected and its intervals are
// simultaneous; "" if it has no name.
func (c *Contrast) Family() string { return c.family }

// Families lists the families of the tested contrasts, each once.
func Families(tests []*Contrast) (names []string) {
	for _, c := range tests {
		if c.Why == "" {
			names = words.AddNew(names, c.Family())
		}
	}
	return names
}

// Pairs returns the tests of two systems on the numbers of a board. A pair has one test,
// independent of the caller and the order: the planned comparison if there is one, else
// the ranking's.
type Pairs struct {
	Planned  []*Family
	Rankings []*Ranking // may contain nil
}

// Of compares b with a; nil if there is no test.
//
//plain:ok the name of the method
func (p Pairs) Of(on scores.Number, a, b *scores.System) *Contrast {
	if c := p.planned(on, a, b); c != nil {
		return c
	}
	for _, r := range p.Rankings {
		if r != nil && r.Column.Same(on) {
			return r.Pair(a, b)
		}
	}
	return nil
}

// planned returns the planned comparison of two systems, nil if there is none.
func (p Pairs) planned(on scores.Number, a, b *scores.System) *Contrast {
	for _, f := range p.Planned {
		if c := f.Of(b, on); c != nil && c.A == a {
			return c
		}
		if c := f.Of(a, on); c != nil && c.A == b {
			return c.turned()
		}
	}
	return nil
}

// turned returns the same comparison with A and B exchanged.
func (c *Contrast) turned() *Contrast {
	out := *c
	out.A, out.B, out.From = c.B, c.A, nil
	out.Difference, out.Zero, out.Estimate = -c.Difference, -c.Zero, c.Estimate.Turned()
	out.Further.Low, out.Further.High = -c.Further.High, -c.Further.Low
	return &out
}

// Pair returns the two systems of an effect that compares just two systems.
func (c *Contrast) Pair() (a, b *scores.System, ok bool) {
	if c.A == nil {
		return nil, nil, false
	}
	terms := slices.Clone(c.systems())
	if len(terms) != 2 || terms[0].Coefficient*terms[1].Coefficient > 0 || math.Abs(math.Abs(terms[0].Coefficient)-1) > 1e-9 || math.Abs(math.Abs(terms[1].Coefficient)-1) > 1e-9 {
		return nil, nil, false
	}
	if terms[0].Coefficient > 0 {
		terms[0], terms[1] = terms[1], terms[0]
	}
	return terms[0].System, terms[1].System, true
}

// Settle adjusts the lead of a ranking to the planned tests of pairs. It adds systems that
// these do not show to be behind, and removes those that they do.
func (p Pairs) Settle(l Lead, on scores.Number, ranked []*scores.System) Lead {
	var level []*scores.System
	for _, s := range ranked {
		open := slices.Contains(l.Level, s)
		if c := p.planned(on, s, l.Best); c != nil && s != l.Best {
			open = c.Why == "" && !c.Shown()
		}
		if open {
			level = append(level, s)
		}
	}
	l.Level = level
	return l
}

// nearest returns the index of the value nearest to another.
func nearest(values []float64, to float64) int {
	best := 0
	for i, v := range values {
		if abs(v-to) < abs(values[best]-to) {
			best = i
		}
	}
	return best
}

func abs(v float64) float64 { return max(v, -v) }

// Lead is the best of some systems in a ranking, with the others that no test shows to be
// behind it, nearest first: any of them may be the best.
type Lead struct {
	Best  *scores.System
	Level []*scores.System
	Of    int // number of systems that are ranked
}

// Leader finds the best of some systems. ok is false if fewer than two are ranked.
func (r *Ranking) Leader(among []*scores.System) (l Lead, ok bool) {
	if r == nil {
		return l, false
	}
	first := -1
	for i := range r.Standings {
		s := r.Standings[i].system
		if !slices.Contains(among, s) {
			continue
		}
		l.Of++
		switch {
		case first < 0:
			first, l.Best = i, s
		case !r.differ(first, i):
			l.Level = append(l.Level, s)
		}
	}
	return l, l.Of >= 2
}

// Ranked returns the systems of a ranking, best mean first.
func (r *Ranking) Ranked() []*scores.System {
	var out []*scores.System
	for i := range r.Standings {
		out = append(out, r.Standings[i].system)
	}
	return out
}
