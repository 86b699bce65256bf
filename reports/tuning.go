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

// tuningSections show below the board how settings were chosen.
func tuningSections(b *Board, _ Options) ([]section.Section, error) {
	return []section.Section{tuningSection(b.ID+"-tuning", b.Set)}, nil
}

// tuningSection shows how the settings of trained systems were found: how many
// configurations were tried, which was chosen, and whether it lies at the edge of what was
// tried. If rows were tuned unequally, a difference between them may come from tuning;
// nothing is tested here. The section is empty if nothing was trained.
func tuningSection(id string, v *scores.Set) section.Section {
	s := section.Section{ID: id, Title: "Tuning", Folded: true}
	groups := tuningGroups(v)
	if len(groups) == 0 {
		return s
	}
	t := &table.Table{ID: id + "-table", Title: "Tuning",
		Caption: "Configurations that were tried for each row, as far as the run folders tell, seeds not counted; which was chosen, by what, and which of its numbers are the smallest or the largest that were tried: beyond such an edge a better one may lie.",
		Columns: []table.Column{{Name: "row"}, {Name: "tried", Number: true}, {Name: "chosen"}, {Name: "of these values"}, {Name: "at the edge"}},
		Notes:   tuningNotes(v),
	}
	if !slices.ContainsFunc(groups, func(g *tuningGroup) bool { return g.Tried > 1 }) {
		t.Notes = append(t.Notes, "One configuration was tried of each. Where its settings were chosen before, by trying them with one of these rows, that row has an advantage which nothing here shows.")
	}
	for _, g := range groups {
		t.Rows = append(t.Rows, g.row())
	}
	s.Tables = []*table.Table{t}
	return s
}

// row words a group.
func (g *tuningGroup) row() table.Row {
	return table.Row{Kind: table.Trained, Entries: []table.Entry{
		{Text: g.name()}, table.Number(words.Group(g.Tried), float64(g.Tried)), {Text: g.choice()}, {Text: g.values()}, g.edges(),
	}}
}

// name is what stands for a group: the row that was chosen, else the first, with how
// many more there are.
func (g *tuningGroup) name() string {
	switch more := len(g.Systems) - 1; {
	case g.Chosen != nil:
		return g.Chosen.Label
	case more > 0:
		return fmt.Sprintf("%s and %d more", g.Systems[0].Label, more)
	}
	return g.Systems[0].Label
}

// choice says how the row was chosen.
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

// values lists what was tried.
func (g *tuningGroup) values() string {
	var out []string
	for _, a := range g.Axes {
		out = append(out, a.Key+": "+words.Listed(a.Values))
	}
	return strings.Join(out, "; ")
}

// edges says which numbers of the choice lie at the end of those tried.
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

// namedAtMost is how many groups a note names.
const namedAtMost = 4

// tuningNotes warn next to verdicts between rows that some were tuned more than others, or
// on other values. There are none if all were tuned alike.
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
	return []string{fmt.Sprintf("Unequally tuned (%s): %s. A difference, rank or verdict between such rows may be one of tuning; see Tuning.", what, strings.Join(parts, ", "))}
}

// triedSpan returns the least and the most configurations that a group tried.
func triedSpan(groups []*tuningGroup) (least, most int) {
	by := func(a, b *tuningGroup) int { return cmp.Compare(a.Tried, b.Tried) }
	return slices.MinFunc(groups, by).Tried, slices.MaxFunc(groups, by).Tried
}
