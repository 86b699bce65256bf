package reports

import (
	"fmt"
	"strings"

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
	word := notShown
	switch c.tested.Direction() {
	case 1:
		word = holds
	case -1:
		word = reversed
	}
	if word != notShown && c.tested.Interval.Contains(0) {
		word += ", for these seeds"
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
	difference := table.Number(words.Signed(c.tested.Test.MeanDifference)+" "+words.Interval(c.tested.Interval), c.tested.Test.MeanDifference)
	verdict := table.Entry{Text: c.verdict()}
	if c.rival != "" {
		verdict.Text += " (" + c.rival + ")"
	}
	switch c.tested.Direction() {
	case 1:
		verdict.Tone = table.Better
	case -1:
		verdict.Tone = table.Worse
	}
	return table.Row{Kind: table.Trained, Entries: []table.Entry{
		{Text: c.claim}, {Text: c.column.Scoring()}, {Text: c.backbone}, table.Number(words.Group(c.tested.Contrast.Runs), float64(c.tested.Contrast.Runs)),
		difference, table.Number(words.PValue(c.tested.Holm), c.tested.Holm), verdict,
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
			m := c.column.Scoring()
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
