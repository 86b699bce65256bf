package scores

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/runners/results"
)

// A configuration that an experiment picked as the best of several is marked in
// every row that it has a part in, whatever the format, and what the pick was made
// on is said.

// OnTest is the Selection.On of a pick by the numbers that are shown.
const OnTest = results.OnTest

// weaker is what must be said of a configuration that two experiments have: a pick
// on the test, whoever made it, else any pick.
func weaker(a, b results.Selection) results.Selection {
	if b.On == OnTest || a.On == "" {
		return b
	}
	return a
}

// Picked is how the configuration of a system was picked, the zero value where it
// was not.
func (s *System) Picked() (p results.Selection) {
	for _, t := range s.Trials {
		p = weaker(p, t.Selection)
	}
	return p
}

// pickedMark is what the label of a system ends with; "" where its configuration
// was not picked.
func (s *System) pickedMark() string {
	if on := s.Picked().On; on != "" {
		return ", " + pickedOn(on)
	}
	return ""
}

// ways lists what the configurations of some trials were picked on.
func ways(trials []*Trial) []string {
	var out []string
	for _, t := range trials {
		if t.Selection.On != "" {
			out = words.AddNew(out, t.Selection.On)
		}
	}
	return out
}

// apart sorts trials whose configurations were picked on several things, which must
// not share a board: by the pick of a trial, else by those of its experiment. What was not
// trained, and what no experiment picked among, is in every part.
func apart(trials []*Trial) (picked []string, parts [][]*Trial) {
	picked = ways(trials)
	if len(picked) < 2 {
		return []string{""}, [][]*Trial{trials}
	}
	of := map[string][]*Trial{}
	for _, t := range trials {
		of[t.Experiment] = append(of[t.Experiment], t)
	}
	for _, way := range picked {
		parts = append(parts, slices.DeleteFunc(slices.Clone(trials), func(t *Trial) bool {
			if t.Selection.On != "" {
				return t.Selection.On != way
			}
			known := ways(of[t.Experiment])
			return t.Config[results.Loss] != "" && len(known) > 0 && !slices.Contains(known, way)
		}))
	}
	return picked, parts
}

func pickedOn(on string) string { return "selected on " + words.Clean(on) }

// PickedNotes explains the marks of systems.
func PickedNotes(systems []*System) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range systems {
		if p := s.Picked(); p.On != "" && !seen[p.On] {
			seen[p.On] = true
			words := fmt.Sprintf("Rows marked \"%s\" are each the best of their group of configurations by %s", pickedOn(p.On), words.Clean(p.Measure))
			if p.On == OnTest {
				words += " on the very numbers shown: these are too high, and their p-values too low."
			} else {
				words += " on queries that no number here is from. They are the rows to quote: a higher number in another was not chosen beforehand."
			}
			out = append(out, words)
		}
	}
	return out
}

// markPicked marks the rows of a grid in which a pick on the test has a part, where
// the name of the system does not say so already.
func (g *building) markPicked() {
	if slices.Contains(g.Keys, KeySystem) {
		return
	}
	touched := make([]bool, len(g.Rows))
	for i := range g.Rows {
		for j := range g.Cols {
			in := g.cells[[2]int{i, j}]
			touched[i] = touched[i] || in != nil && slices.ContainsFunc(in.records, func(r Record) bool { return r.trial.Selection.On == OnTest })
		}
	}
	for i, row := range g.Rows {
		switch {
		case !touched[i]:
		case len(row) == 0: // everything in one row without a name
			g.Hidden = append(g.Hidden, "configurations "+pickedOn(OnTest))
		default:
			g.Rows[i] = slices.Clone(row)
			g.Rows[i][0] = strings.TrimPrefix(row[0]+", "+pickedOn(OnTest), ", ")
		}
	}
}
