package gate

import (
	"errors"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

func parseRules(t *testing.T, text string) []*Rule {
	t.Helper()
	rules, err := ParseRules("gate.yaml", []byte(text), reportstest.SameMeasure)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestGate(t *testing.T) {
	base := reportstest.OneSystem(reportstest.Spread(0.50, 0.1, 20)...)
	without := func(e []*results.Experiment, n int) []*results.Experiment {
		e[0].Trials[0].Results = e[0].Trials[0].Results[n:]
		return e
	}
	failed := func() []*results.Experiment {
		e := reportstest.OneSystem(reportstest.Spread(0.5, 0.1, 20)...)
		e[0].Trials = append(e[0].Trials, results.Trial{ID: "b", State: results.Failed, Error: "no room", Config: map[string]string{"model": "bm25", "seed": "2"}})
		return e
	}
	revised := reportstest.OneSystem(reportstest.Spread(0.5, 0.1, 20)...)
	revised[0].Trials[0].Provenance.Benchmarks[0].Revision = "r2"
	added := reportstest.OneSystem(reportstest.Spread(0.5, 0.1, 20)...)
	added[0].Trials = append(added[0].Trials, reportstest.SmallTrial("dense", reportstest.Spread(0.6, 0.1, 20)...))
	undefined := reportstest.OneSystem(reportstest.Spread(0.5, 0.1, 20)...)
	undefined[0].Trials[0].Results[3].Value = nil
	for _, c := range []struct {
		name, rule string
		run        []*results.Experiment
		want       string // part of the reason of the failure; "" passes
	}{
		{"the same", "maximum_drop: 0", reportstest.OneSystem(reportstest.Spread(0.50, 0.1, 20)...), ""},
		{"above minimum", "minimum: 50", reportstest.OneSystem(reportstest.Spread(0.51, 0.1, 20)...), ""},
		{"below minimum", "minimum: 50", reportstest.OneSystem(reportstest.Spread(0.49, 0.1, 20)...), "49.00 is below the minimum of 50.00"},
		{"drop at the limit", "maximum_drop: 1", reportstest.OneSystem(reportstest.Spread(0.49, 0.1, 20)...), ""},
		{"drop beyond it", "maximum_drop: 1", reportstest.OneSystem(reportstest.Spread(0.48, 0.1, 20)...), "a drop of 2.00, more than 1.00"},
		{"constant drop is significant", "{maximum_drop: 1, significance: 0.05}", reportstest.OneSystem(reportstest.Spread(0.48, 0.1, 20)...), "and significant (p < 0.0001"},
		{"noisy drop is not", "{maximum_drop: 1, significance: 0.05}", reportstest.OneSystem(reportstest.Spread(0.48, -0.3, 20)...), ""},
		{"significance alone", "significance: 0.05", reportstest.OneSystem(reportstest.Spread(0.499, 0.1, 20)...), "more than 0.00, and significant"},
		{"too few to test", "significance: 0.05", without(reportstest.OneSystem(reportstest.Spread(0.3, 0, 20)...), 19), "19 queries have a value only in the baseline"},
		{"a query lost", "maximum_drop: 100", without(reportstest.OneSystem(reportstest.Spread(0.9, 0, 20)...), 1), "1 query has a value only in the baseline"},
		{"a query undefined", "maximum_drop: 100", undefined, "1 query has a value only in the baseline"},
		{"a trial failed", "maximum_drop: 100", failed(), "incomplete"},
		{"all is gone", "maximum_drop: 100", []*results.Experiment{{Name: "none", Trials: []results.Trial{reportstest.SmallTrial("dense", 1, 1)}}}, "missing: only the baseline"},
		{"other data", "maximum_drop: 100", revised, "data of revision r2, before r1"},
		{"new system", "maximum_drop: 0", added, "the baseline has no such number"},
		{"new system allowed", "{maximum_drop: 0, new: pass}", added, ""},
		{"another kind", "{kind: baseline, minimum: 40}", base, ""},
		{"no such kind", "{kind: trained, minimum: 0}", base, `unknown kind "trained" (known: baseline)`},
		{"fits nothing", "{task: ome, minimum: 0}", base, `unknown task "ome"; did you mean "one"?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			rule := strings.Trim(c.rule, "{}")
			g, err := Judge(parseRules(t, "rules:\n  - {measure: nDCG@10, "+rule+"}\n"), base, c.run)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := WriteGate(&b, g); err != nil {
				t.Fatal(err)
			}
			passed := len(g.Failed()) == 0
			if passed != (c.want == "") || !strings.Contains(b.String(), c.want) || !strings.Contains(b.String(), "gate not met") != passed {
				t.Errorf("passed %v, want the failure %q:\n%s", passed, c.want, &b)
			}
		})
	}
	if _, err := Judge(parseRules(t, "rules: [{measure: nDCG@10, maximum_drop: 0}]"), nil, base); !errors.Is(err, ErrNoBaseline) {
		t.Errorf("without a baseline: %v", err)
	}
}

func TestParseRules(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "gate.yaml: empty file",
		"rules: []":                   "gate.yaml:1:1: there is no rule",
		"rule: []":                    `gate.yaml:1:1: unknown key "rule"; did you mean "rules"?`,
		"rules: [{minimum: 1}]":       "gate.yaml:1:9: a rule needs a measure",
		"rules: [{measure: AP@1000}]": "gate.yaml:1:9: the rule demands nothing",
		"rules:\n  - measure: nDCG@01\n    minimum: 1":                                  `gate.yaml:2:14: measure: unknown measure "nDCG@01"; did you mean "nDCG@10"?`,
		"rules:\n  - measure: nDCG@10\n    minimun: 1":                                  `gate.yaml:3:5: unknown key "minimun"; did you mean "minimum"?`,
		"rules:\n  - measure: nDCG@10\n    minimum: .nan":                               `gate.yaml:3:14: rule.minimum: want a finite number`,
		"rules:\n  - measure: nDCG@10\n    minimum: \"0.3\"":                            `gate.yaml:3:14: rule.minimum: want a finite number`,
		"rules:\n  - measure: nDCG@10\n    minimum: 1e999":                              `gate.yaml:3:14: rule.minimum: want a finite number`,
		"rules:\n  - {measure: nDCG@10, maximum_drop: -1}":                              `gate.yaml:2:38: maximum_drop -1 is negative`,
		"rules:\n  - {measure: nDCG@10, significance: 1}":                               `gate.yaml:2:38: significance 1 is not between`,
		"rules:\n  - {measure: nDCG@10, minimum: 0, side: orignal}":                     `did you mean "original"?`,
		"rules:\n  - {measure: nDCG@10, minimum: 0, new: passs}":                        `gate.yaml:2:41: rule.new: unknown value "passs"; did you mean "pass"?`,
		"rules:\n  - {measure: nDCG@10, minimum: 0, minimum: 1}":                        `key "minimum" given twice`,
		"rules:\n  - {measure: nDCG@10, minimum: 0, task: \"\"}":                        `gate.yaml:2:42: rule.task: want a name`,
		"rules: [{measure: nDCG@10, minimum: 0}]\n---\nrules: []":                       `gate.yaml:2:1: a second document`,
		"rules:\n  - {measure: nDCG@10, minimum: x}\n  - {measure: nDCG@10, minimm: 0}": "gate.yaml:3:24: unknown key",
	} {
		if _, err := ParseRules("gate.yaml", []byte(text), reportstest.SameMeasure); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n%v\nwant %q", text, err, want)
		}
	}
}

// TestGateDirection: if lower is better, a rise is a drop, and a count cannot drop.
func TestGateDirection(t *testing.T) {
	set := func(measure string, mean float64) []*results.Experiment {
		e := reportstest.OneSystem(reportstest.Spread(mean, 0.1, 20)...)
		reportstest.MeasuredBy(measure, e[0].Trials...)
		return e
	}
	any := func(name string) (string, error) { return name, nil }
	for _, c := range []struct {
		rule  string
		after float64
		want  string
	}{
		{"maximum_drop: 1", 0.48, "gate met"},
		{"maximum_drop: 1", 0.52, "52.00, before 50.00: a rise of 2.00, more than 1.00"},
		{"significance: 0.05", 0.48, "gate met"},
		{"significance: 0.05", 0.52, "and significant"},
		{"maximum_drop: 5", 0.52, "gate met"},
		{"maximum: 50", 0.52, "52.00 is above the maximum of 50.00"},
		{"maximum: 50", 0.5, "gate met"},
	} {
		rules, err := ParseRules("gate.yaml", []byte("rules: [{measure: Unjudged@10, "+c.rule+"}]"), any)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Judge(rules, set("Unjudged@10", 0.5), set("Unjudged@10", c.after))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := WriteGate(&b, g); err != nil || !strings.Contains(b.String(), c.want) {
			t.Errorf("%s, %v after .5: want %q (%v):\n%s", c.rule, c.after, c.want, err, &b)
		}
	}
	if _, err := ParseRules("gate.yaml", []byte("rules: [{measure: NumRet, maximum_drop: 1}]"), any); err == nil || !strings.Contains(err.Error(), "neither direction of measure NumRet is better") {
		t.Errorf("a count that may not drop: %v", err)
	}
	if _, err := ParseRules("gate.yaml", []byte("rules: [{measure: NumRet, minimum: 1}]"), any); err != nil {
		t.Errorf("a count with a minimum: %v", err)
	}
}
