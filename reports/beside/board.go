// Package beside shows published numbers: on boards of their own, and next to the measured
// ones. It measures nothing and tests nothing, because published numbers have no per-query
// values.
//
//plain:ok the name of the package
package beside

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// Board shows published numbers. Nothing on it was measured here, and nothing is tested:
// there are no per-query values.
type Board struct {
	ID          string
	Name        string
	Intro       string
	Leaderboard *table.Table // all rows; the section shows those of different data apart
	Answer      []string     // what the orders say
	Doubts      []string
	Shown       []*published.Cell // cells on the leaderboard
	Lacking     []published.Missing
	Source      section.Source

	leagues []league
	ranks   []section.Section
	facts   bool // the leaderboard has columns of size and type
}

// Section returns the leaderboard with the parts below it.
func (b *Board) Section() (section.Section, error) {
	drawn, err := b.tradeoff()
	if err != nil {
		return section.Section{}, err
	}
	sizes, err := b.sizes()
	live := ""
	if b.facts {
		live = b.ID + "-filters" // page_filters.js
	}
	s := section.Section{ID: b.ID, Title: b.Name, Nav: b.Name, Intro: b.Intro, Live: live, Source: b.Source, Parts: []section.Section{
		sizes,
		{ID: b.ID + "-ranks", Title: "Ranks over tasks", Source: b.Source, Parts: b.ranks},
		{ID: b.ID + "-tradeoff", Title: section.TradeoffTitle, Figures: drawn, Source: b.Source},
		{ID: b.ID + "-doubts", Title: "Contradictions", Notes: b.Doubts, Source: b.Source},
		{ID: b.ID + "-lacking", Title: "Missing", Tables: section.Listed(missingTable(b.ID, b.Lacking)), Source: b.Source},
	}}
	for i, l := range b.leagues {
		if i == 0 {
			s.Tables = []*table.Table{l.table}
			continue
		}
		other := section.Section{ID: fmt.Sprintf("%s-data-%d", b.ID, i+1), Title: "D" + l.name[1:], Tables: []*table.Table{l.table}, Source: b.Source}
		s.Parts = slices.Insert(s.Parts, i-1, other)
	}
	return s, err
}

// SourceOf returns the section source for a collection.
func SourceOf(c *published.Collection) section.Source {
	return section.Source{From: section.FromElsewhere, Name: words.Clean(c.Source), Hash: c.Hash(), Absent: c.Absent}
}

// publishedColumn is a number that rows of one convention share. Numbers of other
// conventions get their own column, so that sorting never compares numbers that are not
// comparable.
type publishedColumn struct {
	task, part, measure string
	qrels, ties         string
}

// columnOf returns the column of a cell.
func columnOf(c *published.Cell) publishedColumn {
	col := publishedColumn{task: c.Task, measure: c.Measure, qrels: c.Conventions.Qrels}
	if c.Subset != "" && c.Subset != "default" {
		col.part = c.Subset
	}
	if c.Split != "" && c.Split != "test" {
		col.part = strings.TrimSpace(c.Split + " " + col.part)
	}
	if metrics.IsShift(c.Measure) {
		col.qrels, col.ties = "", c.Conventions.Ties
	}
	return col
}

// heading formats the heading of a column: the task, then the measure with its
// conventions.
func (c publishedColumn) heading() table.Column {
	name := strings.TrimSpace(c.part + " " + c.measure)
	if c.qrels != "" {
		name += ", " + c.qrels + " judgments"
	}
	if c.ties != "" {
		name += ", ties by " + c.ties
	}
	return table.Column{Group: words.Clean(strings.TrimSuffix(c.task, "InstructionRetrieval")), Name: words.Clean(name), Number: true, Best: Best(c.measure)}
}

// Best returns the number to mark in a column of a published measure. It is the highest
// for measures that package metrics does not know, because all published measures are of
// effectiveness.
func Best(measure string) table.Best {
	if _, err := metrics.DirectionOf(measure); err != nil {
		return table.Highest
	}
	return scores.Number{Measure: measure}.Heading().Best
}

// dataColumn names the data of rows by letters.
var dataColumn = table.Column{Name: "data"}

// publishedRow is a model in one source.
type publishedRow struct{ model, revision, config, source string }

// NewBoard makes the leaderboard of a collection. It has a row for each model and
// revision, and a column for each main number, p-MRR and convention.
func NewBoard(number int, c *published.Collection) *Board {
	id := fmt.Sprintf("published-%d", number)
	b := &Board{ID: id, Name: "Published by " + words.Clean(c.Source), Doubts: slices.Concat(words.CleanAll(c.Doubts), words.LookAlikes(c.Models())), Lacking: c.Missing, Source: SourceOf(c)}
	if c.Absent {
		return b
	}
	values := rowValues{}
	columns := map[publishedColumn]bool{}
	for i := range c.Cells {
		cell := &c.Cells[i]
		if !cell.Main && !metrics.IsShift(cell.Measure) {
			continue
		}
		b.Shown = append(b.Shown, cell)
		row := publishedRow{cell.Model, cell.Revision, cell.Config, cell.Source}
		if values[row] == nil {
			values[row] = map[publishedColumn]*published.Cell{}
		}
		if columns[columnOf(cell)] = true; values[row][columnOf(cell)] == nil {
			values[row][columnOf(cell)] = cell
		}
	}
	order, usual := sortedColumns(columns), values.usual()
	letters, onData := values.classes(usual)
	means := publishedMeans(order)
	t := &table.Table{
		ID: id + "-leaderboard", Title: b.Name, Board: true,
		Caption: "Values ×100 as published, each computed by the program named in its row. Columns differ in their conventions: do not compare numbers of two columns.",
		Columns: []table.Column{{Name: "model"}},
	}
	for _, m := range means {
		t.Columns = append(t.Columns, m.heading())
	}
	for _, col := range order {
		t.Columns = append(t.Columns, col.heading())
	}
	if letters != nil {
		t.Columns = append(t.Columns, dataColumn)
	}
	t.Columns = append(t.Columns, table.Column{Name: "revision"}, table.Column{Name: "made by"})
	var models []string
	for _, row := range slices.SortedFunc(maps.Keys(values), publishedRow.compare) {
		r := row.entries(values[row], means, order, letters, class(values[row], usual))
		r.Entries[0].Page = pageOf(row.model)
		t.Rows = append(t.Rows, r)
		models = append(models, row.model)
	}
	b.facts = addFacts(t, models)
	facts := t.Notes
	b.leagues = leagues(t, letters, means, func(on string) string { return values.described(on, usual) })
	lead(t, means)
	t.MarkBest()
	t.Notes = slices.Concat(onData, facts, t.Remarks())
	if len(b.leagues) > 0 {
		b.leagues[0].table.Notes = append(facts, b.leagues[0].table.Notes...)
	}
	b.Leaderboard, b.Answer = t, answer(b.leagues)
	b.Intro = publishedIntro(c, values)
	b.ranks = rankSections(id, values, order, means, b.Source)
	return b
}

// lead sorts the rows, best first, and returns the column; -1 if it sorts by none. It sorts by the mean that most rows have, else by the
// column that most rows have, preferring p-MRR. Rows without that number keep their order
// at the end: their numbers have other conventions or cover only some tasks.
func lead(t *table.Table, means []publishedMean) int {
	mean := map[string]bool{}
	for _, m := range means {
		mean[m.heading().Flat()] = true
	}
	by, most := -1, 0
	for j := range t.Columns {
		if !t.Columns[j].Number || t.Columns[j].Best == table.NoBest {
			continue
		}
		have := 0
		for _, r := range t.Rows {
			if r.Entries[j].Sort != nil {
				have += 2
			}
		}
		if strings.Contains(t.Columns[j].Name, "p-MRR") {
			have++
		}
		if mean[t.Columns[j].Flat()] && have > 1 {
			have += 2 * len(t.Rows)
		}
		if have > most {
			by, most = j, have
		}
	}
	if most < 2 {
		return -1
	}
	t.SortBest(by)
	t.Caption += fmt.Sprintf(" Ordered by %s", t.Columns[by].Flat())
	if slices.ContainsFunc(t.Rows, func(r table.Row) bool { return r.Entries[by].Sort == nil }) {
		t.Caption += "; models without it come last"
	}
	t.Caption += "."
	return by
}

// shortRevision shortens a hash for readers, and keeps a revision with a name.
func shortRevision(revision string) string {
	if strings.Trim(revision, "0123456789abcdef") == "" {
		return words.Shorten(revision)
	}
	return words.Prefix(revision, 40)
}

// compare orders rows by source, model, configuration and revision.
func (r publishedRow) compare(s publishedRow) int {
	return cmp.Or(cmp.Compare(r.source, s.source), cmp.Compare(r.model, s.model), cmp.Compare(r.config, s.config), cmp.Compare(r.revision, s.revision))
}

// entries formats one row.
func (r publishedRow) entries(values map[publishedColumn]*published.Cell, means []publishedMean, order []publishedColumn, letters map[string]string, on string) table.Row {
	versions := map[string]bool{}
	for _, cell := range values {
		versions[cmp.Or(cell.Conventions.Version, "unknown")] = true
	}
	row := table.Row{Class: on, Entries: []table.Entry{{Text: words.Clean(r.name())}}}
	for _, m := range means {
		row.Entries = append(row.Entries, m.entry(values))
	}
	for _, col := range order {
		cell := values[col]
		if cell == nil {
			row.Entries = append(row.Entries, table.Entry{})
			continue
		}
		e := table.Number(asPrinted(cell, metrics.Percent(col.measure, cell.Value)), cell.Value)
		e.Remark = words.Clean(strings.Join(cell.Footnotes, "; "))
		row.Entries = append(row.Entries, e)
	}
	if letters != nil {
		row.Entries = append(row.Entries, table.Entry{Text: letters[on]})
	}
	row.Entries = append(row.Entries, table.Entry{Text: shortRevision(words.Clean(r.revision))}, table.Entry{Text: words.Clean(strings.Join(slices.Sorted(maps.Keys(versions)), ", "))})
	return row
}

// asPrinted returns the text of a published number as printed in the source, else
// otherwise.
func asPrinted(c *published.Cell, otherwise string) string {
	return words.Clean(cmp.Or(c.Raw, otherwise))
}

// sortedColumns sorts columns by task, with p-MRR before the score.
func sortedColumns(columns map[publishedColumn]bool) []publishedColumn {
	return slices.SortedFunc(maps.Keys(columns), func(a, b publishedColumn) int {
		return cmp.Or(cmp.Compare(a.task, b.task), cmp.Compare(a.part, b.part), shiftFirst(a.measure)-shiftFirst(b.measure),
			cmp.Compare(a.measure, b.measure), cmp.Compare(b.qrels, a.qrels), cmp.Compare(a.ties, b.ties))
	})
}

// missingTable lists the results that the source lacks.
func missingTable(id string, missing []published.Missing) *table.Table {
	if len(missing) == 0 {
		return nil
	}
	t := &table.Table{
		ID: id + "-lacking-table", Title: "Missing",
		Caption: "Published results that lack their number. They are not on the board.",
		Columns: []table.Column{{Name: "model"}, {Name: "task"}, {Name: "file"}, {Name: "why"}},
	}
	for _, m := range missing {
		t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: words.Clean(m.Model)}, {Text: words.Clean(m.Task)}, {Text: words.Clean(m.File)}, {Text: words.Clean(m.Reason)}}})
	}
	return t
}

// publishedIntro counts the rows, models and files of a collection.
func publishedIntro(c *published.Collection, rows map[publishedRow]map[publishedColumn]*published.Cell) string {
	scored, models := 0, map[string]bool{}
	for row, values := range rows {
		models[row.model] = true
		for _, cell := range values {
			if cell.Main {
				scored++
				break
			}
		}
	}
	what := words.Plural(len(rows), "row", "rows")
	if len(models) == len(rows) {
		what = words.Plural(len(rows), "model", "models")
	}
	parts := fmt.Sprintf("%s, %d with a score, read from %s%s.", what, scored, words.Plural(c.Files, "file", "files"), origin(c))
	if len(rows) == 0 && len(c.Cells) > 0 {
		parts += fmt.Sprintf(" None of its %s is a score that leaderboards rank by.", words.Plural(len(c.Cells), "number", "numbers"))
	}
	if n := len(c.Missing); n > 0 {
		parts += fmt.Sprintf(" %s missing, named below.", words.Plural(n, "result is", "results are"))
	}
	return parts
}
