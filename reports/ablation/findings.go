package ablation

import (
	"fmt"
	"slices"
	"strings"

	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/table"
	"infbench/reports/words"
)

// Verdicts on a claim.
const (
	holds     = "holds"
	reversed  = "the reverse holds"
	notShown  = "not shown"
	notJudged = "not judged: one training run says nothing of a method"
)

// verdict says what the corrected test allows to say of a claim: of other training
// runs, or of those that were run.
func (c *claimed) verdict() string {
	ahead := holds
	if c.On.Direction().Better(0, c.Difference) {
		ahead = reversed
	}
	switch {
	case c.OneRun:
		return notJudged
	case c.Shown():
		return ahead
	case c.TheseSeedsToo:
		return ahead + ", " + contrast.TheseSeeds
	}
	return notShown
}

// tone colours what is shown.
func (c *claimed) tone() table.Tone {
	if c.OneRun {
		return table.Absent
	}
	return c.Judged().Tone()
}

// claimTable lists claims by finding, measure and backbone.
func claimTable(id string, claims []*claimed) *table.Table {
	t := &table.Table{ID: id, Title: "Findings of the paper",
		Caption: fmt.Sprintf("How far ahead the first side of each finding is, ×100, with its interval (%s); each is the mean over all pairs of systems that are alike but for it. "+
			"It holds, or its reverse does, where %s say so after Holm over all %d rows (p ≤ %v); \"%s\" where only the runs at hand differ. "+
			"For the best loss the decisive rival is shown: another that is most surely ahead of it, or else the one that it is least surely ahead of.",
			familyOf(claims).IntervalWords(), contrast.Method, len(claims), contrast.Significant, contrast.TheseSeeds),
		Columns: []table.Column{{Name: "finding"}, {Name: "measured by"}, {Name: "backbone"}, {Name: "runs", Number: true}, {Name: "difference", Number: true}, {Name: "p (Holm)", Number: true}, {Name: "verdict"}},
	}
	if slices.ContainsFunc(claims, func(c *claimed) bool { return c.On.Direction() == metrics.Lower }) {
		t.Notes = append(t.Notes, "By a measure of which lower is better, a negative difference is ahead.")
	}
	for _, words := range claimWords(claims) {
		for _, c := range claims {
			if c.claim == words {
				t.Rows = append(t.Rows, c.row())
			}
		}
	}
	return t
}

func (c *claimed) row() table.Row {
	verdict := table.Entry{Text: c.verdict(), Tone: c.tone()}
	if c.rival != "" {
		verdict.Text += " (" + c.rival + ")"
	}
	return table.Row{Kind: table.Trained, Entries: []table.Entry{
		{Text: c.claim}, {Text: c.On.Scoring()}, {Text: c.backbone}, table.Number(words.Group(c.Runs), float64(c.Runs)),
		difference(c.Contrast), table.Number(words.PValue(c.Adjusted), c.Adjusted), verdict,
	}}
}

// claimWords lists the claims once each, in order.
func claimWords(claims []*claimed) []string {
	var out []string
	for _, c := range claims {
		out = words.AddNew(out, c.claim)
	}
	return out
}

// claimSentences says of each claim and measure where it holds.
func claimSentences(claims []*claimed) []string {
	var out []string
	for _, words := range claimWords(claims) {
		parts := map[string]map[string][]string{} // measure, verdict, backbones
		var measures []string
		for _, c := range claims {
			if c.claim != words {
				continue
			}
			m := c.On.Scoring()
			if parts[m] == nil {
				parts[m] = map[string][]string{}
				measures = append(measures, m)
			}
			parts[m][c.verdict()] = append(parts[m][c.verdict()], c.backbone)
		}
		for _, m := range measures {
			out = append(out, fmt.Sprintf("%s, by %s: %s.", words, m, verdictWords(parts[m])))
		}
	}
	return out
}

// verdictWords joins verdicts and backbones: "holds for tiny-bert; not shown for all".
func verdictWords(backbones map[string][]string) string {
	var parts []string
	for _, verdict := range []string{holds, holds + ", " + contrast.TheseSeeds, notShown, reversed + ", " + contrast.TheseSeeds, reversed, notJudged} {
		if len(backbones[verdict]) > 0 {
			parts = append(parts, verdict+" for "+strings.Join(backbones[verdict], ", "))
		}
	}
	return strings.Join(parts, "; ")
}
