package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/renderer"
)

// byWeight lists the shifts of which both sides have a number, those that tests
// tell apart first, then by the size of the difference.
func (c *Changes) byWeight() []*Shift {
	var out []*Shift
	for _, s := range c.Shifts {
		if s.Before.State.Valued() && s.After.State.Valued() {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *Shift) int {
		return cmp.Or(boolFirst(a.Real(), b.Real()), cmp.Compare(b.size(), a.size()))
	})
	return out
}

func boolFirst(a, b bool) int {
	switch {
	case a && !b:
		return -1
	case b && !a:
		return 1
	}
	return 0
}

// difference is after minus before.
func (s *Shift) difference() float64 {
	if s.Test != nil {
		return s.Test.MeanDifference
	}
	return s.After.Value - s.Before.Value
}

func (s *Shift) size() float64 { return max(s.difference(), -s.difference()) }

// gone lists the numbers that only one side has.
func (c *Changes) gone() (lost, fresh []*Shift) {
	for _, s := range c.Shifts {
		switch was, is := s.Before.State.Valued(), s.After.State.Valued(); {
		case was && !is:
			lost = append(lost, s)
		case is && !was:
			fresh = append(fresh, s)
		}
	}
	return lost, fresh
}

// matched counts the systems that both sets have.
func (c *Changes) matched() int {
	n := 0
	for _, p := range c.systems {
		if p.before != nil && p.after != nil {
			n++
		}
	}
	return n
}

// verdict words what the test allows to say of a shift.
func (s *Shift) verdict() Entry {
	switch {
	case s.Incomparable != "":
		return Entry{Text: "other data", Tone: Absent}
	case s.Test == nil:
		return Entry{Text: "too few queries to test", Tone: Absent}
	case s.Test.MeanDifference == 0 && len(s.Moved) == 0:
		return Entry{Text: "the same"}
	case !s.Real():
		return Entry{Text: "no difference shown"}
	case s.Test.MeanDifference > 0:
		return Entry{Text: "higher", Tone: Better}
	}
	return Entry{Text: "lower", Tone: Worse}
}

// shiftTable lists shifts with their tests.
func shiftTable(id, title string, shifts []*Shift) *Table {
	t := &Table{ID: id, Title: title, Columns: []Column{{Name: "system"}, {Name: "number"}, {Name: "before", Number: true}, {Name: "after", Number: true},
		{Name: "difference", Number: true}, {Name: "95% interval", Number: true}, {Name: "p (Holm)", Number: true}, {Name: "verdict"}}}
	for _, s := range shifts {
		change, p := Entry{Text: undefinedMark}, Entry{Text: undefinedMark}
		if s.Incomparable == "" {
			change = number(signed(s.difference()), s.difference())
		}
		if s.Test != nil {
			p = number(pValue(s.Holm), s.Holm)
		}
		t.Rows = append(t.Rows, Row{Entries: []Entry{{Text: s.System}, {Text: s.Scoring() + " on " + s.Benchmark + "/" + s.Task},
			s.Before.entry(), s.After.entry(), change, {Text: interval(s.Interval)}, p, s.verdict()}})
	}
	return t
}

// movedTable lists the queries that moved most under each shift.
func movedTable(shifts []*Shift) *Table {
	t := &Table{ID: "moved", Title: "Queries that moved most", Columns: []Column{{Name: "system"}, {Name: "number"}, {Name: "query"},
		{Name: "before", Number: true}, {Name: "after", Number: true}, {Name: "difference", Number: true}}}
	for _, s := range shifts {
		for _, q := range s.Moved {
			t.Rows = append(t.Rows, Row{Entries: []Entry{{Text: s.System}, {Text: s.Scoring() + " on " + s.Benchmark + "/" + s.Task}, {Text: q.Query},
				number(percent(s.Measure, q.Before), q.Before), number(percent(s.Measure, q.After), q.After), number(signed(q.After-q.Before), q.After-q.Before)}})
		}
	}
	return t
}

// WriteDiff prints why two sets differ, then the numbers that moved most, at
// most top of them, with their queries.
func WriteDiff(w io.Writer, c *Changes, facts map[string]Facts, top int) error {
	p := &printer{w: w}
	lines := c.causeLines(facts)
	for _, l := range lines {
		p.line(l)
	}
	shifts := c.byWeight()
	moved := slices.DeleteFunc(slices.Clone(shifts), func(s *Shift) bool { return s.Incomparable == "" && s.size() == 0 && len(s.Moved) == 0 })
	p.line("")
	p.line(fmt.Sprintf("%s of %s that both have moved.", group(len(moved)), plural(len(shifts), "number", "numbers")))
	if len(moved) > 0 {
		shown := moved[:min(top, len(moved))]
		if len(shown) < len(moved) {
			p.line(fmt.Sprintf("The %d with the clearest differences:", len(shown)))
		}
		p.keep(shiftTable("shifts", "", shown).text(w, renderer.NewBlueprint(), func(e Entry) string { return clean(e.Text) }, " "))
		p.line("Tests: " + c.Method + ", corrected by Holm over all of them.")
		if t := movedTable(shown); len(t.Rows) > 0 {
			p.line("")
			p.line(t.Title + ":")
			p.keep(t.text(w, renderer.NewBlueprint(), func(e Entry) string { return clean(e.Text) }, " "))
		}
	}
	lost, fresh := c.gone()
	p.line(listShifts("Only before", lost))
	p.line(listShifts("Only after", fresh))
	return p.err
}

// listShifts names numbers in one line, at most five of them.
func listShifts(title string, shifts []*Shift) string {
	if len(shifts) == 0 {
		return title + ": nothing."
	}
	const shown = 5
	var names []string
	for _, s := range shifts[:min(shown, len(shifts))] {
		names = append(names, s.Place())
	}
	if len(shifts) > shown {
		names = append(names, fmt.Sprintf("and %d more", len(shifts)-shown))
	}
	return fmt.Sprintf("%s (%d): %s.", title, len(shifts), strings.Join(names, "; "))
}

// causeLines words the causes: those that differ in order, then the others.
func (c *Changes) causeLines(facts map[string]Facts) []string {
	n := c.matched()
	if n == 0 {
		return []string{"No system is in both sets, so nothing can be compared."}
	}
	out := []string{fmt.Sprintf("%s in both sets. What differs, first causes first:", plural(n, "system", "systems"))}
	others := map[CauseState][]string{}
	place := 0
	for _, cause := range c.Causes(facts) {
		if cause.State != Differs {
			others[cause.State] = append(others[cause.State], cause.Name)
			continue
		}
		place++
		for i, d := range cause.Differ {
			head := fmt.Sprintf("%3d. %s: ", place, cause.Name)
			if i > 0 {
				head = strings.Repeat(" ", 7)
			}
			out = append(out, head+d.words(n))
		}
	}
	if place == 0 {
		out = append(out, "  nothing that is recorded")
	}
	for _, state := range []CauseState{Same, NotRecorded} {
		if names := others[state]; len(names) > 0 {
			out = append(out, fmt.Sprintf("%s: %s.", state, strings.Join(names, ", ")))
		}
	}
	return out
}
