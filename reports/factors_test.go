package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// TestFactorsOfLosses checks that if losses were trained with a second axis, their main
// effect is over the settings that have all losses, and comes first. Values are loss +
// setting, so each effect is the difference of the losses.
func TestFactorsOfLosses(t *testing.T) {
	mean := map[string]float64{"uni(P)": .1, "uni(I)": .2, "uni(P,I)": .3, "multi(P,I)": .6, "margin": .2, "a": 0, "b": .05, "c": .2}
	type run struct{ loss, backbone, key, value string }
	cross := func(losses ...string) (out []run) {
		for _, loss := range losses {
			out = append(out, run{loss, "a", "", ""}, run{loss, "b", "", ""})
		}
		return out
	}
	for _, c := range []struct {
		name string
		runs []run
		want []string
	}{
		{"two that share nothing", cross("uni(P)", "multi(P,I)"), []string{
			"loss: multi(P,I) − uni(P) +50.0", "backbone: b − a +5.0", "loss × backbone: (multi(P,I) − uni(P)) at b − at a 0.0"}},
		{"two of one form", cross("uni(P)", "uni(I)"), []string{
			"loss: uni(I) − uni(P) +10.0", "backbone: b − a +5.0", "loss × backbone: (uni(I) − uni(P)) at b − at a 0.0"}},
		{"three", cross("uni(P)", "uni(P,I)", "multi(P,I)"), []string{
			"loss: uni(P) − mean -23.3", "loss: uni(P,I) − mean -3.3", "loss: multi(P,I) − mean +26.7",
			"loss form: multi − uni +30.0", "loss terms: P,I − P +20.0", "backbone: b − a +5.0",
			"loss form × backbone: (multi − uni) at b − at a 0.0", "loss terms × backbone: (P,I − P) at b − at a 0.0"}},
		{"without terms", cross("margin", "uni(P)"), []string{
			"loss: uni(P) − margin -10.0", "backbone: b − a +5.0", "loss × backbone: (uni(P) − margin) at b − at a 0.0"}},
		{"one cell is missing", append(cross("uni(P)", "uni(I)"), run{"uni(P)", "c", "", ""}), []string{
			"loss: uni(I) − uni(P) +10.0", "backbone: a − mean -8.3", "backbone: b − mean -3.3", "backbone: c − mean +11.7", "loss × backbone: (uni(I) − uni(P)) at b − at a 0.0"}},
		{"another axis", []run{{"uni(P)", "a", "train.batch", "8"}, {"uni(P)", "a", "train.batch", "16"}, {"multi(P,I)", "a", "train.batch", "8"}, {"multi(P,I)", "a", "train.batch", "16"}}, []string{
			"loss: multi(P,I) − uni(P) +50.0", "train.batch: 16 − 8 0.0", "loss × train.batch: (multi(P,I) − uni(P)) at 16 − at 8 0.0"}},
		{"a setting of one loss", []run{{"uni(P)", "a", "", ""}, {"uni(P)", "b", "", ""}, {"margin", "a", "train.margin", "1"}, {"margin", "b", "train.margin", "1"}}, []string{
			"loss: margin − uni(P) +10.0", "backbone: b − a +5.0", "loss × backbone: (margin − uni(P)) at b − at a 0.0"}},
		{"confounded", []run{{"uni(P)", "a", "train.lr", "1"}, {"margin", "a", "train.lr", "2"}}, nil},
		{"no second axis", []run{{"uni(P)", "a", "", ""}, {"uni(I)", "a", "", ""}}, []string{"loss terms: I − P +10.0"}},
	} {
		var trials []results.Trial
		for _, r := range c.runs {
			config := map[string]string{"model": "m", "loss": r.loss, "backbone": r.backbone}
			if r.key != "" {
				config[r.key] = r.value
			}
			at := mean[r.loss] + mean[r.backbone]
			trials = append(trials, reportstest.TrialOf(fmt.Sprint(r), config, reportstest.At("B", "x", "", "AP", "1", at-.05), reportstest.At("B", "x", "", "AP", "2", at+.05)))
		}
		var got []string
		if table := effectsTable(viewOf(t, trials...)); table != nil {
			for _, r := range table.Rows {
				got = append(got, fmt.Sprintf("%s: %s %s", r.Entries[0].Text, r.Entries[1].Text, strings.Fields(r.Entries[2].Text)[0]))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
}

// effectsTable returns the table of main effects and interactions on one number.
func effectsTable(v *scores.Set) *table.Table {
	columns := []scores.Number{{Benchmark: "B", Measure: "AP", Tasks: []string{"x"}}}
	return factorTable(v, "f", columns, effectsOf(v, columns, contrast.Pairs{}))
}

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
	table := effectsTable(v)
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
