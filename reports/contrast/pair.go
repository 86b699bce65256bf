package contrast

import (
	"slices"

	"infbench/reports/scores"
)

// Pair compares two ranked systems as the ranking did: corrected by Holm over all of its
// pairs, with one of the intervals that hold together for them. It is nil where one of
// them has no place.
func (r *Ranking) Pair(a, b *scores.System) *Contrast {
	if r.Of(a) == nil || r.Of(b) == nil {
		return nil
	}
	c := &Contrast{A: a, B: b, On: r.Column}
	if c.test(r.runs); c.Why != "" {
		return c
	}
	at := slices.Index(r.family, c.P)
	if at < 0 { // rounded otherwise, by another order of the two
		at = nearest(r.family, c.P)
	}
	c.Adjusted = r.adjusted()[at]
	c.TheseSeedsToo = c.Adjusted > Significant && min(1, c.fixed*float64(r.Pairs)) <= Significant
	c.together = r.Pairs
	return c
}

// nearest is the place of the value that is nearest to one.
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

// Lead is the best of some systems by a ranking, with those of the others that no test
// shows to be behind it, nearest first: any of them may be the best. ok is false where
// fewer than two have a place.
type Lead struct {
	Best  *scores.System
	Level []*scores.System
	Of    int // how many of them have a place
}

// Leader finds the best of some systems.
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

// Ranked lists the systems of a ranking, best mean first.
func (r *Ranking) Ranked() []*scores.System {
	var out []*scores.System
	for i := range r.Standings {
		out = append(out, r.Standings[i].system)
	}
	return out
}
