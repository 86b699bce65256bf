package gate

import (
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// A rule may name a system in the same ways as other verbs: by its label, or by a part that only
// one system has. A name that fits several fails, with a list of them.
func TestGateNames(t *testing.T) {
	of := func(id string, config map[string]string, value float64) results.Trial {
		trial := reportstest.SmallTrial(id, reportstest.Spread(value, .1, 20)...)
		trial.Config = config
		return trial
	}
	run := []*results.Experiment{{Name: "small", Trials: []results.Trial{
		of("1", map[string]string{"model": "bm25", "fuse": "random"}, .1), of("2", map[string]string{"model": "bm25"}, .5),
		of("3", map[string]string{"model": "dense", "fuse": "a"}, .2), of("4", map[string]string{"model": "dense", "fuse": "b"}, .3),
		of("5", map[string]string{"model": "m", "loss": "uni(P)"}, .4), of("6", map[string]string{"model": "/models/a/z"}, .4),
	}}}
	run[0].Trials[2].Labels = []spec.ValueLabel{{Key: spec.SystemKey, Label: "mine"}}
	for _, c := range []struct{ system, place, fails string }{
		{"bm25", "bm25, nDCG@10 on mair/one", ""},
		{"bm25 fuse=random", "bm25 fuse=random, nDCG@10 on mair/one", ""},
		{"mine", "mine, nDCG@10 on mair/one", ""},
		{"dense fuse=a", "mine, nDCG@10 on mair/one", ""},
		{"/models/a/z", "z, nDCG@10 on mair/one", ""},
		{"uni:P", "uni(P), nDCG@10 on mair/one", ""},
		{"dense", "", `system "dense" is ambiguous: mine, dense fuse=b`},
		{"bm26", "", `unknown system "bm26"; did you mean "bm25"?`},
	} {
		g, err := Judge(parseRules(t, "rules:\n  - {measure: nDCG@10, minimum: 2, system: '"+c.system+"'}\n"), nil, run)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Checks) != 1 || g.Checks[0].Place != c.place || !strings.Contains(g.Checks[0].Reason, c.fails) || (c.fails != "") != (g.Checks[0].Outcome == Failed) {
			t.Errorf("%s: %+v", c.system, g.Checks)
		}
	}
}
