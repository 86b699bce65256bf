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

// adaptiveSections returns a section for each sweep that chose its cells by results: its
// statement before the first cell, the results of its comparisons with cells and error
// rates, the reason for each cell, and which conclusions are not valid. They show the log
// of the sweep and make no decisions.
func adaptiveSections(v *scores.Set, exps []*results.Experiment) []section.Section {
	var out []section.Section
	for _, e := range exps {
		if e.Active == nil {
			continue
		}
		l := sweepLog{e.Active, fmt.Sprintf("active-%d", len(out)+1)}
		s := section.Section{ID: l.id, Title: "Cells chosen by results", Nav: "Chosen cells", Intro: l.stated(words.Clean(e.Name)), Notes: l.refused(), Source: section.TestsOfRuns()}
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

// stated describes the statement made before the first cell.
func (l sweepLog) stated(name string) string {
	text := fmt.Sprintf("Before its first cell, %s stated the claims to decide: %s, with an error rate of %v %% over all verdicts and at most %d cells. The first %d cells were drawn at random (seed %d). After that, each round chose the %d cells that were expected to reduce the variances of the open comparisons most, as a share of each.",
		name, words.Clean(l.Claims), 100*l.Alpha, l.Budget, l.Start, l.Seed, l.Round)
	if l.Before > 0 {
		text += fmt.Sprintf(" %s finished before that: the error rate is valid only if neither the claims nor the random draw were chosen by their results.", words.Plural(l.Before, "cell was", "cells were"))
	}
	return text
}

// refused lists conclusions that are not valid for the sweep.
func (l sweepLog) refused() []string {
	var out []string
	if last := l.Last(); last != nil {
		for _, left := range last.Left {
			out = append(out, "Not decided: "+words.Clean(left)+".")
		}
	}
	return append(out, "The results decided when this sweep ended, so other tests would be wrong more often than their level. While cells of the plan have not run, neither this page nor infbench claims makes other tests.")
}

// comparisons returns the final state of all comparisons.
func (l sweepLog) comparisons() *table.Table {
	t := &table.Table{ID: l.id + "-comparisons", Title: "Results of its comparisons",
		Caption: fmt.Sprintf("Differences ×100, positive if they agree with the claim. Shown after: number of cells examined when it was shown. Level: two-sided share of alpha at which it was shown, over all its looks (alpha spending), or its current share. Claims have equal weight, and a claim that is shown passes its share to the others (Holm). Limits are simultaneous over all rows and looks with %v %% coverage. Information: share of the information of all cells. Chance: probability that all cells would show it.", 100*(1-l.Alpha)),
		Columns: []table.Column{{Name: "claim"}, {Name: "against"}, {Name: "on"}, {Name: "result"}, {Name: "difference", Number: true, Best: table.NoBest}, {Name: "limits", Number: true, Best: table.NoBest},
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

// shown returns the first round that shows a comparison. Comparisons have the same index
// in all rounds.
func (l sweepLog) shown(comparison int) int {
	return slices.IndexFunc(l.Rounds, func(r results.ActiveRound) bool {
		return comparison < len(r.Standings) && r.Standings[comparison].Side != openSide
	})
}

// rounds lists the decisions in their order.
func (l sweepLog) rounds() *table.Table {
	t := &table.Table{ID: l.id + "-rounds", Title: "Rounds", Caption: "Examined: cells whose results were known. Chosen: cells that were then run.",
		Columns: []table.Column{{Name: "round", Number: true, Best: table.NoBest}, {Name: "examined", Number: true, Best: table.NoBest}, {Name: "shown in this round"}, {Name: "chosen", Number: true, Best: table.NoBest}, {Name: "failed", Number: true, Best: table.NoBest}, {Name: "why it ended"}}}
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

// cells lists why each cell was run.
func (l sweepLog) cells(v *scores.Set) *table.Table {
	t := &table.Table{ID: l.id + "-cells", Title: "Why each cell was run", Caption: "The share by which a cell was expected to reduce the variance of a comparison, alone or as half of a pair with its partner.",
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

// rowOf returns a row of texts.
func rowOf(texts ...string) table.Row {
	var row table.Row
	for _, text := range texts {
		row.Entries = append(row.Entries, table.Entry{Text: words.Clean(text)})
	}
	return row
}
