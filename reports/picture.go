package reports

import (
	"errors"
	"fmt"
	"slices"

	"infbench/internal/nearest"
	"infbench/reports/chart"
)

// ErrNoPicture is returned if a report has nothing to draw of that kind.
var ErrNoPicture = errors.New("nothing to draw")

// Pictures lists the names that Picture accepts.
func Pictures() []string {
	return []string{"leaderboard", "ablation", "tradeoff", "differences", "probe", "tasks", "costs", "training"}
}

// Picture draws one part of a report's first board as a standalone picture with its heading,
// for a README, a slide or a paper. It returns ErrNoPicture if the report has no such part.
func (r *Report) Picture(name string) (*chart.Picture, error) {
	if !slices.Contains(Pictures(), name) {
		return nil, nearest.Unknown("picture", name, Pictures())
	}
	if name == "leaderboard" && len(r.Boards) > 0 {
		return chart.Draw(r.Boards[0].Leaderboard)
	}
	for _, b := range r.Boards {
		s := r.Section(b.ID + "-" + name)
		if s == nil {
			continue
		}
		for _, f := range s.Figures {
			if f.Drawing != nil {
				title := fmt.Sprintf("%s, %s", f.Title, b.words())
				if isHeatmap(f) { // axes show their unit
					title += ", ×100"
				}
				return f.Picture(title), nil
			}
		}
	}
	return nil, fmt.Errorf("%s: %w", name, ErrNoPicture)
}
