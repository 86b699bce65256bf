package paperview

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// glyph returns the shape for a field if colours are for sources.
func glyph(field string) chart.Shape {
	switch {
	case strings.HasPrefix(field, "instruction"):
		return chart.Circle
	case strings.HasPrefix(field, "query"):
		return chart.Triangle
	}
	return chart.Diamond // passages, documents
}

// MapFigure draws the map of a study: colours for sources and shapes for fields, or
// colours for fields if there is one source.
func MapFigure(m *results.StudyMap, id, title string) (*chart.Figure, error) {
	var sources, fields []string
	for _, g := range m.Groups {
		sources, fields = words.AddNew(sources, g.Source), words.AddNew(fields, g.Field)
	}
	f := &chart.Figure{ID: id, Title: words.Clean(title), Height: 620, X: chart.Axis{Title: m.X}, Y: chart.Axis{Title: m.Y},
		Caption: words.Clean(m.Method) + ". Zoom with Ctrl and the wheel or with the box above; drag to move; click a name in the legend to show or hide its texts.",
		Table:   &table.Table{ID: id + "-table", Title: words.Clean(title), Caption: "The contents of the map.", Columns: []table.Column{{Name: "source"}, {Name: "field"}, {Name: "texts on the map", Number: true, Best: table.NoBest}, {Name: "all texts", Number: true, Best: table.NoBest}}}}
	all := 0
	for _, g := range m.Groups {
		colour, shape := slices.Index(sources, g.Source), glyph(g.Field)
		if len(sources) == 1 {
			colour, shape = slices.Index(fields, g.Field), chart.Circle
		}
		mark := chart.Mark{Shape: chart.Dot, Name: g.Name(), Colour: chart.Series[colour%len(chart.Series)], Glyph: shape}
		points, err := g.Unpack()
		if err != nil {
			return nil, err
		}
		for _, p := range points {
			mark.Data = append(mark.Data, chart.Datum{X: p.X, Y: p.Y, Tip: words.Clean(g.Name()) + "\n" + wrap(words.Clean(p.Text))})
		}
		all += len(points)
		f.Marks = append(f.Marks, mark)
		f.Table.Rows = append(f.Table.Rows, table.Row{Entries: []table.Entry{{Text: words.Clean(g.Source)}, {Text: words.Clean(g.Field)},
			table.Number(words.Group(g.N), float64(g.N)), table.Number(words.Group(g.Of), float64(g.Of))}})
	}
	f.Alt = fmt.Sprintf("Map of %s texts of %s, %s; the table below lists its contents.", words.Group(all), words.Listed(words.CleanAll(sources)), words.Listed(words.CleanAll(fields)))
	return f.Drawn()
}

// lineWidth is the number of letters in a line of a tooltip.
const lineWidth = 64

// wrap breaks a text between words.
func wrap(text string) string {
	var out strings.Builder
	room := lineWidth
	for i, word := range strings.Fields(text) {
		n := len([]rune(word)) + 1
		switch {
		case i == 0:
		case n > room:
			out.WriteByte('\n')
			room = lineWidth
		default:
			out.WriteByte(' ')
		}
		out.WriteString(word)
		room -= n
	}
	return out.String()
}

// mapped is the paper's Figure 3a: a chart for each map that was kept, with measures of
// its reliability.
func (b *builder) mapped() ([]section.Section, error) {
	studies := studiesOf(b.Studies, b.name)
	t := b.figureTable(table.Column{Name: "map"}, table.Column{Name: "texts", Number: true, Best: table.NoBest})
	var measures []string
	for _, s := range studies {
		for _, v := range s.Values {
			if measures = words.AddNew(measures, v.Measure); !slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Name == words.Clean(v.Measure) }) {
				t.Columns = append(t.Columns, table.Column{Name: words.Clean(v.Measure), Number: true, Best: table.NoBest})
			}
		}
	}
	for _, s := range studies {
		row := []table.Entry{{Text: words.Clean(s.Name)}, lacking()}
		if s.Map != nil {
			n := 0
			for _, g := range s.Map.Groups {
				n += g.N
			}
			row[1] = table.Number(words.Group(n), float64(n))
		}
		for _, m := range measures {
			e := lacking()
			if v, ok := first(s, m); ok {
				e = plain(v.Value)
				e.Remark = v.Direction
			}
			row = append(row, e)
		}
		t.Rows = append(t.Rows, table.Row{Entries: row})
	}
	out, err := b.ofStudies(studies, t, nil)
	if err != nil || len(out) == 0 {
		return out, err
	}
	for i, s := range studies {
		if s.Map == nil {
			continue
		}
		f, err := MapFigure(s.Map, fmt.Sprintf("view-map-%d", i+1), s.Name)
		if err != nil {
			return nil, fmt.Errorf("map %s: %w", s.Name, err)
		}
		out[0].Figures = append(out[0].Figures, f)
	}
	out[0].Grid = section.Stacked
	return out, nil
}
