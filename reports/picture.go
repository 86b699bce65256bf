package reports

import (
	"errors"
	"fmt"
	"slices"

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
	if !slices.Contains(Pictures(), name) {
		return nil, nearest.Unknown("picture", name, Pictures())
	}
	if name == "leaderboard" && len(r.Boards) > 0 {
		return chart.Draw(r.Boards[0].Leaderboard)
	}
	for i, b := range r.Boards {
		var drawing *chart.Drawing
		Each(r.sectionsOf(i), func(s *Section, _ int) {
			for _, f := range s.Figures {
				if s.ID == b.ID+"-"+name && f.Drawing != nil && drawing == nil {
					drawing = f.Drawing.Titled(fmt.Sprintf("%s, %s, ×100", f.Title, b.words()))
				}
			}
		})
		if drawing != nil {
			return drawing, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", name, ErrNoPicture)
}

// sectionsOf are the parts of a board's section.
func (r *Report) sectionsOf(board int) []Section {
	i := slices.IndexFunc(r.Sections, func(s Section) bool { return s.ID == r.Boards[board].ID })
	return r.Sections[i].Parts
}
