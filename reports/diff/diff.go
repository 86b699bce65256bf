// Package diff lists the differences between two sets of results, with the recorded causes:
// settings, data, weights, builds. It does not decide whether a change is more than noise; package
// gate does.
package diff

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/reports/terminal"
	"infbench/runners/results"
)

// ByWeight lists the shifts with a number on both sides: significant ones first, then by the size
// of the difference.
func (c *Changes) ByWeight() []*Shift {
	return ByWeight(c.Shifts)
}

// ByWeight lists the shifts that have a value on both sides, those that are shown first, then by
// size.
func ByWeight(shifts []*Shift) []*Shift {
	var out []*Shift
	for _, s := range shifts {
		if s.Before.State.Valued() && s.After.State.Valued() {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *Shift) int {
		if a.Real() != b.Real() {
			return map[bool]int{true: -1, false: 1}[a.Real()]
		}
		return cmp.Compare(b.Size(), a.Size())
	})
	return out
}

// Difference returns after minus before, over the common queries if they were tested.
func (s *Shift) Difference() float64 {
	if s.Contrast.Why == "" {
		return s.Contrast.Difference
	}
	return s.After.Value - s.Before.Value
}

func (s *Shift) Size() float64 { return max(s.Difference(), -s.Difference()) }

// Gone lists the numbers that only one side has.
func (c *Changes) Gone() (lost, fresh []*Shift) {
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

// verdict describes the result of the test of a shift; for equal values no test is needed.
func (s *Shift) verdict() table.Entry {
	if s.Contrast.Why == "" && s.Contrast.Difference == 0 && len(s.Moved) == 0 {
		return table.Entry{Text: "the same"}
	}
	return s.Contrast.Entry()
}

// ShiftTable lists shifts with their tests.
func ShiftTable(id, title string, shifts []*Shift) *table.Table {
	t := &table.Table{ID: id, Title: title, Columns: []table.Column{{Name: "system"}, {Name: "number"}, {Name: "before", Number: true}, {Name: "after", Number: true},
		{Name: "difference", Number: true}, {Name: "95% interval", Number: true}, {Name: "p (Holm)", Number: true}, {Name: "verdict"}}}
	for _, s := range shifts {
		change, p := table.Entry{Text: words.UndefinedMark}, table.Entry{Text: words.UndefinedMark}
		if s.Incomparable == "" {
			change = table.Number(words.Signed(s.Difference()), s.Difference())
		}
		if c := s.Contrast; c.Why == "" {
			p = table.Number(words.PValue(c.Adjusted), c.Adjusted)
		}
		t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: s.System}, {Text: s.Number()},
			s.Before.Entry(), s.After.Entry(), change, {Text: words.Interval(s.Contrast.Interval().Get())}, p, s.verdict()}})
	}
	return t
}

// movedTable lists the queries that moved most under each shift.
func movedTable(shifts []*Shift) *table.Table {
	t := &table.Table{ID: "moved", Title: "Queries that moved most", Columns: []table.Column{{Name: "system"}, {Name: "number"}, {Name: "query"},
		{Name: "before", Number: true}, {Name: "after", Number: true}, {Name: "difference", Number: true}}}
	for _, s := range shifts {
		for _, q := range s.Moved {
			t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: s.System}, {Text: s.Scoring() + " on " + s.Benchmark + "/" + s.Task}, {Text: q.Query},
				table.Number(metrics.Percent(s.Measure, q.Before), q.Before), table.Number(metrics.Percent(s.Measure, q.After), q.After), table.Number(words.Signed(q.After-q.Before), q.After-q.Before)}})
		}
	}
	return t
}

// WriteDiff prints why two sets differ, then the top numbers that moved most, with their queries.
func WriteDiff(w io.Writer, c *Changes, facts map[string]results.Facts, top int) error {
	p := &table.Printer{W: w}
	screen := terminal.On(w)
	say := func(lines ...string) {
		for _, line := range lines {
			p.Line(line)
		}
	}
	for _, text := range slices.Concat(c.causeLines(facts), c.builds()) {
		say(screen.Lines("", text)...)
	}
	shifts := c.ByWeight()
	moved := slices.DeleteFunc(slices.Clone(shifts), func(s *Shift) bool { return s.Incomparable == "" && s.Size() == 0 && len(s.Moved) == 0 })
	p.Line("")
	p.Line(fmt.Sprintf("%s of %s in both sets moved.", words.Group(len(moved)), words.Plural(len(shifts), "number", "numbers")))
	if len(moved) > 0 {
		shown := moved[:min(top, len(moved))]
		if len(shown) < len(moved) {
			p.Line(fmt.Sprintf("The %d with the clearest differences:", len(shown)))
		}
		say(screen.Table(ShiftTable("shifts", "", shown))...)
		say(screen.Lines("", "Values and differences ×100. Tests: "+contrast.Method+", corrected by Holm over all of them.")...)
		if t := movedTable(shown); len(t.Rows) > 0 {
			p.Line("")
			p.Line(t.Title + ":")
			say(screen.Table(t)...)
		}
	}
	lost, fresh := c.Gone()
	say(screen.Lines("", ListShifts("Only before", lost))...)
	say(screen.Lines("", ListShifts("Only after", fresh))...)
	return p.Err
}

// builds explains which cells come from which build, for each set with several builds.
func (c *Changes) builds() []string {
	var out []string
	for i, v := range []*scores.Set{c.before, c.after} {
		for _, note := range scores.BuildNotes(v) {
			out = append(out, []string{"Before: ", "After: "}[i]+note)
		}
	}
	return out
}

// ListShifts names numbers in one line, at most five of them.
func ListShifts(title string, shifts []*Shift) string {
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

// causeLines describes the causes: first those that differ, then the others.
func (c *Changes) causeLines(facts map[string]results.Facts) []string {
	n := c.matched()
	if n == 0 {
		return []string{"No system is in both sets, so nothing can be compared."}
	}
	out := []string{fmt.Sprintf("%s in both sets. Differences, first causes first:", words.Plural(n, "system", "systems"))}
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
		out = append(out, "  no recorded difference")
	}
	for _, state := range []CauseState{Same, NotRecorded} {
		if names := others[state]; len(names) > 0 {
			out = append(out, fmt.Sprintf("%s: %s.", state, strings.Join(names, ", ")))
		}
	}
	return out
}
