package reports

import (
	"fmt"
	"strconv"
	"strings"

	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/section"
	"infbench/reports/table"
)

// Limits of the matrices of one board.
const (
	pairedAtMost   = 24 // systems, the best of a column
	matricesAtMost = 4
)

// pairSections compares every two systems, on the first number of each benchmark that ranks
// them.
func pairSections(b *Board, _ Options) ([]section.Section, error) {
	s := section.Section{ID: b.ID + "-pairs", Title: "Every pair of systems", Nav: "Pairs", Folded: true, Unprinted: true}
	seen := map[string]bool{}
	for i, c := range b.Numbers {
		if r := b.Rankings[i]; r != nil && !seen[c.Benchmark] && len(s.Tables) < matricesAtMost {
			seen[c.Benchmark] = true
			s.Tables = append(s.Tables, pairTable(fmt.Sprintf("%s-%d", s.ID, len(s.Tables)+1), r, b.pairs()))
		}
	}
	return []section.Section{s}, nil
}

// pairTable is a matrix of the ranked systems, best first: the difference of the row from the
// column. A pair has the same test as elsewhere on the page.
func pairTable(id string, r *contrast.Ranking, pairs contrast.Pairs) *table.Table {
	all := r.Ranked()
	shown := all[:min(len(all), pairedAtMost)]
	t := &table.Table{ID: id, Title: "Every pair of systems, " + r.Column.Label(),
		Columns: []table.Column{{Name: "system"}, {Name: "wins", Number: true, Best: table.NoBest}, {Name: "losses", Number: true, Best: table.NoBest}}}
	for _, s := range shown {
		t.Columns = append(t.Columns, table.Column{Name: s.Label, Number: true, Best: table.NoBest})
	}
	var tests []*contrast.Contrast
	for _, a := range shown {
		row := table.Row{Kind: a.Kind, Entries: make([]table.Entry, 3, len(t.Columns))}
		row.Entries[0] = table.Entry{Text: a.Label}
		wins, losses := 0, 0
		for _, b := range shown {
			if a == b {
				row.Entries = append(row.Entries, table.Entry{Text: "–"})
				continue
			}
			c := pairs.Of(r.Column, b, a)
			row.Entries = append(row.Entries, pairEntry(c))
			if c == nil {
				continue
			}
			tests = append(tests, c)
			switch c.Judged() {
			case contrast.Better:
				wins++
			case contrast.Worse:
				losses++
			}
		}
		row.Entries[1], row.Entries[2] = table.Number(strconv.Itoa(wins), float64(wins)), table.Number(strconv.Itoa(losses), float64(losses))
		t.Rows = append(t.Rows, row)
	}
	t.Caption = fmt.Sprintf("%s: the row minus the column, ×100. Wins and losses count the systems that a test shows to be worse and better. "+
		"Below a difference, the page has its simultaneous 95%% interval and its p-value.", r.Column.Label())
	t.Colours = fmt.Sprintf("Coloured entries are significant by %s, corrected by Holm over the %s.", contrast.Method, strings.Join(contrast.Families(tests), ", or the "))
	if len(shown) < len(all) {
		t.Notes = append(t.Notes, fmt.Sprintf("The best %d of %s systems are compared; the correction is over all.", len(shown), words.Group(len(all))))
	}
	if r.OneRun {
		t.Notes = append(t.Notes, "Results of systems trained once are for "+contrast.ThisRun+" only.")
	}
	return t
}

// pairEntry is the difference of two systems with its interval and p-value below.
func pairEntry(c *contrast.Contrast) table.Entry {
	if c == nil || c.Why != "" {
		return table.Entry{Text: "not tested", Tone: table.Absent}
	}
	e := table.Number(words.Signed(c.Difference), c.Difference)
	e.Tone = c.Judged().Tone()
	between := words.Minus(words.Interval(c.Interval().Get()))
	// Lines break between the interval and the p-value.
	unbroken := func(text string) string { return strings.ReplaceAll(text, " ", "\u00a0") }
	e.Under = unbroken(between) + " " + unbroken(words.PIs(c.Adjusted))
	return e
}
