package reports

import (
	"fmt"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// curveTable has a row for each size of each line.
func curveTable(set *scores.Set, curves []sizeCurve, numbers []scores.Number) *table.Table {
	t := &table.Table{ID: "view-scaling-table", Title: scalingTitle,
		Caption: "Values ×100: the mean over queries, then tasks, then training runs, ± half of its 95% interval over runs (with the variance pooled over all sizes, unless they differ), and the number of runs. With fewer than three runs there is no ±. Each seed draws its own records; smaller shares are subsets of larger ones. Nothing is tested here.",
		Columns: []table.Column{{Name: "trained"}, {Name: "records", Number: true, Best: table.NoBest}, {Name: "steps", Number: true, Best: table.NoBest}}}
	for _, n := range numbers {
		head := n.Heading()
		head.Best = table.NoBest
		t.Columns = append(t.Columns, head)
	}
	for _, c := range curves {
		for _, p := range c.points {
			row := table.Row{Kind: table.Trained, Entries: []table.Entry{{Text: c.label}, table.Number(words.Group(p.records), float64(p.records)), {}}}
			if p.steps > 0 {
				row.Entries[2] = table.Number(words.Group(p.steps), float64(p.steps))
			}
			for _, n := range numbers {
				row.Entries = append(row.Entries, curveEntry(set, p, n))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = t.Remarks()
	return t
}

// curveEntry returns a number with its interval over runs.
func curveEntry(set *scores.Set, p sizePoint, n scores.Number) table.Entry {
	e := set.Cell(p.system, n).Entry()
	if runs, half, ok := runMeans(set, p, n); ok {
		e.Text += fmt.Sprintf(" ±%s (%d)", words.Fixed(100*half, 1), len(runs))
	}
	return e
}

// runMeans returns the mean of each run and half the width of their interval; ok is false
// if it is not known (see contrast.Replication.Half).
func runMeans(set *scores.Set, p sizePoint, n scores.Number) (runs []float64, half float64, ok bool) {
	runs = set.Runs(p.system, n)
	half, ok = contrast.ReplicationOf(set, n).Half(p.system)
	return runs, half, ok
}

// scalingFigure draws the lines of a number: means with their intervals, single runs as
// points.
func scalingFigure(set *scores.Set, id string, curves []sizeCurve, n scores.Number) (*chart.Figure, error) {
	title := fmt.Sprintf("%s on %s, by records trained on", n.Scoring(), n.Test())
	f := &chart.Figure{ID: id, Title: title, Height: 420, X: chart.Axis{Title: "records trained on", Log: true}, Y: chart.Axis{Title: n.Scoring() + " ×100"},
		Caption: "Lines connect means over training runs, vertical bars are their 95% intervals over runs, and circles are single runs. The scale of sizes is logarithmic.",
		Alt:     fmt.Sprintf("Line chart of %s against the number of training records for %d training methods; the table below holds the numbers.", n.Scoring(), len(curves)),
		Table: &table.Table{ID: id + "-table", Title: title, Columns: []table.Column{{Name: "trained"}, {Name: "records", Number: true, Best: table.NoBest},
			{Name: "mean", Number: true, Best: table.NoBest}}}}
	for i, c := range curves {
		addCurve(f, set, c, n, chart.Series[i%len(chart.Series)])
	}
	return f.Drawn()
}

// addCurve adds one line, its intervals and its runs.
func addCurve(f *chart.Figure, set *scores.Set, c sizeCurve, n scores.Number, colour chart.Colour) {
	line := chart.Mark{Shape: chart.Line, Name: c.label, Colour: colour}
	seeds := chart.Mark{Shape: chart.Circle, Name: c.label + ", single runs", Colour: colour}
	var strokes []chart.Mark
	for _, p := range c.points {
		cell, x := set.Cell(p.system, n), float64(p.records)
		f.Table.Rows = append(f.Table.Rows, table.Row{Kind: table.Trained, Entries: []table.Entry{{Text: c.label}, table.Number(words.Group(p.records), x), curveEntry(set, p, n)}})
		if !cell.State.Valued() {
			continue
		}
		at := func(v float64) chart.Datum {
			return chart.Datum{X: x, Y: words.Scaled(v), Tip: fmt.Sprintf("%s\n%s records: %s", c.label, words.Group(p.records), metrics.Percent(n.Measure, v))}
		}
		line.Data = append(line.Data, at(cell.Value))
		runs, half, ok := runMeans(set, p, n)
		if ok {
			strokes = append(strokes, chart.Mark{Shape: chart.Line, Colour: colour, Data: []chart.Datum{at(cell.Value - half), at(cell.Value + half)}})
		}
		for _, v := range runs {
			seeds.Data = append(seeds.Data, at(v))
		}
	}
	f.Marks = append(f.Marks, line)
	f.Marks = append(append(f.Marks, strokes...), seeds)
}
