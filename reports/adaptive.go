package reports

import (
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// adaptiveSections show, for each sweep whose cells were chosen as results came in, how it
// went: what it stated before it began, what it shows of each comparison, after how many
// cells and at which error rate, why each cell was run, and what must not be read from it.
// They show the log of the sweep and decide nothing.
func adaptiveSections(v *scores.Set, exps []*results.Experiment) []section.Section {
	var out []section.Section
	for _, e := range exps {
		if e.Active == nil {
			continue
		}
		l := sweepLog{e.Active, fmt.Sprintf("active-%d", len(out)+1)}
		s := section.Section{ID: l.id, Title: "Cells chosen as results came in", Nav: "Chosen cells", Intro: l.stated(words.Clean(e.Name)), Notes: l.refused(), Source: section.TestsOfRuns()}
		s.Show(l.comparisons(), section.TestsOfRuns())
		s.Show(l.rounds(), section.OfRuns())
		s.Show(l.cells(v), section.OfRuns())
		s.Parts[2].Folded = true
		out = append(out, s)
	}
	return out
}

// sweepLog is the log of one experiment, with the ID of its section.
type sweepLog struct {
	*results.ActiveLog
	id string
}

// stated is what was said before the first cell.
func (l sweepLog) stated(name string) string {
	text := fmt.Sprintf("Before its first cell %s stated what is to be decided: %s, with a chance of %v %% that any verdict is false, by %d cells at most. The first %d were drawn (seed %d); then %d at a time were those expected to take most off the variances of what is open, in shares of each.",
		name, words.Clean(l.Claims), 100*l.Alpha, l.Budget, l.Start, l.Seed, l.Round)
	if l.Before > 0 {
		text += fmt.Sprintf(" %s finished before that: the error rate holds if neither the claims nor the draw were chosen by looking at them.", words.Plural(l.Before, "cell was", "cells were"))
	}
	return text
}

// refused is what must not be read from the sweep.
func (l sweepLog) refused() []string {
	var out []string
	if last := l.Last(); last != nil {
		for _, left := range last.Left {
			out = append(out, "Not decided by it: "+words.Clean(left)+".")
		}
	}
	return append(out, "While cells of the plan are not run, no other test is made of it, here or by infbench claims: where it ended was for its data to say, and a test at such a place is false more often than it says.")
}

// comparisons are how all that is compared stands at the end.
func (l sweepLog) comparisons() *table.Table {
	t := &table.Table{ID: l.id + "-comparisons", Title: "What it says",
		Caption: fmt.Sprintf("Differences ×100, above 0 where the claim says so. Shown after: how many cells had been looked at. Level: the two-sided share of alpha at which it was shown, over all its looks (alpha spending), or at which it stands; claims weigh alike, and what is shown leaves its share to the others (Holm). Limits hold together, of all rows at all looks, in %v %% of such sweeps. Information: of what all cells would tell. Chance: that all cells would show it.", 100*(1-l.Alpha)),
		Columns: []table.Column{{Name: "claim"}, {Name: "against"}, {Name: "on"}, {Name: "stands"}, {Name: "difference", Number: true, Best: table.NoBest}, {Name: "limits", Number: true, Best: table.NoBest},
			{Name: "shown after", Number: true, Best: table.NoBest}, {Name: "level", Number: true, Best: table.NoBest}, {Name: "looks", Number: true, Best: table.NoBest}, {Name: "information", Number: true, Best: table.NoBest}, {Name: "chance", Number: true, Best: table.NoBest}}}
	for i, s := range l.Standings() {
		row := []string{s.Claim, s.Against, s.On, s.Side, "", "", "", "", fmt.Sprint(s.Looks), "", ""}
		if s.Looks > 0 {
			row[4], row[9] = words.Fixed(100*s.Value, 1), fmt.Sprintf("%.0f %%", 100*s.Share)
		}
		if s.Low != nil && s.High != nil {
			row[5] = fmt.Sprintf("%s, %s", words.Fixed(100**s.Low, 1), words.Fixed(100**s.High, 1))
		}
		if s.Side == openSide {
			row[10] = fmt.Sprintf("%.0f %%", 100*s.Chance)
		} else {
			row[6] = fmt.Sprint(l.Rounds[l.shown(i)].Done)
		}
		if s.Level > 0 {
			row[7] = fmt.Sprintf("%.4f", s.Level)
		}
		t.Rows = append(t.Rows, rowOf(row...))
	}
	return t
}

// openSide is the side of a comparison that shows no difference yet.
const openSide = "open"

// shown is the round that first shows a comparison, which stands by its place in all rounds
// that looked at results.
func (l sweepLog) shown(comparison int) int {
	return slices.IndexFunc(l.Rounds, func(r results.ActiveRound) bool {
		return comparison < len(r.Standings) && r.Standings[comparison].Side != openSide
	})
}

// rounds are the decisions in their order.
func (l sweepLog) rounds() *table.Table {
	t := &table.Table{ID: l.id + "-rounds", Title: "Its rounds", Caption: "Looked at: cells whose results were known. Chosen: cells that were run for that.",
		Columns: []table.Column{{Name: "round", Number: true, Best: table.NoBest}, {Name: "looked at", Number: true, Best: table.NoBest}, {Name: "shown in it"}, {Name: "chosen", Number: true, Best: table.NoBest}, {Name: "failed", Number: true, Best: table.NoBest}, {Name: "it ended"}}}
	for i, r := range l.Rounds {
		var settled []string
		for k, s := range r.Standings {
			if l.shown(k) == i {
				settled = append(settled, comparisonName(s)+" "+s.Side)
			}
		}
		t.Rows = append(t.Rows, rowOf(fmt.Sprint(r.Round), fmt.Sprint(r.Done), words.Listed(settled), fmt.Sprint(len(r.Cells)), fmt.Sprint(len(r.Failed)), r.Stop))
	}
	return t
}

// comparisonName names the two sides of a comparison.
func comparisonName(s results.ActiveStanding) string {
	if s.Against == "" {
		return s.Claim
	}
	return s.Claim + " (" + s.Against + ")"
}

// cells are why each was run.
func (l sweepLog) cells(v *scores.Set) *table.Table {
	t := &table.Table{ID: l.id + "-cells", Title: "Why each cell was run", Caption: "By how much of the variance of which comparisons it was expected to take off, itself or half of it and its partner.",
		Columns: []table.Column{{Name: "round", Number: true, Best: table.NoBest}, {Name: "system"}, {Name: "seed", Number: true, Best: table.NoBest}, {Name: "why"}, {Name: "trial", Code: true}}}
	type cell struct{ system, seed string }
	known := map[string]cell{}
	for _, s := range v.Systems {
		for _, at := range s.Trials {
			known[at.ID] = cell{s.Label, at.Config[results.Seed]}
		}
	}
	for _, r := range l.Rounds {
		for _, c := range r.Cells {
			t.Rows = append(t.Rows, rowOf(fmt.Sprint(r.Round), known[c.ID].system, known[c.ID].seed, c.Why, c.ID))
		}
	}
	return t
}

// rowOf is a row of texts.
func rowOf(texts ...string) table.Row {
	var row table.Row
	for _, text := range texts {
		row.Entries = append(row.Entries, table.Entry{Text: words.Clean(text)})
	}
	return row
}
