package reports

import (
	"fmt"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// Where losses and another axis vary, the answer begins with the loss that is best over the
// settings that have all losses, with the interval of the table of main effects. Values are
// loss + setting, so that by hand each difference is that of the losses.
func TestAnswerOfLosses(t *testing.T) {
	mean := map[string]float64{"uni(P)": .1, "uni(I)": .2, "uni(P,I)": .3, "multi(P,I)": .6, "margin": .2, "a": 0, "b": .05, "c": .2}
	type run struct{ loss, key, value string }
	cross := func(key string, values []string, losses ...string) (out []run) {
		for _, loss := range losses {
			for _, value := range values {
				out = append(out, run{loss, key, value})
			}
		}
		return out
	}
	backbones := []string{"a", "b"}
	for _, c := range []struct {
		name  string
		runs  []run
		seeds int
		want  []string // of the answer; none: it is on systems
	}{
		{"two losses", cross("backbone", backbones, "uni(P)", "multi(P,I)"), 1, []string{"multi(P,I) has the highest AP on B/x (62.5), as a mean over the 2 settings of backbone that all losses have, and is shown to be the best of 2 losses for these training runs.", "The difference between multi(P,I) and uni(P) is +50.0 [", "main effects and interactions", "one training run each", "Each of these systems was trained once"}},
		{"the best comes first", cross("backbone", backbones, "multi(P,I)", "uni(P)"), 1, []string{"multi(P,I) has the highest AP on B/x (62.5)", "between multi(P,I) and uni(P) is +50.0 ["}},
		{"three losses", cross("backbone", backbones, "uni(P)", "uni(P,I)", "multi(P,I)"), 2, []string{"is shown to be the best of 3 losses.", "between multi(P,I) and uni(P,I) is +30.0 [", "one of 3 pairs of them", "2 seeds each"}},
		{"an axis of settings", cross("train.batch", []string{"8", "16"}, "uni(P)", "multi(P,I)"), 1, []string{"over the 2 settings of", "is shown to be the best of 2 losses"}},
		{"not shown", cross("backbone", backbones, "uni(P)", "uni(I)", "margin"), 1, []string{"uni(I) has the highest AP", "but margin could also be the best."}},
		{"unbalanced", append(cross("backbone", backbones, "uni(P)", "multi(P,I)"), run{"uni(P)", "backbone", "c"}), 1, []string{"over the 2 settings of backbone", "and uni(P) is +50.0", "1 trained system lacks some of these settings and is left out"}},
		{"one setting, whose pair leads", append(cross("backbone", []string{"a"}, "multi(P,I)", "uni(P,I)"), run{"uni(P)", "backbone", "b"}), 1, nil},
		{"one setting, and a system elsewhere leads", append(cross("backbone", []string{"a"}, "uni(P)", "multi(P,I)"), run{"multi(P,I)", "backbone", "c"}), 1, []string{"(60.0), as a mean over the 1 setting of backbone that all losses have", "shown to be the best of 2 losses", "and uni(P) is +50.0", "pairs of systems of the column"}},
		{"losses alone", cross("backbone", []string{"a"}, "uni(P)", "multi(P,I)"), 1, nil},
		{"another axis alone", cross("backbone", backbones, "uni(P)"), 1, nil},
		{"confounded", []run{{"uni(P)", "backbone", "a"}, {"multi(P,I)", "backbone", "b"}}, 1, nil},
	} {
		e := &results.Experiment{Name: "e"}
		for i, r := range c.runs {
			for seed := range c.seeds {
				config := map[string]string{"model": "m", "loss": r.loss, r.key: r.value, "seed": fmt.Sprint(seed)}
				var values []reportstest.Value
				for q := range 20 {
					v := mean[r.loss] + mean[r.value] + 0.01*([]float64{-2, 3, -1, 2, -2}[(q*(i%4+1)+2*seed)%5])
					values = append(values, reportstest.At("B", "x", "", "AP", fmt.Sprint(q), v))
				}
				e.Trials = append(e.Trials, reportstest.TrialOf(fmt.Sprint(i, "-", seed), config, values...))
			}
		}
		r := build(t, Options{}, e)
		said := r.Section(answerID).Notes
		if c.want == nil {
			if strings.Contains(said[0], "losses") {
				t.Errorf("%s: %s", c.name, said[0])
			}
			continue
		}
		wants(t, c.name, strings.Join(said, " "), append(c.want, "AP on B/x", "as a mean over", "n = 20 queries")...)
	}
}

// A loss that has no value in one of the settings is not compared over them.
func TestAnswerOfLossesUnfinished(t *testing.T) {
	e := &results.Experiment{Name: "e"}
	for i, loss := range []string{"uni(P)", "uni(P)", "multi(P,I)", "multi(P,I)"} {
		config := map[string]string{"model": "m", "loss": loss, "backbone": []string{"a", "b"}[i%2]}
		one := reportstest.TrialOf(fmt.Sprint(i), config, reportstest.At("B", "x", "", "AP", "1", .1*float64(i)), reportstest.At("B", "x", "", "AP", "2", .12*float64(i)))
		if i == 3 {
			one.State, one.Results = results.Waiting, nil
		}
		e.Trials = append(e.Trials, one)
	}
	if said := build(t, Options{}, e).Section(answerID).Notes; strings.Contains(strings.Join(said, " "), "losses") {
		t.Errorf("%q", said)
	}
}
