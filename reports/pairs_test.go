package reports

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/claims"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// shownInterval matches a difference with an interval, as in tables, tips and sentences.
var shownInterval = regexp.MustCompile(`([+-]\d+\.\d|0\.0) \[([+-]?\d+\.\d), ([+-]?\d+\.\d)\]`)

// signedLevel matches a number without a sign whose interval has one.
var signedLevel = regexp.MustCompile(`(?:^| )\d*[1-9]\.\d,? (?:95% )?\[[+-]|\d\.\d,? 95% \[[+-]`)

// turnedText returns a difference with its interval from the other side.
func turnedText(parts []string) string {
	negative := func(s string) string {
		switch {
		case strings.Trim(s, "+-0.") == "":
			return "0.0"
		case s[0] == '-':
			return "+" + s[1:]
		}
		return "-" + strings.TrimPrefix(s, "+")
	}
	return fmt.Sprintf("%s [%s, %s]", negative(parts[1]), negative(parts[3]), negative(parts[2]))
}

// pairTexts returns the differences with intervals on a page, keyed by the absolute
// difference, which is equal from either side, with the intervals shown for it.
func pairTexts(texts []string) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, text := range texts {
		for _, m := range shownInterval.FindAllStringSubmatch(strings.ReplaceAll(text, "−", "-"), -1) {
			key, this := strings.TrimLeft(m[1], "+-"), fmt.Sprintf("%s [%s, %s]", m[1], m[2], m[3])
			if m[1][0] == '-' {
				this = turnedText(m)
			}
			if out[key] == nil {
				out[key] = map[string]bool{}
			}
			out[key][this] = true
		}
	}
	return out
}

// textsOf returns all texts of some sections: sentences, cells together with the next one
// (an interval is next to its difference), and tooltips of charts.
func textsOf(all []section.Section) (out []string) {
	rows := func(t *table.Table) {
		if t == nil {
			return
		}
		for _, r := range t.Rows {
			for i, e := range r.Entries {
				text := e.Text
				if i+1 < len(r.Entries) && strings.HasPrefix(r.Entries[i+1].Text, "[") {
					text += " " + r.Entries[i+1].Text
				}
				out = append(out, text)
			}
		}
	}
	for _, s := range all {
		out = append(append(out, s.Notes...), s.Intro)
		for _, t := range s.Tables {
			rows(t)
		}
		for _, f := range s.Figures {
			rows(f.Table)
			for _, m := range f.Marks {
				for _, d := range m.Data {
					out = append(out, strings.ReplaceAll(d.Tip, "\n", " "))
				}
			}
		}
		for _, term := range s.Terms {
			out = append(out, term.Text)
		}
		out = append(out, textsOf(s.Parts)...)
	}
	return out
}

// distinct returns a board on which the differences of all pairs are distinct to one
// decimal, so that a difference on the page identifies a pair. It has two forms by two
// terms and the untrained encoder.
func distinct(runs int, lifts ...float64) *results.Experiment {
	var configs []map[string]string
	for _, loss := range []string{"uni(P)", "multi(P)", "uni(I)", "multi(I)", ""} {
		config := map[string]string{"model": "trained", "loss": loss, "backbone": "b"}
		if loss == "" {
			config = map[string]string{"model": "untrained", "backbone": "b"}
		}
		configs = append(configs, config)
	}
	return lifted(runs, configs, lifts...)
}

// twoBackbones returns such a board for losses with two backbones each.
func twoBackbones(runs int, losses []string, lifts ...float64) *results.Experiment {
	var configs []map[string]string
	for _, loss := range losses {
		for _, backbone := range []string{"a", "b"} {
			configs = append(configs, map[string]string{"model": "trained", "loss": loss, "backbone": backbone})
		}
	}
	return lifted(runs, configs, lifts...)
}

// lifted returns trials of configurations whose values are above each other by lifts.
func lifted(runs int, configs []map[string]string, lifts ...float64) *results.Experiment {
	e := &results.Experiment{Name: "e"}
	for i, lift := range lifts {
		config := configs[i]
		for run := range runs {
			of := map[string]string{"seed": fmt.Sprint(run)}
			for k, v := range config {
				of[k] = v
			}
			var values []reportstest.Value
			for q := range 24 {
				v := .2 + lift + .1*float64((q*7+i*5+run*3)%11)/11
				values = append(values, reportstest.At("B", "x", "", "AP", fmt.Sprint(q), v))
			}
			e.Trials = append(e.Trials, reportstest.TrialOf(fmt.Sprint(i, run), of, values...))
		}
	}
	return e
}

// TestOneIntervalOfAPair checks that a pair of systems has the same interval, up to its
// sign, in all sections of a page.
func TestOneIntervalOfAPair(t *testing.T) {
	for name, e := range map[string]*results.Experiment{
		"four losses":                       distinct(1, .03, .141, .27, .389, 0),
		"two losses":                        distinct(1, .03, .141, 0),
		"two losses, two seeds":             distinct(2, .03, .141, 0),
		"three seeds":                       distinct(3, .031, .14, .267, .02, 0),
		"two losses, two backbones":         twoBackbones(2, []string{"uni(P)", "multi(P)"}, .03, .141, .37, .419),
		"three losses, two backbones":       twoBackbones(1, []string{"uni(P)", "multi(P)", "uni(I)"}, .03, .141, .27, .419, .603, .65),
		"two losses, one of them under two": lifted(1, []map[string]string{{"model": "m", "loss": "uni(P)", "backbone": "a"}, {"model": "m", "loss": "multi(P)", "backbone": "a"}, {"model": "m", "loss": "uni(P)", "backbone": "b"}}, .03, .141, .37),
	} {
		texts := textsOf(build(t, Options{}, e).Sections)
		if len(texts) < 50 {
			t.Fatalf("%s: %d texts", name, len(texts))
		}
		for _, text := range texts {
			if signedLevel.MatchString(text) {
				t.Errorf("%s: a level with a signed interval: %s", name, text)
			}
		}
		found := pairTexts(texts)
		for difference, intervals := range found {
			if len(intervals) > 1 {
				t.Errorf("%s: a difference of %s has %d intervals: %v", name, difference, len(intervals), intervals)
			}
		}
		if len(found) < 2 {
			t.Errorf("%s: only %v", name, found)
		}
	}
}

// claimsOnPairs are claims on the systems of a board made by distinct. Some compare just
// two systems, in either order, with and without a margin; others compare several.
const claimsOnPairs = "claims:\n" +
	"  - {id: first, says: s, system: {loss: uni(P)}, against: {model: untrained}, test: better, on: B, measure: AP, sweep: s.yaml}\n" +
	"  - {id: turned, says: s, system: {model: untrained}, against: {loss: multi(P)}, test: worse, on: B, measure: AP, sweep: s.yaml}\n" +
	"  - {id: losses, says: s, system: {loss: uni(P)}, against: {loss: multi(P)}, test: better, on: B, measure: AP, sweep: s.yaml}\n" +
	"  - {id: margin, says: s, system: {loss: multi(P)}, against: {loss: uni(P)}, test: no worse, margin: 1, on: B, measure: AP, sweep: s.yaml}\n" +
	"  - {id: best, says: s, system: {loss: multi(P)}, against: {loss: [uni(P), multi(I)]}, test: best, on: B, measure: AP, sweep: s.yaml}\n"

// TestOneIntervalOfAPairAsked checks that claims on two systems, their gains and their
// distance from chance also have the pair's interval on its board.
func TestOneIntervalOfAPairAsked(t *testing.T) {
	f, err := claims.Parse("claims.yaml", []byte(claimsOnPairs))
	if err != nil {
		t.Fatal(err)
	}
	for name, seeds := range map[string]int{"one seed": 1, "three seeds": 3} {
		e := distinct(seeds, .13, .241, .37, .489, .1)
		for i, lift := range []float64{.317, .043} {
			chance := distinct(1, lift).Trials[0]
			chance.ID, chance.Config = fmt.Sprint("x", i), results.Config{"model": []string{"random", "bm25"}[i]}
			e.Trials = append(e.Trials, chance)
		}
		for asked, o := range map[string]Options{"claims": {Claims: []*claims.File{f}}, "ablation": {Ablation: true, Claims: []*claims.File{f}}, "reference": {Reference: "uni(P)", Claims: []*claims.File{f}}} {
			r := build(t, o, e)
			texts := textsOf(r.Sections)
			for difference, intervals := range pairTexts(append(texts, r.Warnings...)) {
				if len(intervals) > 1 {
					t.Errorf("%s, %s: a difference of %s has %d intervals: %v", name, asked, difference, len(intervals), intervals)
				}
			}
			if notes := strings.Join(r.Section("claims").Tables[0].Notes, " "); !strings.Contains(notes, "of that pair on its board, one of ") {
				t.Errorf("%s, %s: notes of claims %q", name, asked, notes)
			}
			if asked == "ablation" && r.Section("projection").Empty() || !strings.Contains(strings.Join(r.Warnings, "\n"), "Below chance: ") {
				t.Errorf("%s, %s: %q", name, asked, r.Warnings)
			}
		}
	}
}
