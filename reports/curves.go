package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// curveSections draws the training curves.
func curveSections(b *Board, _ Options) ([]section.Section, error) {
	var c scores.Number
	if len(b.Numbers) > 0 {
		c = b.Numbers[0]
	}
	figures, err := curves(b.Set, b.ID, c)
	return []section.Section{{ID: b.ID + "-training", Title: "Training", Nav: "Training", Folded: true, Figures: figures, Source: section.OfRuns()}}, err
}

// curvePoints is the largest number of points of a training curve; longer ones are
// averaged over equal ranges of steps.
const curvePoints = 60

// linesAtMost is the largest number of lines in one chart.
const linesAtMost = 60

// curves draws the training loss and, if recorded, the in-batch accuracy of every trained
// system. If there are many, those that stand out in a number are coloured.
func curves(v *scores.Set, id string, by scores.Number) ([]*chart.Figure, error) {
	all := []struct {
		id, title, y, caption string
		of                    func(results.Step) float64
	}{
		{"training-loss", "Training loss", "loss", "Losses of different forms and terms add up different things: compare shapes, not heights.",
			func(s results.Step) float64 { return s.Loss }},
		{"training-accuracy", "In-batch accuracy", "positives ranked first in their batch ×100", "How often the positive is ranked first within its training batch, ×100.",
			func(s results.Step) float64 { return 100 * s.Accuracy }},
	}
	var out []*chart.Figure
	for _, a := range all {
		lines, stretch := collect(v, a.of)
		if len(lines) == 0 {
			continue
		}
		caption := a.caption
		if stretch > 1 {
			caption += fmt.Sprintf(" Each point is the mean of %d steps.", stretch)
		}
		recorded := len(lines)
		lines, how := picked(v, lines, by)
		if recorded > len(lines) {
			caption += fmt.Sprintf(" %d of %s systems are drawn.", len(lines), words.Group(recorded))
		}
		f, err := curveFigure(id+"-"+a.id, a.title, a.y, caption+how, lines)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// colouredAtMost is the largest number of lines that are distinguished by colour.
const colouredAtMost = 5

// leading is how many of the best systems are coloured if there are more lines.
const leading = 3

// picked colours the lines if they are few. Otherwise it colours the lines of the best and
// the last system in a number, and draws the others in grey behind them. how describes the
// colours.
func picked(v *scores.Set, lines []chart.Mark, by scores.Number) (out []chart.Mark, how string) {
	if len(lines) <= colouredAtMost {
		return lines, " Solid or dashed shows the form, the colour shows the terms."
	}
	places := map[string]int{}
	for _, s := range bestFirst(v, v.Trained(), by) {
		if v.Cell(s, by).State.Valued() {
			places[s.Label] = len(places)
		}
	}
	last, odd := len(places)-1, oddest(lines)
	var grey []chart.Mark
	for i, l := range lines {
		switch place, ok := places[l.Name]; {
		case ok && (place < leading || place == last):
			l.Dashed, l.Colour = place == last, chart.Series[min(place, leading)]
		case i == odd:
			l.Dashed, l.Colour = false, chart.Series[leading+1]
		default:
			l.Faint, l.Dashed = true, false
			grey = append(grey, l)
			continue
		}
		out = append(out, l)
	}
	grey = grey[:min(len(grey), linesAtMost-len(out))]
	return append(grey, out...), fmt.Sprintf(" Named lines: the %d best in %s on %s, the last (dashed), and the one that ends farthest from the others. The others are grey; point at a line for its name.", leading, by.Scoring(), by.Test())
}

// oddest returns the index of the line that ends farthest from the median end.
func oddest(lines []chart.Mark) (at int) {
	ends := make([]float64, len(lines))
	for i, l := range lines {
		ends[i] = l.Data[len(l.Data)-1].Y
	}
	middle := slices.Sorted(slices.Values(ends))[len(ends)/2]
	for i := range ends {
		if math.Abs(ends[i]-middle) > math.Abs(ends[at]-middle) {
			at = i
		}
	}
	return at
}

// collect returns the line of each system and the largest number of steps averaged in one
// point. A system whose values are all 0 did not record them.
func collect(v *scores.Set, of func(results.Step) float64) (lines []chart.Mark, stretch int) {
	var forms, groups []string
	for _, s := range v.Systems {
		steps := meanCurve(s, of)
		if len(steps) == 0 || !slices.ContainsFunc(steps, func(p [2]float64) bool { return p[1] != 0 }) {
			continue
		}
		form, terms, ok := scores.SplitLoss(s.Loss)
		if !ok {
			form, terms = "", s.Label
		}
		forms, groups = words.AddNew(forms, form), words.AddNew(groups, terms)
		l := chart.Mark{Shape: chart.Line, Name: s.Label, Colour: chart.Series[slices.Index(groups, terms)%len(chart.Series)], Dashed: slices.Index(forms, form)%2 == 1}
		size := (len(steps) + curvePoints - 1) / curvePoints
		stretch = max(stretch, size)
		for part := range slices.Chunk(steps, size) {
			var x, y float64
			for _, p := range part {
				x += p[0]
				y += p[1]
			}
			x, y = x/float64(len(part)), y/float64(len(part))
			l.Data = append(l.Data, chart.Datum{X: x, Y: y, Tip: fmt.Sprintf("%s\nstep %s: %s", l.Name, words.Group(int(x)), words.Fixed(y, 3))})
		}
		lines = append(lines, l)
	}
	return lines, stretch
}

// meanCurve returns step and value by ascending step. The value is the mean over the
// trials that recorded the step. Values that are not finite are left out.
func meanCurve(s *scores.System, of func(results.Step) float64) [][2]float64 {
	sum, count := map[int]float64{}, map[int]int{}
	for _, t := range s.Trials {
		for _, step := range t.Curve {
			if y := of(step); words.Finite(y) {
				sum[step.Step] += y
				count[step.Step]++
			}
		}
	}
	steps := make([]int, 0, len(sum))
	for step := range sum {
		steps = append(steps, step)
	}
	slices.Sort(steps)
	out := make([][2]float64, len(steps))
	for i, step := range steps {
		out[i] = [2]float64{float64(step), sum[step] / float64(count[step])}
	}
	return out
}

// curveFigure draws lines of one quantity over the training steps.
func curveFigure(id, title, y, caption string, lines []chart.Mark) (*chart.Figure, error) {
	f := &chart.Figure{ID: id, Title: title, Caption: caption, Height: 420, X: chart.Axis{Title: "step", Zero: true}, Y: chart.Axis{Title: y}, Marks: slices.Clone(lines),
		Alt: fmt.Sprintf("Line chart of %s over the training steps for %d systems; the table below holds first and last values.", y, len(lines))}
	f.Table = &table.Table{ID: id + "-table", Title: title, Columns: []table.Column{{Name: "system"},
		{Name: "steps", Number: true}, {Name: "first", Number: true}, {Name: "lowest", Number: true}, {Name: "highest", Number: true}, {Name: "last", Number: true}}}
	byY := func(a, b chart.Datum) int { return cmp.Compare(a.Y, b.Y) }
	for _, l := range lines {
		last := l.Data[len(l.Data)-1]
		row := []table.Entry{{Text: l.Name}, table.Number(words.Group(int(last.X)), last.X)}
		for _, d := range []chart.Datum{l.Data[0], slices.MinFunc(l.Data, byY), slices.MaxFunc(l.Data, byY), last} {
			row = append(row, table.Number(words.Fixed(d.Y, 3), d.Y))
		}
		f.Table.Rows = append(f.Table.Rows, table.Row{Kind: table.Trained, Entries: row})
	}
	return f.Drawn()
}
