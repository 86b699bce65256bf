package beside

import (
	"fmt"
	"strings"

	"infbench/metrics"
	"infbench/reports/chart"
	"infbench/reports/table"
)

// tradeoff plots the published p-MRR against the published score, for each pair of
// conventions that rows share. It uses the means over all tasks if the board has them,
// else each task. It reads the leaderboard, so that points agree with the table.
func (b *Board) tradeoff() ([]*chart.Figure, error) {
	t := b.Leaderboard
	if t == nil {
		return nil, nil // the collection is not available
	}
	var out []*chart.Figure
	group := ""
	for y, col := range t.Columns {
		if !strings.HasPrefix(col.Name, metrics.PMRR{}.String()) || group != "" && col.Group != group {
			continue
		}
		for x, other := range t.Columns {
			if other.Group != col.Group || !other.Number || strings.HasPrefix(other.Name, metrics.PMRR{}.String()) {
				continue
			}
			s := scatter(t, x, y)
			if s.Count() < 3 {
				continue
			}
			f, err := s.Figure(fmt.Sprintf("%s-tradeoff-%d", b.ID, len(out)+1))
			if err != nil {
				return nil, err
			}
			out = append(out, f)
			if col.Group == followIRGroup {
				group = col.Group // the means suffice
			}
		}
	}
	return out[:min(len(out), publishedScatters)], nil
}

// followIRGroup is the heading of the means over FollowIR's tasks.
const followIRGroup = "FollowIR"

// publishedScatters is the largest number of such charts on a board.
const publishedScatters = 6

// scatter plots column y of a table against column x, for the rows with both and the most common
// data.
func scatter(t *table.Table, x, y int) *chart.Scatter {
	xc, yc := t.Columns[x], t.Columns[y]
	s := &chart.Scatter{
		Title: fmt.Sprintf("%s: p-MRR against %s", xc.Group, xc.Name), X: xc.Name + " ×100", Y: yc.Name + " ×100",
		Reading: "Higher means following the change of instruction better; further right means finding documents better. Each circle is a published row that has both numbers.",
	}
	rows, apart := ofOneClass(t, x, y)
	if apart > 0 {
		s.Reading += " " + leftOut(apart)
	}
	for _, r := range rows {
		a, b := r.Entries[x], r.Entries[y]
		model := r.Entries[0].Text
		s.Add(model[strings.LastIndex(model, "/")+1:], table.Trained, *a.Sort, *b.Sort, table.Entry{Text: a.Text}, table.Entry{Text: b.Text},
			fmt.Sprintf("%s\n%s %s\n%s %s", model, xc.Name, a.Text, yc.Name, b.Text))
	}
	// Names are placed in this order, so that the highest points get theirs.
	s.HighestFirst()
	return s
}
