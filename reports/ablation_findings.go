package reports

import (
	"fmt"
	"strings"
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
	switch c.tested.direction() {
	case 1:
		word = holds
	case -1:
		word = reversed
	}
	if word != notShown && c.tested.interval.Contains(0) {
		word += ", for these seeds"
	}
	return word
}

// claimTable lists claims by finding, measure and backbone.
func claimTable(id string, claims []*claimed) *Table {
	t := &Table{ID: id, Title: "Findings of the paper",
		Caption: fmt.Sprintf("How far ahead the first side of each finding is, ×100, with its 95%% interval over queries and seeds; each is the mean over all pairs of runs that are alike but for it. "+
			"It holds, or its reverse does, where the paired randomisation test over queries says so after Holm over all %d rows (p ≤ %v); \"for these seeds\" where the interval holds 0 all the same. "+
			"For the best loss the decisive rival is shown: another that is most surely ahead of it, or else the one that it is least surely ahead of.", len(claims), significant),
		Columns: []Column{{Name: "finding"}, {Name: "measured by"}, {Name: "backbone"}, {Name: "pairs", Number: true}, {Name: "difference", Number: true}, {Name: "p (Holm)", Number: true}, {Name: "verdict"}},
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

func (c *claimed) row() Row {
	difference := number(signed(c.tested.test.MeanDifference)+" "+interval(c.tested.interval), c.tested.test.MeanDifference)
	verdict := Entry{Text: c.verdict()}
	if c.rival != "" {
		verdict.Text += " (" + c.rival + ")"
	}
	switch c.tested.direction() {
	case 1:
		verdict.Tone = Better
	case -1:
		verdict.Tone = Worse
	}
	return Row{Kind: Trained, Entries: []Entry{
		{Text: c.claim}, {Text: c.column.scoring()}, {Text: c.backbone}, number(group(c.tested.contrast.runs), float64(c.tested.contrast.runs)),
		difference, number(pValue(c.tested.holm), c.tested.holm), verdict,
	}}
}

// claimWords lists the claims once each, in order.
func claimWords(claims []*claimed) []string {
	var out []string
	for _, c := range claims {
		out = addNew(out, c.claim)
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
			m := c.column.scoring()
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
