package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// TestFactors checks main effects and interactions against values worked out by
// hand. Means of the cells (each of two queries, ±.1 around it):
//
//	          P    I    P,I  P,IQ
//	uni      .10  .30  .40  .60
//	multi     –    –   .60  .50
//
// form: (.60+.50)/2 − (.40+.60)/2 = .05, over P,I and P,IQ only.
// terms: uni only; mean .35, so P −.25, I −.05, P,I +.05, P,IQ +.25.
// form × terms: (.60−.40) − (.50−.60) = .30, its negative being P,IQ − P,I.
func TestFactors(t *testing.T) {
	var trials []results.Trial
	for loss, mean := range map[string]float64{"uni(P)": .1, "uni(I)": .3, "uni(P,I)": .4, "uni(P,IQ)": .6, "multi(P,I)": .6, "multi(P,IQ)": .5} {
		trials = append(trials, reportstest.TrialOf(loss, map[string]string{"model": "m", "loss": loss},
			reportstest.At("B", "x", "", "AP", "1", mean-.1), reportstest.At("B", "x", "", "AP", "2", mean+.1)))
	}
	order := []string{"uni(P)", "uni(I)", "uni(P,I)", "uni(P,IQ)", "multi(P,I)", "multi(P,IQ)"}
	slices.SortFunc(trials, func(a, b results.Trial) int { return slices.Index(order, a.ID) - slices.Index(order, b.ID) })
	v := viewOf(t, trials...)
	table := factorTable(v, "f", []scores.Number{{Benchmark: "B", Measure: "AP", Tasks: []string{"x"}}})
	var got []string
	for _, r := range table.Rows {
		got = append(got, fmt.Sprintf("%s: %s %s", r.Entries[0].Text, r.Entries[1].Text, strings.Fields(r.Entries[2].Text)[0]))
	}
	want := []string{
		"loss form: multi − uni +5.0",
		"loss terms: P − mean -25.0", "loss terms: I − mean -5.0", "loss terms: P,I − mean +5.0", "loss terms: P,IQ − mean +25.0",
		"loss form × loss terms: (multi − uni) at P,IQ − at P,I -30.0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, "Left out as unbalanced: uni(P), uni(I).") ||
		!strings.Contains(notes, "Left out as unbalanced: multi(P,I), multi(P,IQ).") {
		t.Errorf("notes: %s", notes)
	}
}
