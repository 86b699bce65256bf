package reports

import (
	"fmt"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// taskSections draws each task that a mean hides.
func taskSections(b *Board, o Options) ([]section.Section, error) {
	var first []scores.Number // first number of each benchmark
	for _, name := range b.Set.BenchmarkNames() {
		if shown := o.shown(b.Set, name); len(shown) > 0 {
			first = append(first, shown[0])
		}
	}
	figures, err := taskFigures(b.Set, b.ID, first)
	return []section.Section{{ID: b.ID + "-tasks", Title: "Task by task", Nav: "Tasks", Folded: true, Grid: section.Multiples, Figures: figures,
		Intro: "The tasks behind each mean. Charts of one measure share their axis. Lines are " + intervalsAre + ". Filled points are trained systems, hollow ones are not."}}, err
}

// Limits of small multiples: readers do not compare more charts, or more rows in one.
const (
	multiplesAtMost = 24
	multipleRows    = 40
)

// taskFigures draws each task of some means: the mean of every system with its interval.
func taskFigures(v *scores.Set, id string, means []scores.Number) ([]*chart.Figure, error) {
	var columns []scores.Number
	for _, c := range means {
		if each := c.Each(); len(each) > 1 { // else shown on the leaderboard or among the slices
			columns = append(columns, each...)
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
		out[len(out)-1].Caption += fmt.Sprintf(" %s more are only in the tables.", words.Plural(n, "task", "tasks"))
	}
	return sharing(out)
}

// multiple returns the chart of one task, nil if no system has values.
func multiple(v *scores.Set, id string, c scores.Number) (*chart.Figure, error) {
	systems := v.Systems[:min(len(v.Systems), multipleRows)]
	rows, t := estimates(v, contrast.NewSingly(v), systems, c, id+"-table")
	if len(rows) == 0 {
		return nil, nil
	}
	f := chart.Forest(id, c.Test(), c.Scoring()+" ×100", intervalsAre, table.NoBest, rows)
	f.Table, f.X.Zero, f.Height, f.Caption = t, true, 60+20*len(rows), fmt.Sprintf("%s, n = %s.", c.Scoring(), words.Group(scores.Asked(systems, c)))
	return f, nil
}

// sharing draws figures of one unit with the same axis, so that they are comparable.
func sharing(figures []*chart.Figure) ([]*chart.Figure, error) {
	ranges := map[string]chart.Range{}
	for _, f := range figures {
		ranges[f.X.Title] = ranges[f.X.Title].With(f.Extent())
	}
	for _, f := range figures {
		f.X.Holds = ranges[f.X.Title].Rounded()
		if _, err := f.Drawn(); err != nil {
			return nil, err
		}
	}
	return figures, nil
}
