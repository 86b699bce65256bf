package reports

import (
	"fmt"
	"slices"

	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/reports/words"
)

// tradeoffHeading heads what sets p-MRR against a measure of quality.
const tradeoffHeading = "Following instructions against finding documents"

// tradeoffSections draw what following instructions costs.
func tradeoffSections(b *Board, _ contrast.Options) ([]Section, error) {
	return []Section{{ID: b.ID + "-tradeoff", Title: tradeoffHeading, Nav: "Trade-off", Figures: b.tradeoff}}, nil
}

// tradeoff sets p-MRR against the retrieval quality on the original
// instruction, by nDCG where the benchmark has it. A model may follow
// instructions and find nothing: the pair of numbers tells.
func tradeoff(v *scores.Set, id string, columns []scores.Number) ([]*chart.Figure, error) {
	var out []*chart.Figure
	for i, y := range columns {
		if y.Measure != words.PairMeasure {
			continue
		}
		x, ok := qualityBeside(columns, i)
		if !ok {
			continue
		}
		s := &scatterChart{title: fmt.Sprintf("%s against %s on %s", y.Scoring(), x.Scoring(), y.Test()), x: x.Scoring() + " ×100", y: y.Scoring() + " ×100",
			reading: "Up is following the change of instruction, right is finding what the original instruction asks for. " +
				"Circles are trained systems, diamonds baselines, triangles systems that do not look at the query."}
		for _, sys := range v.Systems {
			add(s, v, sys, x, y)
		}
		if len(s.points) < 2 {
			continue
		}
		f, err := s.figure(fmt.Sprintf("%s-tradeoff-%d", id, len(out)+1))
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// qualityBeside finds the retrieval measure to set p-MRR against, on the same
// benchmark and tasks: the last one listed, which is nDCG where there is one.
func qualityBeside(columns []scores.Number, i int) (scores.Number, bool) {
	var best scores.Number
	found := false
	for _, c := range columns {
		if c.Benchmark != columns[i].Benchmark || c.Side == "" || !slices.Equal(c.Tasks, columns[i].Tasks) {
			continue
		}
		if !found || len(c.Measure) >= 4 && c.Measure[:4] == "nDCG" {
			best, found = c, true
		}
	}
	return best, found
}

func add(s *scatterChart, v *scores.Set, sys *scores.System, x, y scores.Number) {
	a, b := v.Cell(sys, x), v.Cell(sys, y)
	if a.State == scores.Unplanned && b.State == scores.Unplanned {
		return
	}
	if !a.State.Valued() || !b.State.Valued() {
		s.left = append(s.left, sys.Label)
		return
	}
	s.add(sys.Label, sys.Kind, a.Value, b.Value, a.Entry(), b.Entry(), fmt.Sprintf("%s\n%s %s\n%s %s", sys.Label, x.Scoring(), a.Entry().Text, y.Scoring(), b.Entry().Text))
}

// scatterChart sets one number of each system against another.
type scatterChart struct {
	title, x, y string
	reading     string // how to read it
	points      []scatterPoint
	left        []string // systems without a point
}

// scatterPoint is one system, drawn and in the table.
type scatterPoint struct {
	chart.Datum
	row table.Row
}

// add sets a system's y against its x, with their entries in other tables.
func (s *scatterChart) add(name string, kind table.Kind, x, y float64, a, b table.Entry, tip string) {
	d := chart.Datum{Name: name, X: words.Scaled(x), Y: words.Scaled(y), Tip: tip}
	row := table.Row{Kind: kind, Entries: []table.Entry{{Text: name}, {Text: a.Text, Sort: &d.X, From: a.From}, {Text: b.Text, Sort: &d.Y, From: b.From}}}
	s.points = append(s.points, scatterPoint{d, row})
}

// pointsAtMost is how many points one chart holds; the highest are kept.
const pointsAtMost = 300

// figure draws each kind of system in its own shape and colour.
func (s *scatterChart) figure(id string) (*chart.Figure, error) {
	points := largest(s.points, pointsAtMost, func(p scatterPoint) float64 { return p.Y })
	f := &chart.Figure{ID: id, Title: s.title, Height: 440, Caption: s.reading, X: chart.Axis{Title: s.x}, Y: chart.Axis{Title: s.y},
		Alt: fmt.Sprintf("Scatter of %d systems: %s; the table below holds the numbers.", len(points), s.title)}
	f.Table = &table.Table{ID: id + "-table", Title: s.title, Columns: []table.Column{{Name: "system"}, {Name: s.x, Number: true}, {Name: s.y, Number: true}}}
	kinds := []table.Kind{table.Trained, table.Baseline, table.Null}
	f.Marks = []chart.Mark{{Shape: chart.Circle}, {Shape: chart.Diamond, Colour: chart.Series[1]}, {Shape: chart.Triangle, Colour: chart.Muted}}
	for _, p := range points {
		m := &f.Marks[slices.Index(kinds, p.row.Kind)]
		m.Name, m.Data = string(p.row.Kind), append(m.Data, p.Datum)
		f.Table.Rows = append(f.Table.Rows, p.row)
	}
	if len(points) < len(s.points) {
		f.Caption += fmt.Sprintf(" The %d highest of %s points are shown.", len(points), words.Group(len(s.points)))
	}
	for _, name := range s.left {
		f.Table.Notes = append(f.Table.Notes, name+" has no point: a number is missing or undefined.")
	}
	return f.Drawn()
}
