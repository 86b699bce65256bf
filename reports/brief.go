package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// Brief is the first screen of a report: its boards, coloured by what the tests say, and
// what they come to: who is best, what is undecided, which controls fail. Where something
// else was asked for it is that, with the controls that fail; claims and published numbers
// that were asked for stand below the boards. Without a board it is what is missing, where
// no trial has a value what went wrong first, and without trials the whole report.
func (r *Report) Brief() *Report {
	if len(r.set.Trials) == 0 {
		return r
	}
	brief := *r
	brief.Warnings, brief.Lead = nil, append([]string{completeness(r.set)}, r.set.Notes...)
	if !r.Asked {
		brief.Sections = nil
	}
	for _, b := range r.Boards {
		switch failing, fails := b.failing(); {
		case !r.Asked:
			brief.Sections = append(brief.Sections, b.brief(cmp.Or(b.reference, r.options.Reference)))
		case fails:
			brief.Lead = append(brief.Lead, failing)
		}
	}
	if !r.Asked {
		brief.Sections = append(brief.Sections, r.beside...)
	}
	if len(brief.Sections) == 0 {
		if said := whyNoBoard(r.set); said != nil {
			brief.Lead = said
		} else {
			brief.Sections, _ = coverageSections(r) // it never fails
		}
	}
	brief.Lead = append(brief.Lead, r.said...)
	if warned := len(overlapWarnings(r.set, r.options.Overlaps)); warned > 0 {
		brief.Warnings = []string{fmt.Sprintf("%s of training data with these benchmarks.", words.Plural(warned, "warning of an overlap", "warnings of overlaps"))}
	}
	return &brief
}

// Whole is a report of every section, whatever was asked for.
func (r *Report) Whole() *Report {
	whole := *r
	whole.Asked = false
	return &whole
}

// brief is a board with what it says, in three sentences.
func (b *Board) brief(reference string) section.Section {
	s := section.Section{ID: b.ID, Title: b.Name(), Intro: strings.Join(boardWarning(b), " "), Tables: []*table.Table{b.coloured(reference)}}
	controls, _ := b.failing()
	s.Parts = []section.Section{{ID: b.ID + "-says", Notes: []string{b.best(reference), b.undecided(reference), controls}}}
	return s
}

// briefNotes bounds what is said of single rows on a first screen.
const briefNotes = 5

// coloured is the leaderboard with each number in the colour of its verdict against the
// reference, and few of the notes on single rows.
func (b *Board) coloured(reference string) *table.Table {
	t := *b.Leaderboard
	t.Caption, t.Bold = "Values ×100: means over queries, then tasks, then seeds.", "Bold is the best of its column."
	if b.Leaderboard.Bold != "" {
		t.Bold = b.Leaderboard.Bold
	}
	t.Rows = slices.Clone(t.Rows)
	for i := range t.Rows {
		t.Rows[i].Entries = slices.Clone(t.Rows[i].Entries)
		for j, c := range b.Numbers {
			e := &t.Rows[i].Entries[len(t.Columns)-len(b.Numbers)+j]
			if have := b.contrastOf(t.Rows[i].Entries[0].Text, c); have != nil && e.Tone == table.Plain {
				e.Tone = have.Judged().Tone()
			}
		}
	}
	if len(b.Families) > 0 {
		t.Against = referenceWords(reference)
	}
	boards := len(t.Notes) - len(t.Remarks()) // those on the whole board come before those on rows
	t.Notes = slices.Concat(t.Notes[:boards], firstNotes(t.Notes[boards:]))
	sortBy(&t, cmp.Or(b.sorted, len(t.Columns)-len(b.Numbers)))
	return &t
}

// firstNotes are the first of many notes.
func firstNotes(notes []string) []string {
	if more := len(notes) - briefNotes; more > 1 {
		return append(notes[:briefNotes:briefNotes], fmt.Sprintf("%d more rows have a note in the whole report.", more))
	}
	return notes
}

// contrastOf finds the contrast of the system of that label with its reference.
func (b *Board) contrastOf(label string, c scores.Number) *contrast.Contrast {
	i := slices.IndexFunc(b.Set.Systems, func(s *scores.System) bool { return s.Label == label })
	if i < 0 {
		return nil
	}
	return b.contrast(b.Set.Systems[i], c)
}

// best says who has the best number of each column, and how many of the trained systems
// are ahead of the reference.
func (b *Board) best(reference string) string {
	var order []string
	leads := map[string][]string{}
	for _, r := range b.Rankings {
		if r == nil {
			continue
		}
		first := r.Standings[0].System
		order = words.AddNew(order, first)
		leads[first] = append(leads[first], fmt.Sprintf("%s (%s)", named(r.Column), metrics.Percent(r.Column.Measure, r.Standings[0].Mean)))
	}
	var said []string
	for _, system := range order {
		said = append(said, system+" in "+words.First(3, leads[system]))
	}
	out := "Best: " + cmp.Or(strings.Join(said, "; "), "nothing can be ranked") + "."
	if t := b.tally(); t.tested > 0 {
		out += fmt.Sprintf(" Against %s the trained systems are ahead in %d of %s and behind in %d.", referenceWords(reference), t.ahead, words.Plural(t.tested, "test", "tests"), t.behind)
	}
	return out
}

// tally counts what the tests of trained systems against the reference say.
type tally struct {
	tested, ahead, behind, untested int
	open                            []string // system and number of those that show nothing
	oneRun                          bool
}

func (b *Board) tally() tally {
	var t tally
	for _, f := range b.Families {
		for _, c := range f.Contrasts {
			if c.B.Kind != table.Trained || !b.Shows(c.On) {
				continue
			}
			switch v := c.Judged(); {
			case v == contrast.Untested:
				t.untested++
				continue
			case v == contrast.Better:
				t.ahead++
			case v == contrast.Worse:
				t.behind++
			case v == contrast.Unshown:
				t.open = append(t.open, c.B.Label+" in "+named(c.On))
			}
			t.tested++
			t.oneRun = t.oneRun || c.OneRun
		}
	}
	return t
}

// Shows reports whether a number has a column on the board.
func (b *Board) Shows(c scores.Number) bool {
	return slices.ContainsFunc(b.Numbers, c.Same)
}

// undecided says what the tests leave open: who is first, and who differs from the
// reference.
func (b *Board) undecided(reference string) string {
	var said []string
	ranked, open, least, most := 0, 0, 0, 0
	for _, r := range b.Rankings {
		if r == nil {
			continue
		}
		ranked++
		if n := firsts(r); n > 1 {
			if open++; least == 0 || n < least {
				least = n
			}
			most = max(most, n)
		}
	}
	if open > 0 {
		systems := fmt.Sprint(least)
		if most > least {
			systems = fmt.Sprintf("%d to %d", least, most)
		}
		said = append(said, fmt.Sprintf("who is first in %d of %s (%s systems may be)", open, words.Plural(ranked, "column", "columns"), systems))
	}
	t := b.tally()
	switch {
	case len(t.open) == t.tested && t.tested > 1:
		said = append(said, fmt.Sprintf("whether any trained system differs from %s", referenceWords(reference)))
	case len(t.open) > 0:
		said = append(said, fmt.Sprintf("who differs from %s: %s", referenceWords(reference), words.First(3, t.open)))
	}
	if len(b.Families) == 0 {
		said = append(said, fmt.Sprintf("all against %q, since no system is called so", reference))
	}
	if t.untested > 0 {
		said = append(said, fmt.Sprintf("%s without a test", words.Plural(t.untested, "comparison", "comparisons")))
	}
	nothing := "nothing that was tested"
	if ranked+t.tested == 0 {
		nothing = "all: nothing was tested"
	}
	out := "Undecided: " + cmp.Or(strings.Join(said, "; "), nothing) + "."
	if t.oneRun {
		out += " Verdicts on systems trained once are said of that run."
	}
	return out
}

// firsts counts the systems that may be first.
func firsts(r *contrast.Ranking) int {
	n := 0
	for _, s := range r.Standings {
		if s.Low == 1 {
			n++
		}
	}
	return n
}

// failing says which controls fail, and whether any does.
func (b *Board) failing() (words string, fails bool) {
	said, held := b.failures()
	declared := asDeclared(b.controls)
	if declared != "" {
		declared = " " + declared
	}
	switch {
	case len(said) > 0:
		return "Controls that fail: " + strings.Join(said, "; ") + "." + declared, true
	case held == 0:
		return "Controls: there is none on this board.", false
	}
	return fmt.Sprintf("Controls: all hold (%d checked).", held) + declared, false
}

// failures says which systems fail which controls in which numbers, and counts what was
// checked.
func (b *Board) failures() (said []string, held int) {
	for _, t := range b.controls {
		var order []string
		failed := map[string][]string{} // systems by number
		for _, row := range t.Rows {
			held++
			if fails(row) {
				number := row.Entries[1].Text
				order = words.AddNew(order, number)
				failed[number] = append(failed[number], row.Entries[0].Text)
			}
		}
		for _, number := range order {
			said = append(said, fmt.Sprintf("%s: %s in %s", strings.ToLower(t.Title), words.First(3, failed[number]), number))
		}
	}
	if more := len(said) - failuresAtMost; more > 0 {
		said = append(said[:failuresAtMost], fmt.Sprintf("%d more", more))
	}
	return said, held
}

// failuresAtMost bounds the controls that a first screen names.
const failuresAtMost = 3

// named is a number in a sentence.
func named(c scores.Number) string { return c.Scoring() + " on " + c.Test() }
