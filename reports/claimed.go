package reports

import (
	"fmt"

	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/reports/claims"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/runners/results"
)

// claimSections compares the claims of papers with the measured numbers.
func claimSections(r *Report) ([]section.Section, error) {
	var out []section.Section
	found := claims.Found{Set: r.set, Figures: dataFigures(r.options.Studies, r.options.Overlaps), Sequences: sequences(r.recipes), Pair: r.pair}
	for i, f := range r.options.Claims {
		judged := claims.Judge(f, found)
		id := "claims"
		if i > 0 {
			id = fmt.Sprintf("claims-%d", i+1)
		}
		out = append(out, judged.Section(id))
		r.Lead, r.said = append(r.Lead, judged.Said()), append(r.said, judged.Said())
	}
	r.beside = append(r.beside, out...)
	return out, nil
}

// pair returns a board's comparison of b with a, for systems of all trials; nil if there
// is none.
func (r *Report) pair(on scores.Number, a, b *scores.System) *contrast.Contrast {
	for _, board := range r.Boards {
		here, there := board.byIdentity[scores.Identity(a.Trials[0])], board.byIdentity[scores.Identity(b.Trials[0])]
		if here == nil || there == nil {
			continue
		}
		if c := board.pairs().Of(on, here, there); c != nil {
			return c
		}
	}
	return nil
}

// pairs returns the tests of two systems that the board and its sections show.
func (b *Board) pairs() contrast.Pairs {
	return contrast.Pairs{Planned: b.Families, Rankings: b.Rankings}
}

// Judge compares the claims of a file with results and with studies of data.
func Judge(f *claims.File, exps []*results.Experiment, studies []*results.Study, overlaps []results.Overlap) (*claims.Judged, error) {
	v, err := scores.New(exps)
	if err != nil {
		return nil, err
	}
	return claims.Judge(f, claims.Found{Set: v, Figures: dataFigures(studies, overlaps), Sequences: sequences(exps)}), nil
}

// sequences returns the logs of active sweeps.
func sequences(exps []*results.Experiment) (logs []*results.ActiveLog) {
	for _, e := range exps {
		if e.Active != nil {
			logs = append(logs, e.Active)
		}
	}
	return logs
}

// OfClaims returns a report with only a section on claims.
func OfClaims(s section.Section) *Report {
	title := s.Title
	s.Title = ""
	return &Report{Title: title, Sections: []section.Section{s}, Asked: true}
}

// dataFigures returns the numbers of studies in the form that claims use.
func dataFigures(studies []*results.Study, overlaps []results.Overlap) []claims.Figure {
	var out []claims.Figure
	for _, s := range studies {
		for _, v := range s.Values {
			f := claims.Figure{Kind: s.Kind, Name: words.Clean(s.Name), File: words.Clean(s.File), Measure: words.Clean(v.Measure), Of: words.Clean(v.Of), N: v.N, Value: v.Value}
			if v.Low != nil && v.High != nil {
				f.Interval = stats.Interval{Low: *v.Low, High: *v.High, Level: s.Level}
			}
			out = append(out, f)
		}
	}
	for _, o := range overlaps {
		f := claims.Figure{Kind: "overlap", Name: words.Clean(o.Train), Of: words.Clean(o.Test) + " | " + words.Clean(o.Group), N: o.Texts}
		exact, partial := float64(o.Exact), float64(o.Partial)
		f.Measure, f.Value = "exact", &exact
		out = append(out, f)
		f.Measure, f.Value = "partial", &partial
		out = append(out, f)
	}
	return out
}
