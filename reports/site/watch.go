package site

import (
	"slices"

	"infbench/internal/words"
	"infbench/metrics/stats"
)

// trace is the values of one number over the commits that have it.
type trace struct {
	System, Test, Scoring string
	Commits, Dates        []string
	Values                []float64
	Shifts                []stats.Shift // by index in Commits

	measured []stats.Measured
	spread   stats.Replicates // all runs so far, pooled
}

// tracesOf lists the numbers of a history, in the order of their first commit, with their steps and
// drifts.
func tracesOf(history []Commit) []*trace {
	var out []*trace
	index := map[[3]string]*trace{}
	for _, c := range history {
		now := make([]*trace, len(c.Values)) // nil for a second value with the same name
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

// add appends the value of a commit.
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

// unreplicated reports whether the variation of a number's runs is still unknown, because each
// commit has run it once. A number that is the same to the last digit has not moved in any case.
func (s *trace) unreplicated() bool {
	_, known := s.measured[len(s.measured)-1].Noise.Get()
	still := len(s.Values) > 1 && slices.Min(s.Values) == slices.Max(s.Values)
	return !known && !still && !stats.Judged(s.measured)
}

// differ is the significance level at which systems count as differing in the variation of their
// runs.
const differ = 0.05

// share records the variation of runs, as far as a commit and those before it show it: pooled over
// all systems of one number if they vary alike.
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
