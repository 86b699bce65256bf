package site

import (
	"slices"

	"infbench/internal/words"
	"infbench/metrics/stats"
)

// trace is one number over the commits that have it.
type trace struct {
	System, Test, Scoring string
	Commits, Dates        []string
	Values                []float64
	Shifts                []stats.Shift // by place in Commits

	measured []stats.Measured
	spread   stats.Replicates // its runs so far, pooled
}

// tracesOf lists the numbers of a history, in the order of their first commit, with the
// steps and drifts of each.
func tracesOf(history []Commit) []*trace {
	var out []*trace
	index := map[[3]string]*trace{}
	for _, c := range history {
		now := make([]*trace, len(c.Values)) // nil of a second one of that name
		for i, v := range c.Values {
			key := [3]string{words.Clean(v.System), words.Clean(v.Test), words.Clean(v.Scoring)}
			s := index[key]
			if s == nil {
				s = &trace{System: key[0], Test: key[1], Scoring: key[2]}
				index[key] = s
				out = append(out, s)
			}
			if n := len(s.Commits); n == 0 || s.Commits[n-1] != c.Commit {
				s.add(c, v)
				now[i] = s
			}
		}
		share(now, c)
	}
	for _, s := range out {
		s.Shifts = stats.Shifts(s.measured)
	}
	return out
}

// add takes the value of a commit over.
func (s *trace) add(c Commit, v CommitValue) {
	s.Commits, s.Dates, s.Values = append(s.Commits, c.Commit), append(s.Dates, words.Clean(c.Date)), append(s.Values, v.Value)
	m := stats.Measured{Value: v.Value, Moved: v.Moved * v.Moved, MovedFreedom: float64(max(1, v.Queries-1)), Among: len(c.Values)}
	if _, drawn := c.Seeds[v.System]; !drawn && v.Runs > 0 {
		m.Noise = stats.Defined(0)
	}
	if v.Runs > 1 {
		freedom, more := float64(max(0, s.spread.Runs-1)), float64(v.Runs-1)
		s.spread.Variance = (freedom*s.spread.Variance + more*v.Spread*v.Spread) / (freedom + more)
		s.spread.Runs = int(freedom+more) + 1
	}
	s.measured = append(s.measured, m)
}

// unreplicated reports whether nobody can tell yet how the runs of a number vary: each
// commit has run it once. What stood still to the last digit has not moved, whatever it is.
func (s *trace) unreplicated() bool {
	_, known := s.measured[len(s.measured)-1].Noise.Get()
	still := len(s.Values) > 1 && slices.Min(s.Values) == slices.Max(s.Values)
	return !known && !still && !stats.Judged(s.measured)
}

// differ is the level at which systems are said to differ in how their runs vary.
const differ = 0.05

// share fills in how runs vary, as far as a commit and those before it tell: over all
// systems on one number together, where they vary alike.
func share(now []*trace, c Commit) {
	by := map[[2]string][]stats.Replicates{}
	for i, s := range now {
		if s != nil && c.Values[i].Runs > 1 {
			key := [2]string{s.Test, s.Scoring}
			by[key] = append(by[key], s.spread)
		}
	}
	pools := map[[2]string]stats.Seeds{}
	for key, all := range by {
		pools[key] = stats.Pool(all)
	}
	for i, s := range now {
		runs := c.Values[i].Runs
		if s == nil || runs < 2 {
			continue
		}
		together := pools[[2]string{s.Test, s.Scoring}]
		if p, tested := together.Alike.Get(); tested && p < differ {
			together = stats.Pool([]stats.Replicates{s.spread})
		}
		m := &s.measured[len(s.measured)-1]
		m.Noise, m.Freedom = stats.Defined(together.Variance/float64(runs)), together.Freedom
	}
}
