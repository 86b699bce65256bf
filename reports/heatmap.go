package reports

import (
	"fmt"

	"infbench/reports/chart"
	"infbench/reports/scores"
	"infbench/reports/words"
)

func heatCell(v *scores.Set, s *scores.System, name string, c scores.Number) chart.HeatCell {
	if s == nil {
		return chart.HeatCell{Absent: true, Tip: name + ": not in the plan"}
	}
	cell := v.Cell(s, c)
	e := cell.Entry()
	h := chart.HeatCell{Text: e.Text, Value: words.Scaled(cell.Value), Absent: !cell.State.Valued(), From: e.From}
	h.Tip = fmt.Sprintf("%s: %s", name, e.Text)
	if cell.State.Valued() {
		h.Tip += fmt.Sprintf(" (%s)", words.Plural(cell.Queries, "query", "queries"))
	}
	return h
}

// setBase colours by the difference from the reference system, or from the mean
// of the cells where it has no value.
func setBase(v *scores.Set, h *chart.Heatmap, ref *scores.System, c scores.Number) {
	if ref != nil {
		if cell := v.Cell(ref, c); cell.State.Valued() {
			h.Base, h.Against = words.Scaled(cell.Value), fmt.Sprintf("%s (%s)", ref.Label, words.Minus(words.Percent(c.Measure, cell.Value)))
			return
		}
	}
	n := 0.0
	for _, row := range h.Cells {
		for _, cell := range row {
			if !cell.Absent {
				n++
				h.Base += (cell.Value - h.Base) / n
			}
		}
	}
	h.Against = "the mean of the cells"
}
