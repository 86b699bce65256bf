package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Changes compares two sets of trials number by number.
type Changes struct {
	Shifts []*Shift // in the order of systems in the set after, then by slot

	before, after *scores.Set
	systems       []systemPair
	planned       map[string]bool // experiments of the later set that are completely planned
}

// Shift is the change of one number of one system: a measure on one side of one task.
type Shift struct {
	System                         string
	Kind                           table.Kind
	Benchmark, Task, Side, Measure string

	Before, After scores.Cell        // State is Unplanned if a set has no such number
	Lost          int                // queries with a value only in the set before
	Incomparable  string             // why the two numbers are not comparable; "" if they are
	Contrast      *contrast.Contrast // why the two numbers are not comparable, or ""
	Moved         []contrast.Moved

	replanned bool // the complete plans for the system in the set after are known
}

// Scoring returns the measure with its side.
func (s *Shift) Scoring() string { return scores.Slot{Side: s.Side, Measure: s.Measure}.Scoring() }

// Place names the system and the number of a shift: "uni(P), nDCG@10 on mini-mair/entity".
func (s *Shift) Place() string { return s.System + ", " + s.Number() }

// Number names the number: "nDCG@10 on mini-mair/entity", "nDCG@10 on mini-mair (mean of 6 tasks)".
func (s *Shift) Number() string { return s.Scoring() + " on " + s.Contrast.On.Test() }

// Real reports whether the difference is significant after correction.
func (s *Shift) Real() bool { return s.Contrast.Shown() }

// systemPair is a system in both sets; either may be nil.
type systemPair struct{ before, after *scores.System }

// shown returns the system that gives a pair its name.
func (p systemPair) shown() *scores.System { return cmp.Or(p.after, p.before) }

// movedAtMost limits the queries that a shift keeps.
const movedAtMost = 5

// Compare compares the trials of two sets. Systems match if their configurations are equal, apart
// from seeds, else if their labels are. With alone, the last remaining system of one set also
// matches that of the other.
func Compare(before, after []*results.Experiment, alone bool) (*Changes, error) {
	c := &Changes{planned: map[string]bool{}}
	for _, e := range after {
		if e.Planned {
			c.planned[words.Clean(e.Name)] = true
		}
	}
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
	c.test()
	return c, nil
}

// slotOf is a slot with the sets that have it.
type slotOf struct {
	scores.Slot
	before, after bool
}

// matchSlots lists the slots of both sets, in the order of the second set. The name of a benchmark
// is enough if a set has one revision of it; several revisions are separate benchmarks.
func matchSlots(before, after *scores.Set) []slotOf {
	var out []slotOf
	for _, s := range after.Slots {
		out = append(out, slotOf{s, slices.Contains(before.Slots, s), true})
	}
	for _, s := range before.Slots {
		if !slices.Contains(after.Slots, s) {
			out = append(out, slotOf{s, true, false})
		}
	}
	return out
}

// matchSystems pairs the systems of two sets, in the order of the second. Systems that only the
// first has come last.
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

// shift returns a number with its cells, or nil if neither set planned it.
func (c *Changes) shift(p systemPair, at slotOf) *Shift {
	s := c.shiftOf(p, at.Column())
	s.Task, s.replanned = at.Task, isReplanned(p, c.planned)
	if p.before != nil && at.before {
		s.Before = c.before.Cell(p.before, at.Column())
	}
	if p.after != nil && at.after {
		s.After = c.after.Cell(p.after, at.Column())
	}
	if s.Before.State == scores.Unplanned && s.After.State == scores.Unplanned {
		return nil
	}
	s.compared()
	was, is := c.before.Benchmarks[at.Benchmark], c.after.Benchmarks[at.Benchmark]
	if was != nil && is != nil && was.Described && is.Described && was.Revision != is.Revision {
		s.Incomparable = fmt.Sprintf("data of revision %s, before %s", firstDifference(is.Revision, was.Revision), firstDifference(was.Revision, is.Revision))
		s.Contrast.Why = "other data"
	} else if was != nil && is != nil {
		s.otherContent(was, is)
	}
	return s
}

// shiftOf returns the shift of a number before its cells are filled in.
func (c *Changes) shiftOf(p systemPair, on scores.Number) *Shift {
	return &Shift{System: p.shown().Label, Kind: p.shown().Kind, Benchmark: on.Benchmark, Side: on.Side, Measure: on.Measure,
		Before: scores.Cell{State: scores.Unplanned}, After: scores.Cell{State: scores.Unplanned},
		Contrast: &contrast.Contrast{A: p.before, B: p.after, On: on}}
}

// AddNames adds the other names of the system to those of its label: with complete values, and in
// the baseline.
func (s *Shift) AddNames(names map[string][]string) {
	if s.Contrast == nil {
		return
	}
	for _, of := range []*scores.System{s.Contrast.A, s.Contrast.B} {
		if of == nil {
			continue
		}
		for _, name := range []string{of.Label, of.Long} {
			if name != "" && name != s.System {
				names[s.System] = words.AddNew(names[s.System], name)
			}
		}
	}
}

// compared records why there is nothing to test if a side has no value.
func (s *Shift) compared() {
	switch {
	case s.Contrast.A == nil || !s.Before.State.Valued():
		s.Contrast.Why = "new"
	case s.Contrast.B == nil:
		s.Contrast.Why = "missing"
	}
}

// otherContent records the parts of the task whose content differs.
func (s *Shift) otherContent(was, is *scores.Benchmark) {
	before, known := was.Content[s.Task]
	after, both := is.Content[s.Task]
	if !known || !both || before == after {
		return
	}
	var other []string
	old := results.Parts(before)
	for i, part := range results.Parts(after) {
		if part != old[i] {
			other = append(other, part.Name)
		}
	}
	s.Incomparable, s.Contrast.Why = "other "+strings.Join(other, ", "), "other data"
}

// firstDifference shortens a revision to the part around its first difference from another, with
// enough context to recognise it.
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

// test compares the two sets, with all their numbers as one family.
func (c *Changes) test() {
	var both []*Shift
	var f contrast.Family
	for _, s := range c.Shifts {
		if s.Contrast.Why == "" {
			both, f.Contrasts = append(both, s), append(f.Contrasts, s.Contrast)
		}
	}
	f.Test(c.before, c.after)
	for _, s := range both {
		if !s.Before.Aggregate && !s.After.Aggregate {
			s.Lost, s.Moved = s.Contrast.Lost, s.Contrast.Moved(movedAtMost)
		}
	}
}
