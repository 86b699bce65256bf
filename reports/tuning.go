package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// tuningSections shows how settings were chosen, below the board.
func tuningSections(b *Board, _ Options) ([]section.Section, error) {
	return []section.Section{tuningSection(b.ID+"-tuning", b.Set)}, nil
}

// tuningSection shows how the settings of trained systems were found: how many
// configurations were tried, which was chosen, and whether it is at the edge of the tried
// range. If rows were tuned unequally, a difference between them may come from tuning.
// Nothing is tested here. The section is empty if nothing was trained.
func tuningSection(id string, v *scores.Set) section.Section {
	s := section.Section{ID: id, Title: "Tuning", Folded: true}
	groups := tuningGroups(v)
	if len(groups) == 0 {
		return s
	}
	t := &table.Table{ID: id + "-table", Title: "Tuning",
		Caption: "Configurations that were tried for each row, according to the run folders, not counting seeds; which one was chosen and how; and which of its numbers are the smallest or the largest tried. A better value may lie beyond such an edge.",
		Columns: []table.Column{{Name: "row"}, {Name: "tried", Number: true}, {Name: "chosen"}, {Name: "of these values"}, {Name: "at the edge"}},
		Notes:   tuningNotes(v),
	}
	if !slices.ContainsFunc(groups, func(g *tuningGroup) bool { return g.Tried > 1 }) {
		t.Notes = append(t.Notes, "One configuration was tried for each row. If its settings were chosen earlier by trying them with one of these rows, that row has an advantage that is not visible here.")
	}
	for _, g := range groups {
		t.Rows = append(t.Rows, g.row())
	}
	s.Tables = []*table.Table{t}
	return s
}

// row returns the row of a group.
func (g *tuningGroup) row() table.Row {
	return table.Row{Kind: table.Trained, Entries: []table.Entry{
		{Text: g.name()}, table.Number(words.Group(g.Tried), float64(g.Tried)), {Text: g.choice()}, {Text: g.values()}, g.edges(),
	}}
}

// name names a group: by the chosen row, else by the first with the number of others.
func (g *tuningGroup) name() string {
	switch more := len(g.Systems) - 1; {
	case g.Chosen != nil:
		return g.Chosen.Label
	case more > 0:
		return fmt.Sprintf("%s and %d more", g.Systems[0].Label, more)
	}
	return g.Systems[0].Label
}

// choice describes how the row was chosen.
func (g *tuningGroup) choice() string {
	switch {
	case g.Chosen != nil:
		p := g.Chosen.Picked()
		return fmt.Sprintf("by %s on %s", words.Clean(p.Measure), words.Clean(p.On))
	case g.Tried > 1:
		return "none: all are shown"
	}
	return "nothing to choose"
}

// values lists the tried values.
func (g *tuningGroup) values() string {
	var out []string
	for _, a := range g.Axes {
		out = append(out, a.Key+": "+words.Listed(a.Values))
	}
	return strings.Join(out, "; ")
}

// edges lists the chosen numbers that are at the end of the tried range.
func (g *tuningGroup) edges() table.Entry {
	if g.Chosen == nil {
		return table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
	}
	var out []string
	numbers := 0
	for _, a := range g.Axes {
		if a.Number {
			numbers++
		}
		value := g.Chosen.Config()[a.Key]
		if edge := a.Edge(value); edge != "" {
			out = append(out, fmt.Sprintf("%s = %s, the %s", a.Key, value, edge))
		}
	}
	switch {
	case numbers == 0:
		return table.Entry{Text: "no number was tried"}
	case len(out) == 0:
		return table.Entry{Text: "no"}
	}
	return table.Entry{Text: strings.Join(out, "; "), Tone: table.Worse}
}

// namedAtMost is the number of groups in a note.
const namedAtMost = 4

// tuningNotes warns next to verdicts that some rows were tuned more than others, or on
// other values. It returns nil if all were tuned alike.
func tuningNotes(v *scores.Set) []string {
	groups := tuningGroups(v)
	alike := map[string][]*tuningGroup{}
	var grids []string
	for _, g := range groups {
		grid := g.grid()
		grids = words.AddNew(grids, grid)
		alike[grid] = append(alike[grid], g)
	}
	if len(grids) < 2 {
		return nil
	}
	var parts []string
	for _, grid := range grids[:min(len(grids), namedAtMost)] {
		g := alike[grid][0]
		text := fmt.Sprintf("%s of %s", g.name(), words.Plural(g.Tried, "configuration", "configurations"))
		if more := len(alike[grid]) - 1; more > 0 {
			text += fmt.Sprintf(" (and %s alike)", words.Plural(more, "other", "others"))
		}
		parts = append(parts, text)
	}
	if more := len(grids) - namedAtMost; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more kinds", more))
	}
	what := "not as often"
	if least, most := triedSpan(groups); least == most {
		what = "on other values"
	}
	return []string{fmt.Sprintf("Unequally tuned (%s): %s. A difference, rank or verdict between such rows may be due to tuning; see Tuning.", what, strings.Join(parts, ", "))}
}

// triedSpan returns the smallest and the largest number of configurations that a group
// tried.
func triedSpan(groups []*tuningGroup) (least, most int) {
	by := func(a, b *tuningGroup) int { return cmp.Compare(a.Tried, b.Tried) }
	return slices.MinFunc(groups, by).Tried, slices.MaxFunc(groups, by).Tried
}
