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
	"infbench/reports/sentence"
	"infbench/reports/table"
)

// Brief is the first screen of a report: the boards with the best
// systems, the tests against the reference and the controls that fail. If other sections were asked for,
// it has these and the failing controls instead. Claims and published numbers follow the
// boards. A report without a board lists the missing results or, if no trial has a value, the
// first failure. A report without trials is shown in full.
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

// Full is the report with every section, also those that were not asked for.
func (r *Report) Full() *Report {
	full := *r
	full.Asked = false
	return &full
}

// brief is a board with its best systems, its tests against the reference and its controls,
// a sentence each.
func (b *Board) brief(reference string) section.Section {
	s := section.Section{ID: b.ID, Title: b.Name(), Intro: strings.Join(append(boardWarning(b), b.apart()...), " "), Tables: []*table.Table{b.short()}}
	said := []string{b.best().String()}
	if against, ok := b.compared(reference); ok {
		said = append(said, against.String())
	}
	controls, _ := b.failing()
	s.Parts = []section.Section{{ID: b.ID + "-says", Notes: append(said, controls)}}
	return s
}

// briefNotes limits the notes on single rows on a first screen.
const briefNotes = 5

// short returns the leaderboard with a short caption and at most briefNotes notes on single
// rows.
func (b *Board) short() *table.Table {
	t := *b.Leaderboard
	order := ""
	if i := strings.Index(t.Caption, sortedBy); i >= 0 {
		order = t.Caption[i:]
	}
	t.Caption, t.Bold = "Values ×100: means over queries, then tasks, then seeds."+order, "Bold is the best of its column."
	if b.Leaderboard.Bold != "" {
		t.Bold = b.Leaderboard.Bold
	}
	boards := len(t.Notes) - len(t.Remarks()) // notes on the board come before notes on rows
	t.Notes = slices.Concat(t.Notes[:boards], firstNotes(t.Notes[boards:]))
	return &t
}

// firstNotes returns the first notes and counts the others.
func firstNotes(notes []string) []string {
	if more := len(notes) - briefNotes; more > 1 {
		return append(notes[:briefNotes:briefNotes], fmt.Sprintf("%d more rows have a note in the full report.", more))
	}
	return notes
}

// best names the systems that are shown to be the best of a column and, for the other
// columns, those with the best value.
func (b *Board) best() sentence.Best {
	var out sentence.Best
	for _, r := range b.Rankings {
		if r == nil {
			continue
		}
		out.Ranked++
		into := &out.Leads
		if n := firsts(r); n > 1 {
			into = &out.Open
			if out.Level++; out.Least == 0 || n < out.Least {
				out.Least = n
			}
			out.Most = max(out.Most, n)
		}
		first := r.Standings[0].System
		i := slices.IndexFunc(*into, func(l sentence.Lead) bool { return l.System == first })
		if i < 0 {
			i, *into = len(*into), append(*into, sentence.Lead{System: first})
		}
		l := &(*into)[i]
		l.Numbers = append(l.Numbers, fmt.Sprintf("%s (%s)", r.Column.Label(), metrics.Percent(r.Column.Measure, r.Standings[0].Mean)))
	}
	return out
}

// tally counts the verdicts of tests of trained systems against the reference.
type tally struct {
	tested, ahead, behind, differ, untested int
	open                                    []string // system and number where no difference is shown
	oneRun                                  bool
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
				t.open = append(t.open, c.B.Label+" in "+c.On.Label())
			default:
				t.differ++
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

// compared counts the tests of trained systems against the reference. ok is false if there
// is nothing to say: no system was trained, and no reference was asked for.
func (b *Board) compared(reference string) (out sentence.Compared, ok bool) {
	t := b.tally()
	out = sentence.Compared{Reference: referenceWords(reference), Tested: t.tested, Better: t.ahead, Worse: t.behind, Differs: t.differ, Open: t.open, Untested: t.untested, OneRun: t.oneRun}
	if len(b.Families) == 0 {
		out.Untestable = b.untestable(reference)
		return out, len(b.Set.Trained()) > 0 || reference != contrast.DefaultReference
	}
	return out, t.tested+t.untested > 0
}

// firsts counts the systems that could be the best of a column.
func firsts(r *contrast.Ranking) int {
	n := 0
	for _, s := range r.Standings {
		if s.Low == 1 {
			n++
		}
	}
	return n
}

// failing reports which controls fail, and whether any does.
func (b *Board) failing() (text string, fails bool) {
	out := b.failures()
	out.Declared = asDeclared(b.controls)
	return out.String(), len(out.Failed) > 0
}

// failures lists which systems fail which controls in which numbers, and counts the checks.
func (b *Board) failures() (out sentence.Controls) {
	for _, t := range b.controls {
		begin := len(out.Failed)
		for _, row := range t.Rows {
			out.Checked++
			if !fails(row) {
				continue
			}
			number := row.Entries[1].Text
			i := slices.IndexFunc(out.Failed[begin:], func(f sentence.FailedControl) bool { return f.Number == number })
			if i < 0 {
				i, out.Failed = len(out.Failed)-begin, append(out.Failed, sentence.FailedControl{Control: strings.ToLower(t.Title), Number: number})
			}
			f := &out.Failed[begin+i]
			f.Systems = append(f.Systems, row.Entries[0].Text)
		}
	}
	if out.More = max(0, len(out.Failed)-failuresAtMost); out.More > 0 {
		out.Failed = out.Failed[:failuresAtMost]
	}
	return out
}

// failuresAtMost limits the failing controls that a first screen names.
const failuresAtMost = 3
