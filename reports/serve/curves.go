package serve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/section"
	"infbench/reports/table"
)

// Limits of charts of curves: more lines would be indistinguishable.
const (
	drawnAtMost  = 12 // cells in one chart
	triedAtMost  = 40 // cells whose curves are tried
	termsAtMost  = 4  // cells whose terms are drawn
	curvesHeight = 300
)

// drawn is a cell with its curves.
type drawn struct {
	Cell
	curves []Curve
}

// curvesOf reads the curves of the first cells.
func curvesOf(run Run, cells []Cell) (out []drawn) {
	for _, c := range cells[:min(len(cells), triedAtMost)] {
		curves, err := run.Curves(c.ID)
		if err != nil || len(curves) == 0 {
			continue // the cell's own page shows the reason
		}
		if out = append(out, drawn{c, curves}); len(out) == drawnAtMost {
			break
		}
	}
	shortenLabels(out)
	return out
}

// shortenLabels removes from the labels of several cells the words that they share. The label of a
// single cell is cut to its first word, so that it fits into charts.
func shortenLabels(cells []drawn) {
	if len(cells) < 2 {
		for i, c := range cells {
			cells[i].Label, _, _ = strings.Cut(c.Label, " ")
		}
		return
	}
	shared := strings.Fields(cells[0].Label)
	for _, c := range cells[1:] {
		own := strings.Fields(c.Label)
		shared = slices.DeleteFunc(shared, func(word string) bool { return !slices.Contains(own, word) })
	}
	for i, c := range cells {
		own := slices.DeleteFunc(strings.Fields(c.Label), func(word string) bool { return slices.Contains(shared, word) })
		if len(own) > 0 {
			cells[i].Label = strings.Join(own, " ")
		}
	}
}

// charted lists the series that have a chart, in order; the series of terms follow.
var charted = []struct {
	series, title, caption string
	times                  float64 // factor of the shown values
}{
	{"loss", "Loss", "Losses of different forms and terms add up different things: compare shapes, not heights.", 1},
	{"accuracy", "In-batch accuracy", "How often the positive is ranked first within its batch, ×100.", 100},
	{"gradient norm", "Gradient norm", "Global, before clipping.", 1},
	{"tokens/s", "Tokens per second", "Without padding, while the cell is trained.", 1},
}

// termPrefix is the beginning of the names of series of loss terms.
const termPrefix = "term "

// curvesSection draws curves over their steps; without curves it is empty.
func curvesSection(cells []drawn) (section.Section, error) {
	s := section.Section{ID: "curves", Grid: section.Paired}
	for _, c := range charted {
		lines := linesOf(cells, c.times, func(name string) (string, bool) { return "", name == c.series })
		if err := addFigure(&s, strings.ReplaceAll(c.series, " ", "-"), c.title, c.caption, lines); err != nil {
			return s, err
		}
	}
	caption := "The loss of each term by itself; in the forms uni and pair they add up to the loss."
	if len(cells) > termsAtMost {
		caption += fmt.Sprintf(" Shown for the first %d cells.", termsAtMost)
	}
	lines := linesOf(cells[:min(len(cells), termsAtMost)], 1, func(name string) (string, bool) {
		term, ok := strings.CutPrefix(name, termPrefix)
		return term, ok
	})
	return s, addFigure(&s, "terms", "Terms of the loss", caption, lines)
}

// linesOf makes a line of each series that pick selects, with its values multiplied by times. The
// line has the name of its cell and the name from pick.
func linesOf(cells []drawn, times float64, pick func(series string) (name string, ok bool)) (lines []chart.Mark) {
	for _, cell := range cells {
		for _, c := range cell.curves {
			name, ok := pick(c.Name)
			if !ok || len(c.Points) == 0 {
				continue
			}
			line := chart.Mark{Shape: chart.Line, Name: strings.TrimSpace(name + " " + cell.Label), Colour: chart.Series[len(lines)%len(chart.Series)], Dashed: len(lines)/len(chart.Series)%2 == 1}
			for _, p := range c.Points {
				line.Data = append(line.Data, chart.Datum{X: p.Step, Y: times * p.Value, Tip: fmt.Sprintf("%s\nstep %s: %s", words.Clean(line.Name), words.Group(int(p.Step)), words.Fixed(times*p.Value, 3))})
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// addFigure adds a chart of lines with the table of their numbers; without lines it does nothing.
func addFigure(s *section.Section, id, title, caption string, lines []chart.Mark) error {
	if len(lines) == 0 {
		return nil
	}
	id = "curve-" + id
	f := &chart.Figure{ID: id, Title: title, Caption: caption, Height: curvesHeight, X: chart.Axis{Title: "step", Zero: true}, Marks: lines,
		Alt: fmt.Sprintf("Line chart of %s over the training steps of %s; the table below has first and last values.", strings.ToLower(title), words.Plural(len(lines), "line", "lines"))}
	f.Table = &table.Table{ID: id + "-table", Title: title, Columns: []table.Column{{Name: "cell"},
		{Name: "step", Number: true}, {Name: "first", Number: true}, {Name: "lowest", Number: true}, {Name: "highest", Number: true}, {Name: "last", Number: true}}}
	byY := func(a, b chart.Datum) int { return cmp.Compare(a.Y, b.Y) }
	for _, l := range lines {
		last := l.Data[len(l.Data)-1]
		row := []table.Entry{{Text: words.Clean(l.Name)}, table.Number(words.Group(int(last.X)), last.X)}
		for _, d := range []chart.Datum{l.Data[0], slices.MinFunc(l.Data, byY), slices.MaxFunc(l.Data, byY), last} {
			row = append(row, table.Number(words.Fixed(d.Y, 3), d.Y))
		}
		f.Table.Rows = append(f.Table.Rows, table.Row{Entries: row})
	}
	f, err := f.Drawn()
	s.Figures = append(s.Figures, f)
	return err
}
