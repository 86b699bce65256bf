package diff

import (
	"slices"

	"infbench/reports/contrast"
	"infbench/reports/scores"
)

// Means lists the changes of the boards' means over several tasks, as shifts without tests. It
// includes means that both sets show over the same tasks, for systems that have complete values in
// both. Missing values are reported for their task.
func (c *Changes) Means() []*Shift {
	var numbers []scores.Number
	before := means(c.before)
	for _, n := range means(c.after) {
		if slices.ContainsFunc(before, n.Same) {
			numbers = append(numbers, n)
		}
	}
	complete := map[slotAt]bool{}
	for _, s := range c.Shifts {
		complete[s.at()] = s.Incomparable == "" && s.Lost == 0 && s.Before.State.Valued() && s.After.State.Valued() && len(s.After.Absent) == 0
	}
	var out []*Shift
	for _, p := range c.systems {
		for _, n := range numbers {
			if s := c.mean(p, n); s != nil && !slices.ContainsFunc(n.Slots(), func(at scores.Slot) bool { return !complete[slotAt{p.shown(), at}] }) {
				out = append(out, s)
			}
		}
	}
	return out
}

// WithMeans returns the changes with the boards' means over several tasks as further shifts, all
// tested as one family.
func (c *Changes) WithMeans() *Changes {
	all := *c
	all.Shifts = nil
	for _, s := range slices.Concat(c.Shifts, c.Means()) {
		shift := *s
		shift.Contrast = &contrast.Contrast{A: s.Contrast.A, B: s.Contrast.B, On: s.Contrast.On, Why: s.Contrast.Why}
		all.Shifts = append(all.Shifts, &shift)
	}
	all.test()
	return &all
}

// slotAt is a slot of a system.
type slotAt struct {
	of *scores.System
	at scores.Slot
}

// at returns the system and slot of a shift of a single task.
func (s *Shift) at() slotAt {
	return slotAt{systemPair{s.Contrast.A, s.Contrast.B}.shown(), s.Contrast.On.Slots()[0]}
}

// means lists the boards' numbers over several tasks.
func means(v *scores.Set) []scores.Number {
	return slices.DeleteFunc(columns(v), func(n scores.Number) bool { return len(n.Slots()) == 1 })
}

// columns lists the numbers of boards.
func columns(v *scores.Set) []scores.Number {
	var out []scores.Number
	for _, name := range v.BenchmarkNames() {
		out = append(out, v.Columns(name).Main()...)
	}
	return out
}

// OnBoards reports for each shift whether the boards of the set after show its number.
func (c *Changes) OnBoards(shifts []*Shift) map[*Shift]bool {
	shown := columns(c.after)
	out := map[*Shift]bool{}
	for _, s := range shifts {
		out[s] = slices.ContainsFunc(shown, s.Contrast.On.Same)
	}
	return out
}

// mean returns the shift of a system's mean, or nil if a side has none.
func (c *Changes) mean(p systemPair, n scores.Number) *Shift {
	if p.before == nil || p.after == nil {
		return nil
	}
	s := c.shiftOf(p, n)
	s.Before, s.After = c.before.Cell(p.before, n), c.after.Cell(p.after, n)
	if !s.Before.State.Valued() || !s.After.State.Valued() {
		return nil
	}
	return s
}

// Sets returns the compared sets.
func (c *Changes) Sets() (before, after *scores.Set) { return c.before, c.after }
