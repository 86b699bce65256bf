package beside

import (
	"fmt"
	"strings"

	"infbench/metrics"
	"infbench/reports/chart"
	"infbench/reports/table"
)

// tradeoff sets the published p-MRR against the published score, under each
// pair of conventions that rows have in common: over all tasks where the board
// has such means, else for each task. It reads the leaderboard, so that a point
// is what the table says.
func (b *Board) tradeoff() ([]*chart.Figure, error) {
	t := b.Leaderboard
	if t == nil {
		return nil, nil // the collection is not at hand
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
				group = col.Group // the means say it all
			}
		}
	}
	return out[:min(len(out), publishedScatters)], nil
}

// followIRGroup heads the columns of means over FollowIR's tasks.
const followIRGroup = "FollowIR"

// publishedScatters is how many such charts a board has at most.
const publishedScatters = 6

// scatter sets column y of a table against column x, for the rows with both.
func scatter(t *table.Table, x, y int) *chart.Scatter {
	xc, yc := t.Columns[x], t.Columns[y]
	s := &chart.Scatter{
		Title: fmt.Sprintf("%s: p-MRR against %s", xc.Group, xc.Name), X: xc.Name + " ×100", Y: yc.Name + " ×100",
		Reading: "Up is following the change of instruction, right is finding documents. Each circle is a published row that has both numbers.",
	}
	for _, r := range t.Rows {
		a, b := r.Entries[x], r.Entries[y]
		if a.Sort == nil || b.Sort == nil {
			continue
		}
		model := r.Entries[0].Text
		s.Add(model[strings.LastIndex(model, "/")+1:], table.Trained, *a.Sort, *b.Sort, table.Entry{Text: a.Text}, table.Entry{Text: b.Text},
			fmt.Sprintf("%s\n%s %s\n%s %s", model, xc.Name, a.Text, yc.Name, b.Text))
	}
	// Names are placed in this order: the highest get theirs.
	s.HighestFirst()
	return s
}
