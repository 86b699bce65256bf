package reports

import (
	"cmp"
	"fmt"
	"strings"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// figure draws a grid on one column, as a heatmap or, if there are few fields, as points
// with intervals. It returns nil if no system has a value.
func (g *ablationGrid) figure(v *scores.Set, id string, found contrast.Singly, c scores.Number, by colours, o Options) (*chart.Figure, error) {
	title := strings.TrimSpace(c.Label() + " " + g.rest)
	if len(g.rows) == 1 || len(g.cols) == 1 || len(g.systems) < fieldsAtLeast {
		return g.points(v, id, title, found, c, o)
	}
	return g.heatmap(v, id, title, found, c, by)
}

// fieldsAtLeast is the smallest number of fields in a heatmap.
const fieldsAtLeast = 4

// points draws the fields of a grid one below the other, together with their reference.
// Losses are sorted with the best first; levels of one axis keep their order.
func (g *ablationGrid) points(v *scores.Set, id, title string, found contrast.Singly, c scores.Number, o Options) (*chart.Figure, error) {
	var systems []*scores.System
	for _, row := range g.rows {
		for _, col := range g.cols {
			if s := g.systems[[2]string{row, col}]; s != nil {
				systems = append(systems, s)
			}
		}
	}
	if len(g.rows) > 1 && len(g.cols) > 1 {
		systems = bestFirst(v, systems, c)
	}
	if ref := contrast.Reference(v, g.first, o.Reference); ref != nil && v.Cell(ref, c).State.Valued() {
		systems = append(systems, ref)
	}
	rows, t := estimates(v, found, systems, c, id+"-table")
	if len(rows) == 0 {
		return nil, nil
	}
	f := chart.Forest(id, title, c.Scoring()+" ×100", intervalsAre, table.NoBest, rows)
	f.Table = t
	return f.Drawn()
}

// heatmap draws a grid on one column with a table of its values; nil if no system has a
// value.
func (g *ablationGrid) heatmap(v *scores.Set, id, title string, found contrast.Singly, c scores.Number, by colours) (*chart.Figure, error) {
	t := &table.Table{ID: id + "-table", Title: title, Columns: []table.Column{{Name: cmp.Or(g.axes[0], "all")}}}
	for _, col := range g.cols {
		t.Columns = append(t.Columns, table.Column{Name: col, Number: true})
	}
	middle := g.middle(v, c)
	fields, texts := g.fields(v, found, c, by, middle, t)
	if len(fields.Data) == 0 {
		return nil, nil
	}
	f := &chart.Figure{ID: id, Title: title, Height: 110 + 56*len(g.rows), Table: t, X: chart.Axis{Title: g.axes[1], Names: g.cols}, Y: chart.Axis{Title: g.axes[0], Names: g.rows}, Marks: []chart.Mark{fields, texts},
		Caption: by.caption(c, middle),
		Alt:     fmt.Sprintf("Heatmap of %s, rows: %s (%s), columns: %s (%s); the table below it holds the numbers.", title, g.axes[0], strings.Join(g.rows, "; "), g.axes[1], strings.Join(g.cols, "; "))}
	return f.Drawn()
}

// fields returns the values of a grid with their colours, and texts for fields without a value, and adds both
// to the table. Fields that are not in the plan are blank.
func (g *ablationGrid) fields(v *scores.Set, found contrast.Singly, c scores.Number, by colours, middle *scores.System, t *table.Table) (fields, texts chart.Mark) {
	cells := v.Cells(c)
	fields, texts = chart.Mark{Shape: chart.Cell, Name: t.Title}, chart.Mark{Shape: chart.Label, Name: "without a value"}
	for i, row := range g.rows {
		entries := []table.Entry{{Text: row}}
		for j, col := range g.cols {
			s := g.systems[[2]string{row, col}]
			if s == nil {
				entries = append(entries, table.Entry{})
				continue
			}
			cell := cells(s)
			e := table.Entry{Text: cell.Entry().Text, From: cell.Entry().From}
			d := chart.Datum{Name: e.Text, X: float64(j), Y: float64(i), Tip: fmt.Sprintf("%s: %s", g.name(row, col), e.Text)}
			if cell.State.Valued() {
				value := words.Scaled(cell.Value)
				e.Sort = &value
				step, against := by.of(c, middle, s)
				d.Value = step
				d.Tip += fieldTip(found.Of(s, c), cell) + against
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

// fieldTip describes the uncertainty of a field's value.
func fieldTip(of *contrast.Contrast, cell scores.Cell) string {
	asked := words.Plural(cell.Queries, "query", "queries")
	if of == nil || of.Why != "" {
		return " (" + asked + ")"
	}
	return fmt.Sprintf("\n95%% %s, %s", levelInterval(of.On.Measure, of.Estimate.Interval(contrast.Level)), asked)
}
