package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
)

// colours gives the fields of heatmaps their colours. A field has a colour only if a test shows
// its difference from the middle field of its heatmap, so that chance has none. All heatmaps of
// a measure have the same steps, so that they can be compared.
type colours struct {
	pairs contrast.Pairs
	steps map[string]float64 // length of a step in points, by measure
}

// coloursOf chooses the steps for the differences that are shown on some columns.
func coloursOf(v *scores.Set, grids []*ablationGrid, columns []scores.Number, pairs contrast.Pairs) colours {
	shown := map[string][]float64{}
	for _, c := range columns {
		for _, g := range grids {
			middle := g.middle(v, c)
			for _, s := range g.systems {
				if s == middle {
					continue
				}
				if found := pairs.Of(c, middle, s); found != nil && found.Shown() {
					shown[c.Measure] = append(shown[c.Measure], words.Scaled(found.Difference))
				}
			}
		}
	}
	by := colours{pairs, map[string]float64{}}
	for _, c := range columns {
		by.steps[c.Measure] = chart.StepOf(shown[c.Measure])
	}
	return by
}

// middle returns the system of a grid with the median of a number, the higher of two; nil if
// none has a value. Equal ones are ordered by their place in the plan.
func (g *ablationGrid) middle(v *scores.Set, c scores.Number) *scores.System {
	var valued []*scores.System
	cells := v.Cells(c)
	for _, row := range g.rows {
		for _, col := range g.cols {
			if s := g.systems[[2]string{row, col}]; s != nil && cells(s).State.Valued() {
				valued = append(valued, s)
			}
		}
	}
	if len(valued) == 0 {
		return nil
	}
	slices.SortStableFunc(valued, func(a, b *scores.System) int { return cmp.Compare(cells(a).Value, cells(b).Value) })
	return valued[len(valued)/2]
}

// of returns the step of a system's field and a line on its difference from the middle field.
func (by colours) of(c scores.Number, middle, s *scores.System) (step float64, line string) {
	if s == middle {
		return 0, "\nthe middle field"
	}
	found := by.pairs.Of(c, middle, s)
	if found == nil {
		return 0, "\nnot tested against " + middle.Label
	}
	if found.Why == "" {
		line = words.Signed(found.Difference) + " "
	}
	if line = fmt.Sprintf("\n%sagainst %s: %s", line, middle.Label, found.Judged()); !found.Shown() {
		return 0, line
	}
	step = chart.Step(words.Scaled(found.Difference), by.steps[c.Measure])
	switch found.Judged() {
	case contrast.Better:
		return math.Abs(step), line
	case contrast.Worse:
		return -math.Abs(step), line
	}
	return step, line
}

// caption names the middle field of a heatmap on a column, and the length of a step.
func (by colours) caption(c scores.Number, middle *scores.System) string {
	return fmt.Sprintf("Against %s, the middle field, in steps of %s points.", middle.Label, words.Fixed(by.steps[c.Measure], 0))
}

// coloursAre explains heatmaps.
const coloursAre = " Values ×100. Blue is better and orange worse than the middle field of a heatmap, the stronger the more; a field is grey if no test shows a difference, and blank if it is not in the plan. Point at a value for its 95% interval."

// isHeatmap reports whether a figure is a heatmap.
func isHeatmap(f *chart.Figure) bool { return len(f.Marks) > 0 && f.Marks[0].Shape == chart.Cell }
