package paperview

import (
	"cmp"
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/beside"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// place holds the systems of a row, either one of the paper or an additional one.
type place struct {
	row          int // row of the paper's table; 0 for an additional one
	group, class string
	labels       []string
	of           map[string][]*scores.System // by the model that heads the column; "" if models are not headings
}

// one returns a place for a table with models in its rows.
func one(row int, labels []string, systems ...*scores.System) place {
	return place{row: row, labels: words.CleanAll(labels), of: map[string][]*scores.System{"": systems}}
}

// placed adds a system to an additional row, and adds the row if its name is new.
func placed(places []place, own place, block string, s *scores.System) []place {
	i := slices.IndexFunc(places, func(p place) bool { return p.row == 0 && p.group == own.group && p.labels[0] == own.labels[0] })
	if i < 0 {
		i, own.of = len(places), map[string][]*scores.System{}
		places = append(places, own)
	}
	places[i].of[block] = append(places[i].of[block], s)
	return places
}

// source is the source of a column of measured numbers.
type source struct {
	column
	number scores.Number
	none   bool   // nothing was measured for the column
	differ string // differences from the paper's conventions, as text
}

// ownSections arranges systems in the columns of the paper's tables for which anything was
// measured, and all other measured numbers in additional columns.
func (b *builder) ownSections(places []place, blocks []string) (out []section.Section, err error) {
	var shown []scores.Number
	for _, f := range b.forms {
		sources, any := b.sources(f, b.paper.Table(f.number), places, blocks)
		if !any {
			continue
		}
		g := b.fill(f, sources, places, true)
		if f.models {
			g.relabel(f.laidOut(b.paper.Table(f.number)))
			g.averages()
		}
		for _, s := range sources {
			shown = append(shown, s.number)
		}
		g.notes = slices.Concat(notesOn(sources), b.said, scores.PickedNotes(systemsOf(places)))
		if f.ranks {
			if g = g.ranked(); len(g.lines) == 0 {
				continue
			}
		}
		b.own = append(b.own, g)
		if out, err = b.show(out, g, fmt.Sprintf("%s: measured, as the paper's %s", b.name, f.shown(b.shows))); err != nil {
			return nil, err
		}
	}
	rest := b.rest(shown, places, blocks)
	if len(rest) == 0 {
		return out, nil
	}
	f := b.forms[0]
	f.panel = 0
	g := b.fill(f, rest, places, false)
	if len(out) == 0 {
		g.notes = append(b.said, scores.PickedNotes(systemsOf(places))...)
	}
	if f.ranks {
		if g = g.ranked(); len(g.lines) == 0 {
			return out, nil
		}
		return b.show(out, g, fmt.Sprintf("%s: %s, measured, on benchmarks that are not in the paper", b.name, b.about))
	}
	b.other = &g
	return b.show(out, g, fmt.Sprintf("%s: %s, measured, in the rows of the paper's Table %s", b.name, b.about, f.number))
}

// show adds a grid as a section.
func (b *builder) show(out []section.Section, g grid, title string) ([]section.Section, error) {
	id := fmt.Sprintf("view-%d", len(out)+1)
	figures, err := g.rankFigures(id)
	return append(out, section.Section{ID: id, Title: title, Tables: g.tables(id, title, ownCaption), Figures: figures, Grid: gridOf(figures)}), err
}

const ownCaption = "Values ×100, means over queries, then tasks, then training runs. Missing values do not count as zero."

// systemsOf lists the systems in some places.
func systemsOf(places []place) []*scores.System {
	var out []*scores.System
	for _, p := range places {
		for _, block := range words.SortedKeys(p.of) {
			for _, s := range p.of[block] {
				out = words.AddNew(out, s)
			}
		}
	}
	return out
}

// sources finds the measured number for each column of a table of the paper. any is false
// if there is none.
func (b *builder) sources(f form, printed *published.Printed, places []place, blocks []string) (out []source, any bool) {
	known := map[column]source{} // by column without its model
	var heads []column
	for i := range printed.Cells {
		p := &printed.Cells[i]
		c := column{dataset: p.Dataset, metric: p.Metric}
		if _, ok := known[c]; ok {
			continue
		}
		known[c] = b.sourceOf(c, &p.Cell, systemsOf(places))
		any = any || !known[c].none
		heads = append(heads, c)
	}
	if !f.models {
		blocks = []string{""}
	} else if f.panel > 0 {
		blocks = append(slices.Clone(inPanels(printed)), without(blocks, inPanels(printed))...)
	}
	for _, block := range blocks {
		for _, c := range heads {
			s := known[c]
			s.block = block
			out = append(out, s)
		}
	}
	return out, any
}

// inPanels returns the models of a table in the order in which they head its columns.
func inPanels(printed *published.Printed) []string {
	var out []string
	for i := range printed.Cells {
		out = words.AddNew(out, printed.Cells[i].Model)
	}
	return out
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// sourceOf returns the measured number for a column of the paper, with a value for one of
// the systems. It prefers the paper's conventions.
func (b *builder) sourceOf(c column, like *published.Cell, systems []*scores.System) source {
	var found []source
	for _, q := range b.measured {
		name, ok := q.IsOf(like)
		if !ok || !slices.ContainsFunc(systems, func(s *scores.System) bool { return b.set.Cell(s, q.Number).State.Valued() }) {
			continue
		}
		s := source{column: c, number: q.Number}
		if differ := published.Ours(q.Source, name, q.Side).Differ(like.Conventions, q.As); len(differ) > 0 {
			s.differ = fmt.Sprintf("%s %s is measured on %s: %s.", c.dataset, c.metric, q.Number.Test(), words.Listed(differ))
		}
		found = append(found, s)
	}
	if len(found) == 0 {
		return source{column: c, none: true}
	}
	slices.SortStableFunc(found, func(a, b source) int { return cmp.Compare(len(a.differ), len(b.differ)) })
	return found[0]
}

// notesOn names the columns whose conventions differ from the paper's.
func notesOn(sources []source) []string {
	var out []string
	for _, s := range sources {
		if s.differ != "" {
			out = words.AddNew(out, s.differ)
		}
	}
	return out
}

// rest returns the leaderboards' numbers that no table of the paper shows.
func (b *builder) rest(shown []scores.Number, places []place, blocks []string) []source {
	if len(blocks) == 0 {
		blocks = []string{""}
	}
	systems := systemsOf(places)
	var out []source
	for _, block := range blocks {
		for _, name := range b.set.BenchmarkNames() {
			for _, n := range b.set.Columns(name).Main() {
				some := slices.ContainsFunc(systems, func(s *scores.System) bool {
					return b.set.Cell(s, n).State != scores.Unplanned && (block == "" || slices.ContainsFunc(places, func(p place) bool { return slices.Contains(p.of[block], s) }))
				})
				if some && !slices.ContainsFunc(shown, n.Same) {
					head := n.Heading()
					out = append(out, source{column: column{block: block, dataset: head.Group, metric: head.Name, own: true, best: head.Best}, number: n})
				}
			}
		}
	}
	return out
}

// fill returns the lines of places: all of the paper's, or only those with systems.
func (b *builder) fill(f form, sources []source, places []place, all bool) grid {
	g := grid{form: f}
	for _, s := range sources {
		g.columns = append(g.columns, s.column)
	}
	for _, p := range places {
		lines := b.lines(f, sources, p)
		if !all {
			lines = slices.DeleteFunc(lines, func(l line) bool { return !l.asked() })
		}
		g.lines = append(g.lines, lines...)
	}
	return g
}

// lines returns the lines of a place: one, or several if its systems have values for the
// same column.
func (b *builder) lines(f form, sources []source, p place) []line {
	teams := map[string][][]*scores.System{}
	count := 1
	for block, systems := range p.of {
		teams[block] = b.apart(systems, sources)
		count = max(count, len(teams[block]))
	}
	var out []line
	for k := range count {
		l := line{row: p.row, group: p.group, class: p.class, labels: slices.Clone(p.labels), entries: map[column]table.Entry{}}
		for _, s := range sources {
			var team []*scores.System
			if of := teams[s.block]; k < len(of) {
				team = of[k]
			}
			l.entries[s.column] = b.entry(s, team)
			if k > 0 && len(team) > 0 && l.labels[0] == p.labels[0] {
				l.labels[0] += ": " + team[0].Label
			}
		}
		out = append(out, l)
	}
	return out
}

// apart groups systems that have no values for the same column, such as runs of a model on
// different benchmarks.
func (b *builder) apart(systems []*scores.System, sources []source) [][]*scores.System {
	var out [][]*scores.System
	for _, s := range systems {
		at := slices.IndexFunc(out, func(team []*scores.System) bool {
			return !slices.ContainsFunc(team, func(other *scores.System) bool { return b.overlap(s, other, sources) })
		})
		if at < 0 {
			out = append(out, nil)
			at = len(out) - 1
		}
		out[at] = append(out[at], s)
	}
	return out
}

func (b *builder) overlap(a, other *scores.System, sources []source) bool {
	return slices.ContainsFunc(sources, func(s source) bool {
		return !s.none && b.set.Cell(a, s.number).State.Valued() && b.set.Cell(other, s.number).State.Valued()
	})
}

// entry returns the number of the first system that has it; missing if none has.
func (b *builder) entry(s source, team []*scores.System) table.Entry {
	missing := lacking()
	if s.none {
		return missing
	}
	for _, system := range team {
		c := b.set.Cell(system, s.number)
		if c.State.Valued() {
			return c.Entry()
		}
		if c.State != scores.Unplanned {
			missing = c.Entry()
		}
	}
	return missing
}

// asked reports whether a line has a number or a reason for its absence.
func (l line) asked() bool {
	for _, e := range l.entries {
		if e.Sort != nil || e.Remark != "" || e.Text == words.UndefinedMark {
			return true
		}
	}
	return false
}

// relabel names lines as the paper's table prints them, and drops those that the table
// lacks.
func (g *grid) relabel(printed grid) {
	g.lines = slices.DeleteFunc(g.lines, func(l line) bool {
		i := slices.IndexFunc(printed.lines, func(p line) bool { return p.row == l.row })
		if i >= 0 {
			l.labels[1] = printed.lines[i].labels[1]
		}
		return l.row > 0 && i < 0
	})
}

// averages fills in the paper's columns of the mean over its models, if all of them have a
// number.
func (g *grid) averages() {
	for _, l := range g.lines {
		for _, c := range g.columns {
			if c.block != "Average" {
				continue
			}
			sum, n, whole := 0.0, 0, true
			for _, other := range g.columns {
				if other.block == "Average" || other.dataset != c.dataset || other.metric != c.metric || !isPrinted(other.block) {
					continue
				}
				e := l.entries[other]
				if n++; e.Sort == nil {
					whole = false
					continue
				}
				sum += *e.Sort
			}
			if whole && n > 0 {
				l.entries[c] = table.Number(metrics.Percent(c.metric, sum/float64(n)), sum/float64(n))
			}
		}
	}
}

// isPrinted reports whether a model is in the paper's table of losses.
func isPrinted(model string) bool { return slices.Contains(printedBackbones, model) }

// matches reports whether a system's network is a model of the paper.
func (b *builder) matches(s *scores.System, model string) bool {
	return slices.ContainsFunc(beside.Identities(s, b.Repositories), func(name string) bool { return published.SameModel(name, model) })
}
