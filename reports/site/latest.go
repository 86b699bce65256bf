package site

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/gate"
	"infbench/reports/table"
)

// The results of a gate for a commit.
const (
	gateFailed    = "failed"
	gateUndecided = "undecided"
	gateAccepted  = "accepted"
)

// gateOf returns the result of marks, the worst of them first: "" for none.
func gateOf(marks []Mark) string {
	result := ""
	for _, m := range marks {
		switch {
		case !m.Accepted && !m.Undecided:
			return gateFailed
		case m.Undecided:
			result = gateUndecided
		case result == "":
			result = gateAccepted
		}
	}
	return result
}

// gates returns the results of all commits for a number, or for any number if it is nil.
func (w *siteWriter) gates(of *trace) map[string]string {
	out := map[string]string{}
	for _, c := range w.history {
		marks := c.Marks
		if of != nil {
			marks = slices.DeleteFunc(slices.Clone(marks), func(m Mark) bool {
				return words.Clean(m.Number) != of.System+", "+of.Scoring+" on "+of.Test
			})
		}
		out[c.Commit] = gateOf(marks)
	}
	return out
}

// latest describes the last commit; nil without a history.
func (w *siteWriter) latest() *siteCommit {
	if len(w.history) == 0 {
		return nil
	}
	c := w.history[len(w.history)-1]
	out := &siteCommit{Commit: words.Shorten(c.Commit), Date: day(c.Date)}
	if result := gateOf(c.Marks); result != "" {
		n := 0
		for _, m := range c.Marks {
			if gateOf([]Mark{m}) == result {
				n++
			}
		}
		out.Gate = fmt.Sprintf("gate: %s, %s", result, words.Plural(n, "number", "numbers"))
	}
	return out
}

// traceOf finds the history of a number of a leaderboard up to the last commit; nil if there is
// none.
func (w *siteWriter) traceOf(system string, c table.Column) *trace {
	for _, t := range w.all {
		if t.System == words.Clean(system) && t.Test == c.Group && t.Scoring == c.Name && t.Commits[len(t.Commits)-1] == w.history[len(w.history)-1].Commit {
			return t
		}
	}
	return nil
}

// leading returns the history of the best value in the first column of numbers of a leaderboard.
func (w *siteWriter) leading(t *table.Table) *trace {
	at := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Number && c.Best != table.NoBest })
	if at < 0 || len(t.Rows) == 0 {
		return nil
	}
	row := max(0, slices.IndexFunc(t.Rows, func(r table.Row) bool { return r.Entries[at].Best }))
	return w.traceOf(t.Rows[row].Entries[0].Text, t.Columns[at])
}

// withChanges returns a leaderboard that has, below each number, its change since the previous commit
// that has the number.
func (w *siteWriter) withChanges(t *table.Table) *table.Table {
	out := *t
	out.Rows = slices.Clone(t.Rows)
	changed := false
	for i, row := range out.Rows {
		entries := slices.Clone(row.Entries)
		for j, c := range t.Columns {
			if !c.Number || gate.IsCount(strings.Split(c.Name, " ")[0]) {
				continue
			}
			of := w.traceOf(row.Entries[0].Text, c)
			if of == nil || len(of.Values) < 2 {
				continue
			}
			by := of.Values[len(of.Values)-1] - of.Values[len(of.Values)-2]
			if text := words.Signed(by); text != "0.0" {
				changed = true
				entries[j].Under = strings.TrimPrefix(entries[j].Under+" · "+text, " · ")
			}
		}
		out.Rows[i].Entries = entries
	}
	if changed {
		out.Notes = append(slices.Clone(t.Notes), "Small signed numbers: the change since the previous commit that has the number.")
	}
	return &out
}
