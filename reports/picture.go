package reports

import (
	"errors"
	"fmt"

	"infbench/metrics/nearest"
	"infbench/reports/chart"
)

// ErrNoPicture says that a report has nothing to draw of that kind.
var ErrNoPicture = errors.New("nothing to draw")

// Pictures lists the names that Picture knows.
func Pictures() []string { return []string{"leaderboard", "ablation", "tradeoff", "differences"} }

// Picture draws one part of a report's first board as a standalone SVG with its
// heading, for a README or a slide. It fails with ErrNoPicture where the report
// has no such part.
func (r *Report) Picture(name string) (*chart.Drawing, error) {
	var figures func(*Board) []*chart.Figure
	switch name {
	case "leaderboard":
		if len(r.Boards) == 0 {
			return nil, fmt.Errorf("leaderboard: %w", ErrNoPicture)
		}
		return chart.Draw(r.Boards[0].Leaderboard)
	case "ablation":
		figures = func(b *Board) []*chart.Figure { return b.Ablation }
	case "tradeoff":
		figures = func(b *Board) []*chart.Figure { return b.Tradeoff }
	case "differences":
		figures = func(b *Board) []*chart.Figure { return b.Differences }
	default:
		return nil, nearest.Unknown("picture", name, Pictures())
	}
	for _, b := range r.Boards {
		for _, f := range figures(b) {
			if f.Drawing != nil {
				return f.Drawing.Titled(fmt.Sprintf("%s, %s, ×100", f.Title, b.words())), nil
			}
		}
	}
	return nil, fmt.Errorf("%s: %w", name, ErrNoPicture)
}
