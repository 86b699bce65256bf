package reports

import (
	"fmt"
	"slices"

	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/reports/words"
)

// taskSections draw each task that a mean hides.
func taskSections(b *Board, o Options) ([]section.Section, error) {
	figures, err := taskFigures(b.Set, b.ID, slices.DeleteFunc(b.Set.BenchmarkNames(), func(name string) bool { return !o.shows(b.Set.MainColumns(name)[0].Measure) }))
	return []section.Section{{ID: b.ID + "-tasks", Title: "Task by task", Nav: "Tasks", Grid: section.Multiples, Figures: figures,
		Intro: "What a mean over tasks hides: each with its 95% interval over queries and training runs. Filled points are trained systems, hollow ones are not."}}, err
}

// Bounds of small multiples: more charts, or more rows in one, nobody compares.
const (
	multiplesAtMost = 24
	multipleRows    = 40
)

// taskFigures draws each task of a board's benchmarks by itself: the mean of every
// system with its interval. What a mean over tasks hides is here.
func taskFigures(v *scores.Set, id string, benchmarks []string) ([]*chart.Figure, error) {
	var columns []scores.Number
	for _, name := range benchmarks {
		for _, c := range v.MainColumns(name)[:1] {
			if each := c.Each(); len(each) > 1 { // else shown on the leaderboard or among the slices
				columns = append(columns, each...)
			}
		}
	}
	var out []*chart.Figure
	for _, c := range columns[:min(len(columns), multiplesAtMost)] {
		f, err := multiple(v, fmt.Sprintf("%s-tasks-%d", id, len(out)+1), c)
		if err != nil {
			return nil, err
		}
		if f != nil {
			out = append(out, f)
		}
	}
	if n := len(columns) - multiplesAtMost; n > 0 && len(out) > 0 {
		out[len(out)-1].Caption += fmt.Sprintf(" %s more are in the tables only.", words.Plural(n, "task", "tasks"))
	}
	return out, nil
}

// multiple is the chart of one task, nil where no system has values.
func multiple(v *scores.Set, id string, c scores.Number) (*chart.Figure, error) {
	title := c.Scoring() + " on " + c.Test()
	var bars []chart.Datum
	t := &table.Table{ID: id + "-table", Title: title, Columns: []table.Column{{Name: "system"}, {Name: "n", Number: true}, {Name: c.Scoring(), Number: true}, {Name: "95% interval", Number: true}}}
	found := contrast.Means(v, []scores.Number{c})
	systems := v.Systems[:min(len(v.Systems), multipleRows)]
	for _, s := range systems {
		of := found.Of(s, c)
		if of == nil || of.Why != "" {
			continue
		}
		cell, between := v.Cell(s, c), of.Estimate.Interval(contrast.Level)
		bars = append(bars, chart.Datum{Name: s.Label, X: words.Scaled(cell.Value), Low: words.Scaled(between.Low), High: words.Scaled(between.High), Hollow: s.Kind != table.Trained,
			Tip: fmt.Sprintf("%s\n%s %s\nn = %d", s.Label, words.Percent(c.Measure, cell.Value), words.Interval(between), cell.Queries)})
		t.Rows = append(t.Rows, table.Row{Kind: s.Kind, Entries: []table.Entry{{Text: s.Label}, table.Number(words.Group(cell.Queries), float64(cell.Queries)), cell.Entry(), meanInterval(v, of)}})
	}
	if len(bars) == 0 {
		return nil, nil
	}
	f := &chart.Figure{ID: id, Title: c.Test(), Table: t, Height: 60 + 20*len(bars), Caption: fmt.Sprintf("%s, n = %s.", c.Scoring(), words.Group(scores.Asked(systems, c))),
		X: chart.Axis{Title: c.Scoring() + " ×100", Zero: true}, Y: chart.Rows(bars), Marks: []chart.Mark{{Shape: chart.Interval, Name: title, Data: bars}},
		Alt: fmt.Sprintf("Means of %d systems in %s with intervals; the table below holds the numbers.", len(bars), title)}
	return f.Drawn()
}
