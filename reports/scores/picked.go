package scores

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/runners/results"
)

// A configuration that an experiment picked as the best of several is marked in every row
// that includes it, in all formats, with the data that the pick was based on.

// OnTest is the Selection.On of a pick based on the shown numbers.
const OnTest = results.OnTest

// weaker returns the selection to report for a configuration of two experiments: a pick on
// the test if there is one, else any pick.
func weaker(a, b results.Selection) results.Selection {
	if b.On == OnTest || a.On == "" {
		return b
	}
	return a
}

// Picked returns how the configuration of a system was picked, the zero value if it was
// not.
func (s *System) Picked() (p results.Selection) {
	for _, t := range s.Trials {
		p = weaker(p, t.Selection)
	}
	return p
}

// pickedMark returns the end of a system's label; "" if its configuration was not picked.
func (s *System) pickedMark() string {
	if on := s.Picked().On; on != "" {
		return ", " + pickedOn(on)
	}
	return ""
}

// ways lists the data that the configurations of some trials were picked on.
func ways(trials []*Trial) []string {
	var out []string
	for _, t := range trials {
		if t.Selection.On != "" {
			out = words.AddNew(out, t.Selection.On)
		}
	}
	return out
}

// apart groups trials by the data that their configurations were picked on, which must not
// share a board: by the pick of a trial, else by the picks of its experiment. Untrained
// systems, and those of experiments without a pick, are in every part.
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
				words += " on the numbers shown here, so these are too high and their p-values too low."
			} else {
				words += " on queries that are in none of these numbers. Quote these rows: a higher number in another row was not chosen beforehand."
			}
			out = append(out, words)
		}
	}
	return out
}

// markPicked marks the rows of a grid that include a pick on the test, unless the name of
// the system shows it already.
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
		case len(row) == 0: // all in one row without a name
			g.Hidden = append(g.Hidden, "configurations "+pickedOn(OnTest))
		default:
			g.Rows[i] = slices.Clone(row)
			g.Rows[i][0] = strings.TrimPrefix(row[0]+", "+pickedOn(OnTest), ", ")
		}
	}
}
