package claims

import (
	"slices"
	"strings"
	"testing"

	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

var four = []string{"uni(P)", "uni(P,I)", "multi(P,I)", "multi(P,IQ)"}

// twoBackbones gives results that confirm claims on backbone a and reverse them on b.
func twoBackbones(seed uint64) *world {
	return newWorld(seed).
		losses("org/a", map[string]float64{"uni(P)": .1, "uni(P,I)": .2, "multi(P,I)": .5, "multi(P,IQ)": .4}, four...).
		losses("b", map[string]float64{"uni(P)": .1, "uni(P,I)": .3, "multi(P,I)": .15, "multi(P,IQ)": .1}, four...).
		add(.05, map[string]string{"model": "bm25"})
}

// verdictTests covers each verdict in twoBackbones.
const verdictTests = `
- {id: multi, says: s, test: better, measure: p-MRR, on: bench, system: {form: multi}, against: {form: uni}, each: backbone}
- {id: multi-worse, says: s, test: worse, measure: p-MRR, on: bench, among: {backbone: b}, system: {form: multi}, against: {form: uni}}
- {id: lower-is-better, says: s, test: better, measure: Unjudged@10, on: bench, among: {backbone: a}, system: {form: multi}, against: {form: uni}}
- {id: higher, says: s, test: higher, measure: Unjudged@10, on: bench, among: {backbone: a}, system: {form: multi}, against: {form: uni}}
- {id: best, says: s, test: best, measure: p-MRR, on: bench, system: {loss: "multi(P, I)"}, each: backbone}
- {id: gain, says: s, test: better, measure: p-MRR, on: bench/headline, system: {loss: uni(P)}, against: {model: untrained}, printed: "10"}
- {id: gain-too-large, says: s, test: better, measure: p-MRR, on: bench, system: {loss: uni(P)}, against: {model: untrained}, printed: "+25.0"}
- {id: same, says: s, test: equal, measure: p-MRR, on: bench, system: {backbone: a, loss: uni(P)}, against: {backbone: b, loss: uni(P)}, margin: 5}
- {id: not-same, says: s, test: equal, measure: p-MRR, on: bench, system: {backbone: a, loss: "multi(P,I)"}, against: {backbone: b, loss: "multi(P,I)"}, margin: 5}
- {id: too-close, says: s, test: equal, measure: p-MRR, on: bench, system: {backbone: a, loss: uni(P)}, against: {backbone: b, loss: uni(P)}, margin: 0.1}
- {id: no-difference, says: s, test: better, measure: p-MRR, on: bench, system: {backbone: a, loss: uni(P)}, against: {backbone: b, loss: uni(P)}}
- {id: above, says: s, test: higher, measure: p-MRR, on: bench, system: {kind: trained}, than: 5}
- {id: below, says: s, test: lower, measure: p-MRR, on: bench, system: {kind: trained}, than: 5}
- {id: dense, says: s, test: better, measure: p-MRR, on: bench, system: {kind: trained}, against: {model: bm25}}
- {id: explicit, says: s, test: better, measure: p-MRR, on: bench, pairs: [{system: {backbone: a, form: multi}, against: {backbone: b, form: multi}}], pair: [loss]}
- {id: unknown-loss, says: s, test: better, measure: p-MRR, on: bench, system: {loss: "multi(P,Q)"}, against: {form: uni}}
- {id: one-of-two, says: s, test: better, measure: p-MRR, on: bench, system: {backbone: [a, c]}, against: {model: untrained}}
- {id: elsewhere, says: s, test: better, measure: p-MRR, on: banch, system: {form: multi}, against: {form: uni}}
- {id: unmeasured, says: s, test: better, measure: nDCG@10, on: bench, system: {form: multi}, against: {form: uni}}
- {id: lonely, says: s, test: better, measure: p-MRR, on: bench, system: {interaction: concat}, against: {interaction: cross_attention}}
`

func TestVerdicts(t *testing.T) {
	got := judged(t, verdictTests, twoBackbones(1).found(t))
	want := map[string]string{
		"multi": "holds", "multi, backbone=org/a": "holds", "multi, backbone=b": "reversed",
		"multi-worse": "holds", "lower-is-better": "reversed", "higher": "holds",
		"best": "holds", "best, backbone=org/a": "holds", "best, backbone=b": "reversed",
		"gain": "holds", "gain-too-large": "not shown",
		"same": "holds", "not-same": "reversed", "too-close": "not shown", "no-difference": "not shown",
		"above": "holds", "below": "reversed", "dense": "holds", "explicit": "holds",
		"unknown-loss": "not run", "one-of-two": "not run", "elsewhere": "not run", "unmeasured": "not run", "lonely": "not run",
	}
	for name, verdict := range want {
		j := got[name]
		if j == nil || j.Words() != verdict {
			t.Errorf("%s: %+v, want %s", name, j, verdict)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d judgements, want %d", len(got), len(want))
	}
	for name, says := range map[string]string{
		"unknown-loss": "loss=multi(P,Q) (did you mean multi(P,I)?)", "one-of-two": "backbone=c", "elsewhere": "no result on banch (did you mean bench?)",
		"unmeasured": "no nDCG@10 on bench; there is p-MRR, Unjudged@10", "lonely": "interaction=cross_attention",
		"gain-too-large": "a further run is expected at", "gain": "the printed 10 is within the range",
	} {
		if said := strings.Join(append(got[name].Missing, got[name].Notes...), "; "); !strings.Contains(said, says) {
			t.Errorf("%s says %q, want %q", name, said, says)
		}
	}
	if j := got["multi"]; j.N != 40 || j.Seeds != [2]int{3, 3} || j.Runs != 12 || j.Claim.Command != "infbench sweep sweep.yaml" {
		t.Errorf("n %d, seeds %v, runs %d, command %q", j.N, j.Seeds, j.Runs, j.Claim.Command)
	}
	if j := got["best, backbone=b"]; j.Rival != "uni(P,I)" {
		t.Errorf("the best is decided by %q", j.Rival)
	}
	if v, ok := got["no-difference"].Smallest().Get(); !ok || v < .01 || v > .1 {
		t.Errorf("smallest difference found %v", v)
	}
}

// Nothing depends on the order of trials or of claims.
func TestOrder(t *testing.T) {
	w := twoBackbones(1)
	want := judged(t, verdictTests, w.found(t))
	slices.Reverse(w.experiment.Trials)
	lines := strings.Split(strings.TrimSpace(verdictTests), "\n")
	slices.Reverse(lines)
	got := judged(t, strings.Join(lines, "\n")+"\n", w.found(t))
	for name, j := range want {
		other := got[name]
		if other == nil || other.Words() != j.Words() || other.Contrast != nil && (other.Adjusted-j.Adjusted > 1e-9 || j.Adjusted-other.Adjusted > 1e-9 || other.Difference-j.Difference > 1e-9) {
			t.Errorf("%s: %v, and %v in another order", name, j.Words(), other)
		}
	}
}

// p is corrected over all tests of a file: a claim that holds by itself fails among nineteen more.
func TestHolmOverTheFile(t *testing.T) {
	w := newWorld(4)
	w.drift = .001
	w.add(0, map[string]string{"loss": "uni(P)", "backbone": "a"}).add(.023, map[string]string{"loss": "uni(I)", "backbone": "a"})
	one := "- {id: a, says: s, test: higher, measure: p-MRR, on: bench, system: {loss: uni(I)}, against: {loss: uni(P)}}\n"
	alone := judged(t, one, w.found(t))["a"]
	many := one
	for i := range 19 {
		many += strings.Replace(strings.Replace(one, "id: a", "id: b"+strings.Repeat("b", i), 1), "{loss: uni(I)}, against: {loss: uni(P)}", "{loss: uni(P)}, than: 0", 1)
	}
	among := judged(t, many, w.found(t))["a"]
	if alone.Verdict != Holds || among.Verdict != NotShown || among.Adjusted < 19*alone.P || !(among.Interval().Low < alone.Interval().Low) {
		t.Errorf("alone %s (p %v), among 20 %s (p %v)", alone.Words(), alone.Adjusted, among.Words(), among.Adjusted)
	}
}

// Verdicts on systems that were trained once are limited to that run. A difference between only the
// runs at hand is not shown.
func TestFewRuns(t *testing.T) {
	const claim = "- {id: a, says: s, test: higher, measure: p-MRR, on: bench, system: {loss: uni(I)}, against: {loss: uni(P)}}\n" +
		"- {id: printed, says: s, test: higher, measure: p-MRR, on: bench, system: {loss: uni(I)}, against: {loss: uni(P)}, printed: \"20.0\"}\n"
	pair := func(w *world) map[string]*Judgement {
		return judged(t, claim, w.add(0, map[string]string{"loss": "uni(P)"}).add(.2, map[string]string{"loss": "uni(I)"}).found(t))
	}
	w := newWorld(5)
	w.seeds = 1
	once := pair(w)
	if j := once["a"]; j.Words() != "holds, this run" || !strings.Contains(strings.Join(j.Remarks(), " "), "needs 3 seeds") {
		t.Errorf("%s: %q", j.Words(), j.Remarks())
	}
	if tone := once["a"].tone(); tone != table.BetterOnce { // legible, but distinct from verdicts that hold beyond this run
		t.Errorf("a verdict of one run is shown as %q", tone)
	}
	if j := once["printed"]; j.Verdict != NotShown || !strings.Contains(strings.Join(j.Remarks(), " "), "The direction holds, this run; checking the printed 20.0 takes 3 training runs") {
		t.Errorf("%s: %q", j.Words(), j.Remarks())
	}
	w = newWorld(5)
	w.seeds, w.drift, w.spread = 2, .1, .01
	if j := pair(w)["a"]; j.Words() != "not shown, holds for these seeds only" {
		t.Errorf("%s", j.Words())
	}
}

// If several comparisons must hold, the least certain one decides. One that was not run leaves the
// claim undecided, even if the others hold.
func TestEvery(t *testing.T) {
	const claim = "- {id: a, says: s, test: better, measure: p-MRR, on: bench, every: [{system: {data: good}, against: {data: bad, train.steps_of: ''}}, {system: {data: good}, against: {data: bad, train.steps_of: good}}]}\n"
	run := func(levels ...float64) *Judgement {
		w := newWorld(5)
		for i, config := range []map[string]string{{"data": "good"}, {"data": "bad"}, {"data": "bad", "train.steps_of": "good"}} {
			if i < len(levels) {
				config["loss"] = "uni(P)"
				w.add(levels[i], config)
			}
		}
		return judged(t, claim, w.found(t))["a"]
	}
	const epochs, steps = "data=good against data=bad train.steps_of=not set", "data=good against data=bad train.steps_of=good"
	for _, c := range []struct {
		levels  []float64
		verdict string
		rival   string
	}{
		{[]float64{.3, .1, .2}, "holds", steps},
		{[]float64{.3, .2, .1}, "holds", epochs},
		{[]float64{.3, .1, .3}, "not shown", steps},
		{[]float64{.3, .1, .5}, "reversed", steps},
		{[]float64{.3, .1}, "not run", ""},
	} {
		if j := run(c.levels...); j.Words() != c.verdict || j.Rival != c.rival {
			t.Errorf("levels %v: %s by %q, want %s by %q", c.levels, j.Words(), j.Rival, c.verdict, c.rival)
		}
	}
	if j := run(.3, .1); !strings.Contains(strings.Join(j.Missing, "; "), "train.steps_of=good") {
		t.Errorf("missing %q", j.Missing)
	}
}

// The words of a claim decide its test: every value of a setting, every measure, each of several
// others by itself, and no worse than a margin.
func TestWordsOfClaims(t *testing.T) {
	w := newWorld(7)
	for _, run := range []struct {
		backbone string
		level    float64
	}{{"a", .3}, {"b", .2}, {"c", .1}, {"d", .005}} {
		w.add(run.level, map[string]string{"backbone": run.backbone, "loss": "uni(P)"})
		w.add(map[string]float64{"c": .25}[run.backbone], map[string]string{"backbone": run.backbone, "model": "untrained"})
	}
	for model, level := range map[string]float64{"org/low": 0, "org/middle": .15, "org/high": .25} {
		w.add(level, map[string]string{"model": model})
	}
	w.add(.25, map[string]string{"model": "remote", "remote_model": "served"})
	found := w.found(t)
	const trained = "system: {kind: trained}, against: {model: untrained}"
	for _, test := range []struct{ rest, words, rival string }{
		{"test: better, measure: p-MRR, " + trained, "holds", ""}, // the mean
		{"test: better, measure: p-MRR, every: backbone, " + trained, "reversed", "backbone=c"},
		{"test: better, measure: p-MRR, every: backbone, among: {backbone: [a, b]}, " + trained, "holds", "backbone=b"},
		{"test: better, measure: p-MRR, every: backbone, among: {backbone: [a, d]}, " + trained, "not shown", "backbone=d"},
		{"test: better, measure: p-MRR, every: backbone, among: {backbone: [a, e]}, " + trained, "not run", ""},
		{"test: better, measure: p-MRR, every: backbone, among: {backbone: a}, " + trained, "holds", ""},
		{"test: higher, measure: [p-MRR, Unjudged@10], among: {backbone: a}, " + trained, "holds", "Unjudged@10"},
		{"test: better, measure: [p-MRR, Unjudged@10], among: {backbone: a}, " + trained, "reversed", "Unjudged@10"}, // less is better
		{"test: better, measure: [p-MRR, nDCG@10], among: {backbone: a}, " + trained, "not run", ""},
		{"test: higher, measure: [p-MRR, Unjudged@10], every: backbone, " + trained, "reversed", "p-MRR: backbone=c"},

		// Each against a number.
		{"test: higher, measure: p-MRR, every: backbone, system: {kind: trained, backbone: [a, b]}, than: 15", "holds", "backbone=b"},
		{"test: higher, measure: p-MRR, every: backbone, system: {kind: trained}, than: 15", "reversed", "backbone=d"},
		{"test: higher, measure: p-MRR, every: backbone, system: {kind: trained, backbone: [a, b, e]}, than: 15", "not run", ""},
		{"test: higher, measure: p-MRR, every: model, system: {kind: baseline}, than: -5", "holds", "model=org/low"},

		// A setting of one side alone.
		{"test: better, measure: p-MRR, pair: [], every: backbone, system: {kind: trained, backbone: [a, b]}, against: {kind: trained, backbone: c}", "holds", "backbone=b"},
		{"test: better, measure: p-MRR, pair: [], every: backbone, system: {kind: trained, backbone: [a, d]}, against: {kind: trained, backbone: c}", "reversed", "backbone=d"},

		// Others that no setting of the system distinguishes are compared one by one.
		{"test: best, measure: p-MRR, pair: [], system: {kind: trained, backbone: b}, against: {kind: baseline, model: [low, middle]}", "holds", "org/middle"},
		{"test: best, measure: p-MRR, pair: [], system: {kind: trained, backbone: b}, against: {kind: baseline, model: [low, middle, high]}", "reversed", "org/high"}, // above their mean
		{"test: best, measure: p-MRR, pair: [], system: {kind: trained, backbone: b}, against: {kind: baseline, model: [low, served]}", "reversed", "served"},
		{"test: best, measure: p-MRR, pair: [], every: backbone, system: {kind: trained, backbone: [a, b]}, against: {kind: baseline, model: [low, high]}", "reversed", "backbone=b: org/high"},
		{"test: best, measure: p-MRR, pair: [], every: backbone, system: {kind: trained, backbone: [a, b]}, against: {kind: baseline, model: [low, middle]}", "holds", "backbone=b: org/middle"},

		{"test: no worse, margin: 10, measure: p-MRR, pair: [], system: {kind: trained, backbone: b}, against: {model: high}", "holds", ""},
		{"test: no worse, margin: 1, measure: p-MRR, pair: [], system: {kind: trained, backbone: b}, against: {model: high}", "reversed", ""},
		{"test: no worse, margin: 10, measure: Unjudged@10, pair: [], system: {model: high}, against: {kind: trained, backbone: b}", "holds", ""},
		{"test: no worse, margin: 1, measure: Unjudged@10, pair: [], system: {model: high}, against: {kind: trained, backbone: b}", "reversed", ""},
		{"test: no worse, margin: 0.1, measure: p-MRR, pair: [], system: {kind: trained, backbone: d}, against: {model: low}", "not shown", ""},
	} {
		if j := judged(t, "- {id: a, says: s, on: bench, "+test.rest+"}\n", found)["a"]; j.Words() != test.words || j.Rival != test.rival {
			t.Errorf("%s: %s by %q, want %s by %q; missing %q", test.rest, j.Words(), j.Rival, test.words, test.rival, j.Missing)
		}
	}
	j := judged(t, "- {id: a, says: s, on: bench, test: better, measure: p-MRR, every: backbone, "+trained+"}\n", found)["a"]
	if said := strings.Join(j.Remarks(), " "); !strings.Contains(said, "of 4 comparisons agree with the claim, not those with backbone=c") {
		t.Errorf("%q", said)
	}
}

// A claim on a planned system that has no value yet is not run.
func TestUnfinished(t *testing.T) {
	w := newWorld(6).add(0, map[string]string{"loss": "uni(P)"}).add(.2, map[string]string{"loss": "uni(I)"})
	w.experiment.Trials = append(w.experiment.Trials, results.Trial{ID: "waiting", State: results.Waiting, Config: map[string]string{"model": "trained", "loss": "multi(P,I)", "seed": "1"}})
	j := judged(t, "- {id: a, says: s, test: best, measure: p-MRR, on: bench, system: {loss: uni(I)}}\n", w.found(t))["a"]
	if j.Verdict != NotRun || !strings.Contains(strings.Join(j.Missing, " "), "multi(P,I) (planned, no value yet)") {
		t.Errorf("%s: %q", j.Words(), j.Missing)
	}
}

// Claims on data use counts, or the intervals of studies.
func TestStudies(t *testing.T) {
	at := func(kind, name, measure, of string, n int, value, half float64) Figure {
		f := Figure{Kind: kind, Name: name, Measure: measure, Of: of, N: n, Value: &value}
		if half > 0 {
			f.Interval = stats.Interval{Low: value - half, High: value + half, Level: .95}
		}
		return f
	}
	set, err := scores.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := judged(t, `
- {id: counts, says: s, test: higher, study: data, measure: positives, system: {name: inf-ir}, than: 30000, command: c}
- {id: clean, says: s, test: equal, study: overlap, measure: exact, system: {name: inf-ir, of: followir}, than: 0, margin: 0, command: c}
- {id: not-clean, says: s, test: equal, study: overlap, measure: partial, system: {name: inf-ir, of: followir}, than: 0, margin: 0, command: c}
- {id: lowest, says: s, test: lowest, study: diversity, measure: APS, system: {name: inf-ir}, against: {name: [followir, promptriever]}, command: c}
- {id: lower, says: s, test: lower, study: diversity, measure: APS, system: {name: followir}, against: {name: promptriever}, command: c}
- {id: kappa, says: s, test: highest, study: agreement, measure: mean of Cohen's kappa, system: {of: o3-mini}, against: {of: [gpt-4o, gpt-4o-mini]}, command: c}
- {id: size, says: s, test: higher, study: diversity, measure: APS, system: {name: small}, against: {name: inf-ir}, command: c}
- {id: none, says: s, test: higher, study: diversity, measure: APS, system: {name: msmarco}, against: {name: inf-ir}, command: c}
- {id: each, says: s, test: lower, study: diversity, measure: APS, every: [{system: {name: inf-ir}, against: {name: followir}}, {system: {name: inf-ir}, against: {name: promptriever}}], command: c}
- {id: not-each, says: s, test: lower, study: diversity, measure: APS, every: [{system: {name: inf-ir}, against: {name: followir}}, {system: {name: promptriever}, against: {name: followir}}], command: c}
`, Found{Set: set, Figures: []Figure{
		at("data", "inf-ir", "positives", "records", 38759, 38759, 0),
		at("overlap", "inf-ir", "exact", "followir | queries", 104, 0, 0), at("overlap", "inf-ir", "partial", "followir | queries", 104, 2, 0),
		at("diversity", "inf-ir", "APS", "texts", 1000, .3, .01), at("diversity", "followir", "APS", "texts", 1000, .4, .01), at("diversity", "promptriever", "APS", "texts", 1000, .41, .01),
		at("diversity", "small", "APS", "texts", 10, .9, .01),
		at("agreement", "picks", "mean of Cohen's kappa", "o3-mini | humans", 100, .8, .1), at("agreement", "picks", "mean of Cohen's kappa", "gpt-4o | humans", 100, .5, .1),
		at("agreement", "picks", "mean of Cohen's kappa", "gpt-4o-mini | humans", 100, .7, .1),
	}})
	for name, want := range map[string]string{
		"counts": "holds, as counted", "clean": "holds, as counted", "not-clean": "reversed, as counted", "lowest": "holds", "lower": "not shown",
		"kappa": "not shown", "size": "not run", "none": "not run",
		"each": "holds", "not-each": "not shown",
	} {
		if got[name].Words() != want {
			t.Errorf("%s: %s %q, want %s", name, got[name].Words(), got[name].Missing, want)
		}
	}
	if j := got["kappa"]; !strings.HasPrefix(j.Rival, "picks gpt-4o-mini") {
		t.Errorf("the highest is decided by %q", j.Rival)
	}
}
