package reports

import (
	"infbench/metrics"
	"infbench/reports/scores"
)

// TrialScores returns the headline numbers of each trial that has values, by its ID: those that
// costs are set against. Each test is named after its numbers.
func (r *Report) TrialScores() map[string]string {
	out := map[string]string{}
	for _, b := range r.Boards {
		columns := qualities(b.Numbers)
		for _, s := range b.Set.Systems {
			for _, t := range s.Trials {
				if said := trialScores(b.Set, s, t, columns); said != "" {
					if out[t.ID] != "" {
						said = "; " + said
					}
					out[t.ID] += said
				}
			}
		}
	}
	return out
}

// trialScores formats a trial's numbers.
func trialScores(v *scores.Set, s *scores.System, t *scores.Trial, columns []scores.Number) (out string) {
	last := ""
	for _, c := range columns {
		m := v.Gathered(s, c).Mean(t)
		if m.Tests == 0 {
			continue
		}
		switch {
		case last == c.Test():
			out += ", "
		case last != "":
			out += " on " + last + "; "
		}
		out += metrics.Percent(c.Measure, m.Mean) + " " + c.Scoring()
		last = c.Test()
	}
	if last != "" {
		out += " on " + last
	}
	return out
}
