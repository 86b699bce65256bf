package diff

import (
	"cmp"
	"fmt"
	"slices"

	"infbench/bench/results"
	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/reports/words"
)

// Changes holds two sets of trials side by side, number by number.
type Changes struct {
	Shifts []*Shift // by system as the set after lists them, then by slot
	Method string   // of the tests, in words

	before, after *scores.Set
	systems       []systemPair
}

// Shift is what became of one number of one system: a measure on one side of
// one task.
type Shift struct {
	System                         string
	Kind                           table.Kind
	Benchmark, Task, Side, Measure string

	Before, After scores.Cell // State is Unplanned where a set has no such number
	Lost          int         // queries that only the set before has a value for
	Incomparable  string      // why the two are numbers of different things; "" where they are not
	Test          *stats.Test // over the queries that both have a value for; nil where there is none
	Interval      stats.Interval
	Holm          float64 // P corrected over all tests of the two sets
	Moved         []MovedQuery

	pair systemPair
	at   slotPair
}

// MovedQuery is a query with its value before and after, means over the trials
// of a system.
type MovedQuery struct {
	Query  string  `json:"query"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Scoring is the measure with its side.
func (s *Shift) Scoring() string { return scores.Slot{Side: s.Side, Measure: s.Measure}.Scoring() }

// Place says what a shift is a shift of: "uni(P), nDCG@10 on mini-mair/entity".
func (s *Shift) Place() string {
	return fmt.Sprintf("%s, %s on %s/%s", s.System, s.Scoring(), s.Benchmark, s.Task)
}

// Real reports whether the corrected test tells the two numbers apart.
func (s *Shift) Real() bool {
	return s.Test != nil && s.Test.MeanDifference != 0 && s.Holm <= contrast.Significant
}

// systemPair is a system with what it was; either may be nil.
type systemPair struct{ before, after *scores.System }

// label is the name of a pair.
func (p systemPair) label() string {
	if p.after != nil {
		return p.after.Label
	}
	return p.before.Label
}

func (p systemPair) kind() table.Kind {
	if p.after != nil {
		return p.after.Kind
	}
	return p.before.Kind
}

// movedAtMost is how many queries a shift keeps.
const movedAtMost = 5

// Compare holds the trials of one set to those of another. Systems are the same
// where their configurations are, seeds aside, else where they are called the
// same; with alone, also where each set has one system left.
func Compare(before, after []*results.Experiment, alone bool, opts contrast.Options) (*Changes, error) {
	o := opts.WithDefaults()
	c := &Changes{}
	var err error
	if c.before, err = scores.New(before); err != nil {
		return nil, fmt.Errorf("before: %w", err)
	}
	if c.after, err = scores.New(after); err != nil {
		return nil, fmt.Errorf("after: %w", err)
	}
	c.systems = matchSystems(c.before, c.after, alone)
	slots := matchSlots(c.before, c.after)
	for _, p := range c.systems {
		for _, at := range slots {
			if s := c.shift(p, at); s != nil {
				c.Shifts = append(c.Shifts, s)
			}
		}
	}
	return c, c.test(o)
}

// slotPair is what was measured under the names of both sets.
type slotPair struct{ before, after scores.Slot }

// name is the slot as a reader knows it.
func (p slotPair) name() scores.Slot {
	if p.after != (scores.Slot{}) {
		return p.after
	}
	return p.before
}

// matchSlots pairs what was measured. Where a set has one revision of a
// benchmark its name is enough; of several, each is a benchmark by itself.
func matchSlots(before, after *scores.Set) []slotPair {
	var out []slotPair
	at := map[scores.Slot]int{}
	for _, s := range after.Slots {
		at[s] = len(out)
		out = append(out, slotPair{after: s})
	}
	for _, s := range before.Slots {
		if i, ok := at[s]; ok {
			out[i].before = s
		} else {
			out = append(out, slotPair{before: s})
		}
	}
	return out
}

// matchSystems pairs the systems of two sets, in the order of the second; those
// of the first that are gone come last.
func matchSystems(before, after *scores.Set, alone bool) []systemPair {
	pairs := make([]systemPair, len(after.Systems))
	taken := map[*scores.System]bool{}
	match := func(same func(a, b *scores.System) bool) {
		for i, s := range after.Systems {
			pairs[i].after = s
			if pairs[i].before != nil {
				continue
			}
			for _, was := range before.Systems {
				if !taken[was] && same(was, s) {
					pairs[i].before, taken[was] = was, true
					break
				}
			}
		}
	}
	match(func(a, b *scores.System) bool { return scores.Identity(a.Trials[0]) == scores.Identity(b.Trials[0]) })
	match(func(a, b *scores.System) bool { return a.Label == b.Label && a.Kind == b.Kind })
	left := slices.DeleteFunc(slices.Clone(before.Systems), func(s *scores.System) bool { return taken[s] })
	open := slices.DeleteFunc(slices.Clone(pairs), func(p systemPair) bool { return p.before != nil })
	if alone && len(left) == 1 && len(open) == 1 {
		match(func(a, b *scores.System) bool { return true })
		left = nil
	}
	for _, s := range left {
		pairs = append(pairs, systemPair{before: s})
	}
	return pairs
}

// shift fills in the cells of a number; nil where neither set planned it.
func (c *Changes) shift(p systemPair, at slotPair) *Shift {
	name := at.name()
	s := &Shift{System: p.label(), Kind: p.kind(), Benchmark: name.Benchmark, Task: name.Task, Side: name.Side, Measure: name.Measure,
		Before: scores.Cell{State: scores.Unplanned}, After: scores.Cell{State: scores.Unplanned}, pair: p, at: at}
	if p.before != nil && at.before != (scores.Slot{}) {
		s.Before = c.before.Cell(p.before, at.before.Column())
	}
	if p.after != nil && at.after != (scores.Slot{}) {
		s.After = c.after.Cell(p.after, at.after.Column())
	}
	if s.Before.State == scores.Unplanned && s.After.State == scores.Unplanned {
		return nil
	}
	was, is := c.before.Benchmarks[name.Benchmark], c.after.Benchmarks[name.Benchmark]
	if was != nil && is != nil && was.Described && is.Described && was.Revision != is.Revision {
		s.Incomparable = fmt.Sprintf("data of revision %s, before %s", firstDifference(is.Revision, was.Revision), firstDifference(was.Revision, is.Revision))
	}
	return s
}

// firstDifference shortens a revision to its part from where it differs from
// another, with enough of both to recognise it.
func firstDifference(s, other string) string {
	const shown = 40
	a, b := []rune(s), []rune(other)
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	start := max(0, i-8)
	text := string(a[start:min(len(a), start+shown)])
	if start > 0 {
		text = "…" + text
	}
	if start+shown < len(a) {
		text += "…"
	}
	return text
}

// test compares the values query by query and corrects over all tests.
func (c *Changes) test(o contrast.Options) error {
	var both []*Shift
	for _, s := range c.Shifts {
		if s.pair.before != nil && s.pair.after != nil && s.Before.State.Valued() && s.Incomparable == "" {
			both = append(both, s)
		}
	}
	how := o.PairedTest(len(both))
	c.Method = how.Words
	if err := contrast.InParallel(len(both), func(i int) error { return both[i].test(how, o) }); err != nil {
		return err
	}
	var tested []*Shift
	var ps []float64
	for _, s := range both {
		if s.Test != nil {
			tested, ps = append(tested, s), append(ps, s.Test.P)
		}
	}
	for i, p := range stats.Holm(ps) {
		tested[i].Holm = p
	}
	return nil
}

// test fills in what the values say query by query.
func (s *Shift) test(how contrast.PairedTest, o contrast.Options) error {
	if s.Before.Aggregate || s.After.Aggregate {
		return nil // nothing is known of the queries of one
	}
	queries, a := s.pair.before.PerQuery(s.at.before)
	found, values := s.pair.after.PerQuery(s.at.after)
	var was, is, d []float64
	for i, q := range queries {
		j, ok := slices.BinarySearch(found, q)
		if !ok {
			s.Lost++
			continue
		}
		was, is, d = append(was, a[i]), append(is, values[j]), append(d, values[j]-a[i])
		if d[len(d)-1] != 0 {
			s.Moved = append(s.Moved, MovedQuery{words.Clean(q), a[i], values[j]})
		}
	}
	slices.SortStableFunc(s.Moved, func(a, b MovedQuery) int {
		return cmp.Compare(distance(b), distance(a))
	})
	s.Moved = slices.Clip(s.Moved[:min(len(s.Moved), movedAtMost)])
	if len(d) < 2 {
		return nil
	}
	t, err := how.Run(was, is)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Place(), err)
	}
	s.Test = &t
	s.Interval = stats.BootstrapMean(d, contrast.Level, o.Resamples, o.Seed)
	return nil
}

// distance is how far a query moved.
func distance(q MovedQuery) float64 { return max(q.After-q.Before, q.Before-q.After) }
