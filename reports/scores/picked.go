package scores

import (
	"fmt"
	"slices"
	"strings"

	"infbench/reports/words"
)

// A configuration that an experiment picked as the best of several is marked in
// every row that it has a part in, whatever the format, and what the pick was made
// on is said.

// OnTest is the Selection.On of a pick by the numbers that are shown.
const OnTest = "test"

// pickedMark is what the label of a system ends with; "" where its configuration
// was not picked.
func (s *System) pickedMark() string {
	for _, t := range s.Trials {
		if t.Selection.On != "" {
			return ", " + pickedOn(t.Selection.On)
		}
	}
	return ""
}

func pickedOn(on string) string { return "selected on " + words.Clean(on) }

// PickedNotes explains the marks of systems.
func PickedNotes(systems []*System) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range systems {
		for _, t := range s.Trials {
			p := t.Selection
			if p.On == "" || seen[p.On] {
				continue
			}
			seen[p.On] = true
			words := fmt.Sprintf("Rows marked \"%s\" are each the best of their group of configurations by %s", pickedOn(p.On), words.Clean(p.Measure))
			if p.On == OnTest {
				words += " on the very numbers shown: these are too high, and their p-values too low."
			} else {
				words += " on queries that no number here is from."
			}
			out = append(out, words)
		}
	}
	return out
}

// markPicked marks the rows of a grid in which a pick on the test has a part, where
// the name of the system does not say so already.
func (b *builder) markPicked(g *Grid) {
	if slices.Contains(g.Keys, KeySystem) {
		return
	}
	touched := make([]bool, len(g.Rows))
	for i, row := range g.Rows {
		for _, col := range g.Cols {
			in := b.cells[words.Joined(g.Table, row, col)]
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
