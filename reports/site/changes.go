package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics/stats"
)

// Change is a step or a drift of a number.
type Change struct {
	stats.Shift
	of *trace
}

// changesOf lists the steps and drifts of all numbers, the latest alarm first.
func changesOf(history []Commit, all []*trace) []Change {
	place := map[string]int{}
	for i, c := range history {
		place[c.Commit] = i
	}
	var out []Change
	for _, s := range all {
		for _, shift := range s.Shifts {
			out = append(out, Change{shift, s})
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(place[b.named()], place[a.named()]) })
	return out
}

// named returns the commit that gave the alarm.
func (c Change) named() string { return c.of.Commits[c.Named] }

// The kinds of changes.
const (
	stepped = "step"
	drifted = "drift"
)

func (c Change) called() string {
	if c.Drift() {
		return drifted
	}
	return stepped
}

// moves returns "step" or "drift" if a commit is part of one, else "".
func (s *trace) moves(i int) string {
	for _, shift := range s.Shifts {
		if shift.From < i && i <= shift.To {
			return Change{shift, s}.called()
		}
	}
	return ""
}

// reportsDir has the full reports of past commits, by their names; reportsKept is the largest
// number of them.
const (
	reportsDir  = "reports"
	reportsKept = 12
)

// keptReport returns the place of the full report of a commit.
func keptReport(commit string) string {
	return reportsDir + "/" + siteName(commit) + ".html"
}

// worthKeeping lists the commits whose full report a site keeps, the latest first: the first
// commits with the marks of a gate, and those that named a step or a drift.
func worthKeeping(history []Commit, changes []Change) []string {
	named := map[string]bool{}
	for _, c := range changes {
		named[c.named()] = true
	}
	for _, m := range markedOf(history) {
		named[m.commits[0].Commit] = true
	}
	var out []string
	for _, c := range slices.Backward(history) {
		if named[c.Commit] && len(out) < reportsKept {
			out = append(out, c.Commit)
		}
	}
	return out
}

// siteChange is a step or a drift on a page.
type siteChange struct {
	System, Href, Number string
	Called, Commits      string
	Before, After        string
	Causes               []string
	Report               string // "" if none is kept
}

// siteMark is a commit that a gate marked.
type siteMark struct {
	Commit, Report string
	Still          string // the later commits with the same marks
	Marks          []Mark
	Left           int // number of marks that are not listed
	Causes         []string
}

// rowsShown limits the tables of changes.
const rowsShown = 50

// shifts lists the steps and drifts of a system, or of all systems for the label "". up is the path
// from the page to the root.
func (w *siteWriter) shifts(label, up string) []siteChange {
	var out []siteChange
	for _, c := range w.changes {
		if label != "" && c.of.System != label || len(out) == rowsShown {
			continue
		}
		from, to := c.of.label(c.From), c.of.label(c.To)
		s := siteChange{System: c.of.System, Href: up + modelPage(c.of.System), Number: c.of.Scoring + " on " + c.of.Test, Called: c.called(), Commits: to,
			Before: words.PercentExact(c.Before), After: words.PercentExact(c.After), Causes: w.causes(c), Report: w.reportOf(c.named(), up)}
		if c.Drift() {
			s.Commits = fmt.Sprintf("%s to %s, over %s", from, to, words.Plural(c.To-c.From+1, "commit", "commits"))
		}
		out = append(out, s)
	}
	return out
}

// undecided describes how many numbers of a system, or of all systems for the label "", may have
// moved, because the variation between seeds is not known yet. judged reports whether any other
// number was judged. Numbers that are no longer measured are not counted.
func (w *siteWriter) undecided(label string) (judged bool, text string) {
	open, numbers, commits := 0, 0, 0
	for _, s := range w.all {
		if label != "" && s.System != label || len(w.history) == 0 || s.Commits[len(s.Commits)-1] != w.history[len(w.history)-1].Commit {
			continue
		}
		numbers++
		if s.unreplicated() {
			open, commits = open+1, max(commits, len(s.Commits))
		}
	}
	if open == 0 {
		return true, ""
	}
	of := ""
	if open < numbers {
		of = fmt.Sprintf(" for %d of %s", open, words.Plural(numbers, "number", "numbers"))
	}
	return open < numbers, fmt.Sprintf("Undecided%s: the variation between seeds is not known yet (%d of %d commits). With several seeds a commit, the second commit shows it.", of, commits, stats.LeastCommits)
}

// reportOf returns the address of the full report of a commit; up is the path to the root.
func (w *siteWriter) reportOf(commit, up string) string {
	if !slices.Contains(w.kept, commit) {
		return ""
	}
	return up + keptReport(commit)
}

// causesShown limits the listed causes of a change.
const causesShown = 6

// causes lists the recorded differences of the commits of a change; if there are several commits,
// each difference names its commit.
func (w *siteWriter) causes(c Change) []string {
	moving := c.of.Commits[c.From+1 : c.To+1]
	var out []string
	for _, commit := range w.history {
		if !slices.Contains(moving, commit.Commit) {
			continue
		}
		for _, cause := range commit.Causes {
			if len(moving) > 1 {
				cause = words.Shorten(commit.Commit) + ": " + cause
			}
			out = append(out, words.Clean(cause))
		}
	}
	if n := len(out) - causesShown; n > 0 {
		out = append(out[:causesShown], fmt.Sprintf("and %d more", n))
	}
	return out
}

// marked is a group of neighbouring commits that have no other marks than the first.
type marked struct{ commits []Commit }

// markedOf lists the groups of marked commits, in order.
func markedOf(history []Commit) []marked {
	var out []marked
	open := false // the commit before was marked
	for _, c := range history {
		switch n := len(out); {
		case len(c.Marks) == 0:
			open = false
		case open && out[n-1].covers(c):
			out[n-1].commits = append(out[n-1].commits, c)
		default:
			out, open = append(out, marked{[]Commit{c}}), true
		}
	}
	return out
}

// covers reports whether the first commit has all marks of c.
func (m marked) covers(c Commit) bool {
	return !slices.ContainsFunc(c.Marks, func(mark Mark) bool {
		return !slices.ContainsFunc(m.commits[0].Marks, mark.alike)
	})
}

// marksShown limits the listed marks of one commit.
const marksShown = 5

// marks lists the commits that a gate marked, the latest first.
func (w *siteWriter) marks() []siteMark {
	var out []siteMark
	for _, group := range slices.Backward(markedOf(w.history)) {
		if len(out) == rowsShown {
			break
		}
		c := group.commits[0]
		shown := c.Marks[:min(len(c.Marks), marksShown)]
		m := siteMark{Commit: commitLabel(c.Commit, c.Date), Report: w.reportOf(c.Commit, ""), Left: len(c.Marks) - len(shown), Causes: words.CleanAll(c.Causes)}
		if n := len(group.commits); n > 1 {
			last := group.commits[n-1]
			m.Still = fmt.Sprintf("and still at %s, %s later", commitLabel(last.Commit, last.Date), words.Plural(n-1, "commit", "commits"))
		}
		for _, mark := range shown {
			m.Marks = append(m.Marks, Mark{words.Clean(mark.Number), words.Clean(mark.Reason), mark.Accepted, mark.Undecided})
		}
		out = append(out, m)
	}
	return out
}

// reasonGone returns why a system is no longer measured, as far as the history shows: a system that
// the plan no longer asks for is not lost.
func (w *siteWriter) reasonGone(label string) string {
	for _, c := range slices.Backward(w.history) {
		at := commitLabel(c.Commit, c.Date)
		if slices.Contains(c.Dropped, label) {
			return "no longer asked for since " + at
		}
		if slices.ContainsFunc(c.Lost, func(place string) bool { return strings.HasPrefix(place, label+", ") }) {
			return "lost: planned, without a result since " + at
		}
	}
	return ""
}
