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
	holds    = "holds"
	reversed = "the reverse holds"
	notShown = "not shown"
)

// verdict says what the corrected test allows to say of a claim, and whether the
// interval over seeds carries it beyond the seeds that were run.
func (c *claimed) verdict() string {
	word, shown := map[contrast.Verdict]string{contrast.Better: holds, contrast.Worse: reversed}[c.Judged()]
	switch {
	case !shown:
		return notShown
	case c.Interval.Contains(0):
		return word + ", for these seeds"
	}
	return word
}

// claimTable lists claims by finding, measure and backbone.
func claimTable(id string, claims []*claimed) *table.Table {
	t := &table.Table{ID: id, Title: "Findings of the paper",
		Caption: fmt.Sprintf("How far ahead the first side of each finding is, ×100, with its 95%% interval over queries and seeds; each is the mean over all pairs of runs that are alike but for it. "+
			"It holds, or its reverse does, where the paired randomisation test over queries says so after Holm over all %d rows (p ≤ %v); \"for these seeds\" where the interval holds 0 all the same. "+
			"For the best loss the decisive rival is shown: another that is most surely ahead of it, or else the one that it is least surely ahead of.", len(claims), contrast.Significant),
		Columns: []table.Column{{Name: "finding"}, {Name: "measured by"}, {Name: "backbone"}, {Name: "pairs", Number: true}, {Name: "difference", Number: true}, {Name: "p (Holm)", Number: true}, {Name: "verdict"}},
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
	verdict := table.Entry{Text: c.verdict(), Tone: c.Judged().Tone()}
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
	for _, verdict := range []string{holds, holds + ", for these seeds", notShown, reversed + ", for these seeds", reversed} {
		if len(backbones[verdict]) > 0 {
			parts = append(parts, verdict+" for "+strings.Join(backbones[verdict], ", "))
		}
	}
	return strings.Join(parts, "; ")
}
