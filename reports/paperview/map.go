package paperview

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"infbench/reports/chart"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/reports/words"
)

// StudyMap is a two-dimensional map of texts.
type StudyMap struct {
	Method string     `json:"method"` // in words, with what it depends on
	X      string     `json:"x"`      // titles of the axes
	Y      string     `json:"y"`
	Groups []MapGroup `json:"groups"`
}

// MapGroup is the texts of one field of one source.
type MapGroup struct {
	Source string `json:"source"`
	Field  string `json:"field"`
	N      int    `json:"n"`
	Of     int    `json:"texts_in_source"`
	Points []byte `json:"points"` // as PackPoints has them: texts are long and alike
}

// MapPoint is a text, perhaps cut, and its place.
type MapPoint struct {
	X, Y float64
	Text string
}

// mostPacked is how many bytes the points of a group may have unpacked.
const mostPacked = 64 << 20

// PackPoints makes points small: gzip of a JSON list of [x, y, text].
func PackPoints(points []MapPoint) ([]byte, error) {
	rows := make([][3]any, len(points))
	for i, p := range points {
		rows[i] = [3]any{p.X, p.Y, p.Text}
	}
	var out bytes.Buffer
	to := gzip.NewWriter(&out)
	if err := json.NewEncoder(to).Encode(rows); err != nil {
		return nil, err
	}
	err := to.Close()
	return out.Bytes(), err
}

// points unpacks the points of a group.
func (g MapGroup) points() ([]MapPoint, error) {
	from, err := gzip.NewReader(bytes.NewReader(g.Points))
	if err != nil {
		return nil, fmt.Errorf("points of %s: %w", g.name(), err)
	}
	text, err := io.ReadAll(io.LimitReader(from, mostPacked))
	if err != nil {
		return nil, fmt.Errorf("points of %s: %w", g.name(), err)
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("points of %s: %w", g.name(), err)
	}
	out := make([]MapPoint, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal(row, &[3]any{&out[i].X, &out[i].Y, &out[i].Text}); err != nil {
			return nil, fmt.Errorf("point %d of %s: %w", i+1, g.name(), err)
		}
	}
	return out, nil
}

// name is how a legend calls a group.
func (g MapGroup) name() string { return g.Source + ", " + g.Field }

// glyph tells a field apart where colours tell sources apart.
func glyph(field string) chart.Shape {
	switch {
	case strings.HasPrefix(field, "instruction"):
		return chart.Circle
	case strings.HasPrefix(field, "query"):
		return chart.Triangle
	}
	return chart.Diamond // passages, documents
}

// Figure draws the map of a study: colours for sources and shapes for fields, or
// colours for fields where there is one source.
func (m *StudyMap) Figure(id, title string) (*chart.Figure, error) {
	var sources, fields []string
	for _, g := range m.Groups {
		sources, fields = words.AddNew(sources, g.Source), words.AddNew(fields, g.Field)
	}
	f := &chart.Figure{ID: id, Title: words.Clean(title), Height: 620, X: chart.Axis{Title: m.X}, Y: chart.Axis{Title: m.Y},
		Caption: words.Clean(m.Method) + ". Zoom with Ctrl and the wheel or with the box above; drag to move; a name of the legend shows or hides its texts.",
		Table:   &table.Table{ID: id + "-table", Title: words.Clean(title), Caption: "What lies on the map.", Columns: []table.Column{{Name: "source"}, {Name: "field"}, {Name: "texts on the map", Number: true, Best: table.NoBest}, {Name: "texts there are", Number: true, Best: table.NoBest}}}}
	all := 0
	for _, g := range m.Groups {
		colour, shape := slices.Index(sources, g.Source), glyph(g.Field)
		if len(sources) == 1 {
			colour, shape = slices.Index(fields, g.Field), chart.Circle
		}
		mark := chart.Mark{Shape: chart.Dot, Name: g.name(), Colour: chart.Series[colour%len(chart.Series)], Glyph: shape}
		points, err := g.points()
		if err != nil {
			return nil, err
		}
		for _, p := range points {
			mark.Data = append(mark.Data, chart.Datum{X: p.X, Y: p.Y, Tip: words.Clean(g.name()) + "\n" + wrap(words.Clean(p.Text))})
		}
		all += len(points)
		f.Marks = append(f.Marks, mark)
		f.Table.Rows = append(f.Table.Rows, table.Row{Entries: []table.Entry{{Text: words.Clean(g.Source)}, {Text: words.Clean(g.Field)},
			table.Number(words.Group(g.N), float64(g.N)), table.Number(words.Group(g.Of), float64(g.Of))}})
	}
	f.Alt = fmt.Sprintf("Map of %s texts of %s, %s; the table below holds what lies on it.", words.Group(all), words.Listed(words.CleanAll(sources)), words.Listed(words.CleanAll(fields)))
	return f.Drawn()
}

// lineWidth is how many letters a line of a tip has.
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

// mapped is the paper's Figure 3a: a chart for each map that was kept, and how far each
// is to be trusted.
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
			if v, ok := s.first(m); ok {
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
		f, err := s.Map.Figure(fmt.Sprintf("view-map-%d", i+1), s.Name)
		if err != nil {
			return nil, fmt.Errorf("map %s: %w", s.Name, err)
		}
		out[0].Figures = append(out[0].Figures, f)
	}
	out[0].Grid = section.Stacked
	return out, nil
}
