package reports

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/reports/words"
)

// heatmap draws a grid on one column and sets it as a table, nil where no system
// has a value there. Fields are coloured by their difference from the reference,
// full at the largest but at least at 5 points: small differences must look small.
func (g *ablationGrid) heatmap(v *scores.Set, id string, c scores.Number, o Options) (*chart.Figure, error) {
	title := strings.TrimSpace(c.Scoring() + " on " + c.Test() + " " + g.rest)
	axes := "Columns: " + g.axes[1]
	if g.axes[0] != "" {
		axes = "Rows: " + g.axes[0] + "; columns: " + g.axes[1]
	}
	t := &table.Table{ID: id + "-table", Title: title, Columns: []table.Column{{Name: cmp.Or(g.axes[0], "all")}}}
	for _, col := range g.cols {
		t.Columns = append(t.Columns, table.Column{Name: col, Number: true})
	}
	fields, texts := g.fields(v, c, t)
	if len(fields.Data) == 0 {
		return nil, nil
	}
	against := setBase(v, &fields, contrast.Reference(v, g.first, o.Reference), c)
	for _, d := range fields.Data {
		fields.Span = max(fields.Span, math.Abs(d.Value-fields.Base))
	}
	f := &chart.Figure{ID: id, Title: title, Height: 90 + 56*len(g.rows), Table: t, X: chart.Axis{Names: g.cols}, Y: chart.Axis{Names: g.rows}, Marks: []chart.Mark{fields, texts},
		Caption: fmt.Sprintf("%s. Values ×100, drawn against %s to %s on either side; a blank cell is not in the plan.", axes, against, words.Fixed(fields.Span, 1)),
		Alt:     fmt.Sprintf("Heatmap of %s, %s (%s; %s); the table below it holds the numbers.", title, axes, strings.Join(g.rows, "; "), strings.Join(g.cols, "; "))}
	return f.Drawn()
}

// fields are the values of a grid, and the words where there is none; both are
// rows of the table too. What is not in the plan is blank.
func (g *ablationGrid) fields(v *scores.Set, c scores.Number, t *table.Table) (fields, texts chart.Mark) {
	fields, texts = chart.Mark{Shape: chart.Cell, Name: t.Title, Span: 5}, chart.Mark{Shape: chart.Label, Name: "without a value"}
	for i, row := range g.rows {
		entries := []table.Entry{{Text: row}}
		for j, col := range g.cols {
			s := g.systems[[2]string{row, col}]
			if s == nil {
				entries = append(entries, table.Entry{})
				continue
			}
			cell := v.Cell(s, c)
			e := table.Entry{Text: cell.Entry().Text, From: cell.Entry().From}
			d := chart.Datum{Name: e.Text, X: float64(j), Y: float64(i), Tip: fmt.Sprintf("%s: %s", g.name(row, col), e.Text)}
			if cell.State.Valued() {
				d.Value, e.Sort = words.Scaled(cell.Value), &d.Value
				d.Tip += fmt.Sprintf(" (%s)", words.Plural(cell.Queries, "query", "queries"))
				fields.Data = append(fields.Data, d)
			} else {
				texts.Data = append(texts.Data, d)
			}
			entries = append(entries, e)
		}
		t.Rows = append(t.Rows, table.Row{Entries: entries})
	}
	return fields, texts
}

// setBase makes a reference system the base of a colour scale, or the mean of the
// fields where it has no value, and names it.
func setBase(v *scores.Set, fields *chart.Mark, ref *scores.System, c scores.Number) string {
	if ref != nil {
		if cell := v.Cell(ref, c); cell.State.Valued() {
			fields.Base = words.Scaled(cell.Value)
			return fmt.Sprintf("%s (%s)", ref.Label, words.Minus(words.Percent(c.Measure, cell.Value)))
		}
	}
	for i, d := range fields.Data {
		fields.Base += (d.Value - fields.Base) / float64(i+1)
	}
	return "the mean of the cells"
}
