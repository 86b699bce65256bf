package reports

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// world generates systems on collections of some sizes: a start, and systems trained from
// it whose runs vary around the start plus a change.
type world struct {
	sizes         map[string]int // queries of each collection
	order         []string
	spread, drift float64 // standard deviations of the change of a query, and of a run on all collections
	noise         float64 // standard deviation of a run on a query
	random        *rand.Rand
	synthetic     string // name of the generated collection
	experiment    *results.Experiment
}

func newWorld(seed uint64) *world {
	w := &world{sizes: map[string]int{"alpha": 60, "beta": 90}, order: []string{"alpha", "beta"}, spread: .05, drift: .01, noise: .05, random: rand.New(rand.NewPCG(seed, 15)),
		experiment: &results.Experiment{Name: "made-up", Forgetting: &results.Forgetting{Collections: []string{"alpha", "beta"}, Measure: "nDCG@10", Margin: .02}}}
	return w
}

// trial adds a finished trial with the values of each collection.
func (w *world) trial(config map[string]string, value func(collection string, query int) float64) {
	t := results.Trial{ID: fmt.Sprintf("%016x", len(w.experiment.Trials)), State: results.Done, Config: config}
	for _, name := range w.order {
		t.Provenance.Benchmarks = append(t.Provenance.Benchmarks, results.Benchmark{Name: name, Revision: "r1", Synthetic: name == w.synthetic, Tasks: map[string]string{"test": ""}})
		for q := range w.sizes[name] {
			for _, measure := range []string{"nDCG@10", "R@100"} {
				v := value(name, q)
				t.Results = append(t.Results, results.Result{Benchmark: name, Task: "test", Query: fmt.Sprintf("q%03d", q), Measure: measure, Value: &v})
			}
		}
	}
	w.experiment.Trials = append(w.experiment.Trials, t)
}

// settingsOf returns the settings shared by a trained system and its start, and more.
func settingsOf(more ...string) map[string]string {
	c := map[string]string{"data": "own", "world": "1", "backbone": "net", "interaction": "concat", "design.pooling": "mean"}
	for _, text := range more {
		key, value, _ := strings.Cut(text, "=")
		c[key] = value
	}
	return c
}

// start adds the start of the trainings.
func (w *world) start(more ...string) *world {
	w.trial(settingsOf(append([]string{"model=untrained", "seed=1"}, more...)...), func(string, int) float64 { return .5 })
	return w
}

// trained adds the runs of a loss that changes each collection by the given amount.
func (w *world) trained(loss string, seeds int, change map[string]float64) *world {
	of := map[string][]float64{}
	for _, name := range w.order {
		for range w.sizes[name] {
			of[name] = append(of[name], change[name]+w.spread*w.random.NormFloat64())
		}
	}
	for seed := range seeds {
		run := w.drift * w.random.NormFloat64()
		w.trial(settingsOf("model=trained", "loss="+loss, fmt.Sprintf("seed=%d", seed+1)), func(name string, q int) float64 {
			return .5 + of[name][q] + run + w.noise*w.random.NormFloat64()
		})
	}
	return w
}

// judged judges the generated systems.
func (w *world) judged(t testing.TB) []*forgettingJudgement {
	t.Helper()
	v, err := scores.New([]*results.Experiment{w.experiment})
	if err != nil {
		t.Fatal(err)
	}
	return judgeForgetting(v, forgettingPlans([]*results.Experiment{w.experiment})[0])
}

// verdictsOf formats judgements: "uni(P) alpha: not inferior".
func verdictsOf(all []*forgettingJudgement) (out []string) {
	for _, j := range all {
		out = append(out, strings.TrimSpace(j.System.Label+" "+j.place())+": "+j.verdict().Text)
	}
	return out
}

// TestForgettingVerdicts checks that a system may forget on one collection and not on the
// other, and neither on their mean.
func TestForgettingVerdicts(t *testing.T) {
	w := newWorld(1).start().
		trained("uni(P)", 3, map[string]float64{"alpha": .03, "beta": .02}).
		trained("uni(I)", 3, map[string]float64{"alpha": -.2, "beta": -.15}).
		trained("multi(P,I)", 5, map[string]float64{"alpha": -.1, "beta": .1})
	want := []string{
		"uni(P) alpha: not inferior", "uni(P) beta: not inferior", "uni(P) mean: not inferior",
		"uni(I) alpha: inferior", "uni(I) beta: inferior", "uni(I) mean: inferior",
		"multi(P,I) alpha: inferior", "multi(P,I) beta: not inferior", "multi(P,I) mean: not inferior",
	}
	all := w.judged(t)
	if got := verdictsOf(all); !slices.Equal(got, want) {
		t.Errorf("verdicts\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	mean := (all[0].Difference + all[1].Difference) / 2 // collections of 60 and 90 queries have equal weight
	if got := all[2].Difference; got-mean > 1e-12 || mean-got > 1e-12 {
		t.Errorf("mean change %v, of the collections %v", got, mean)
	}
	if all[2].N != 150 || all[2].Seeds != 3 {
		t.Errorf("mean over %d queries and %d seeds", all[2].N, all[2].Seeds)
	}
}

// TestNotJudged checks the reasons given for missing data, and that nothing is guessed.
func TestNotJudged(t *testing.T) {
	even := map[string]float64{}
	for what, c := range map[string]struct {
		w    *world
		want string
	}{
		"two seeds":            {newWorld(2).start().trained("uni(P)", 2, even), "uni(P) mean: not judged: 2 training runs: an estimate of how runs vary needs 3 seeds"},
		"one seed":             {newWorld(2).start().trained("uni(P)", 1, even), "uni(P) alpha: not judged: 1 training run: an estimate of how runs vary needs 3 seeds"},
		"no start":             {newWorld(2).trained("uni(P)", 3, even), "uni(P): not judged: its start was not run: the baseline untrained with its settings"},
		"start of another net": {newWorld(2).start("backbone=other").trained("uni(P)", 3, even), "uni(P): not judged: its start was not run: the baseline untrained with its settings"},
		"start otherwise read": {newWorld(2).start("design.pooling=cls").trained("uni(P)", 3, even), "uni(P): not judged: its start was not run: the baseline untrained with its settings"},
	} {
		if got := verdictsOf(c.w.judged(t)); !slices.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
	mixed := newWorld(2)
	mixed.synthetic = "beta"
	if got := verdictsOf(mixed.start().trained("uni(P)", 3, even).judged(t)); !slices.Contains(got, "uni(P) mean: not judged: no mean over real and synthetic data") {
		t.Errorf("real and generated collections: %q", got)
	}
	lacking := newWorld(2).start().trained("uni(P)", 3, even)
	lacking.experiment.Forgetting.Collections = []string{"alpha", "gamma"}
	if got := verdictsOf(lacking.judged(t)); !slices.Contains(got, "uni(P) gamma: not judged: no value of nDCG@10 yet") || !slices.Contains(got, "uni(P) mean: not judged: not all collections have values") {
		t.Errorf("a collection without values: %q", got)
	}
}

// TestStarts checks that a backbone evaluated as a baseline under its own name is a second
// start.
func TestStarts(t *testing.T) {
	w := newWorld(3).start()
	w.trial(map[string]string{"model": "net", "world": "1", "card": "net@1"}, func(string, int) float64 { return .9 })
	all := w.trained("uni(P)", 3, map[string]float64{}).judged(t)
	got := verdictsOf(all)
	if len(got) != 6 || all[0].Start.Model != "untrained" || all[3].Start.Model != "net" || got[5] != "uni(P) mean: inferior" {
		t.Errorf("%q", got)
	}
}

// TestLowerIsBetter checks that for a measure where lower is better, an increase is
// forgetting.
func TestLowerIsBetter(t *testing.T) {
	w := newWorld(4).start().trained("uni(P)", 3, map[string]float64{"alpha": .2, "beta": .2})
	for i := range w.experiment.Trials {
		t := &w.experiment.Trials[i]
		t.Results = slices.DeleteFunc(t.Results, func(r results.Result) bool { return r.Measure == "R@100" })
		for j := range t.Results {
			t.Results[j].Measure = "Unjudged@10"
		}
	}
	w.experiment.Forgetting.Measure = "Unjudged@10"
	for _, v := range verdictsOf(w.judged(t)) {
		if !strings.HasSuffix(v, ": inferior") {
			t.Error(v)
		}
	}
}

// TestFalseVerdicts checks the error rate with generated data in which training costs
// exactly the margin. In at most 2.5 % of cases a report may claim that a system is not
// inferior on a collection or on the mean. Queries and runs are drawn again each time. The
// test runs the complete report, with runs pooled over systems.
func TestFalseVerdicts(t *testing.T) {
	const worlds = 1000
	wrong := map[string]int{}
	lost := map[string]float64{"alpha": -.02, "beta": -.02}
	for n := range worlds {
		w := newWorld(uint64(100 + n))
		for _, j := range w.start().trained("uni(P)", 3, lost).trained("uni(I)", 3, lost).judged(t)[:3] {
			if j.Why != "" {
				t.Fatal(j.Why)
			}
			if j.Verdict == stats.NotInferior {
				wrong[j.place()]++
			}
		}
	}
	t.Logf("of %d: %v", worlds, wrong)
	for place, n := range wrong { // 2.5 % plus three standard errors of the simulation
		if rate := float64(n) / worlds; rate > .025+3*.005 {
			t.Errorf("%s: %.3f of verdicts are false", place, rate)
		}
	}
}

// TestSection checks that the section has a row and an interval for each judgement, and a
// sentence.
func TestSection(t *testing.T) {
	w := newWorld(1).start().trained("uni(P)", 3, map[string]float64{"alpha": .03, "beta": .02}).trained("uni(I)", 1, map[string]float64{})
	v, err := scores.New([]*results.Experiment{w.experiment})
	if err != nil {
		t.Fatal(err)
	}
	s, said, err := forgettingSection("forgetting", v, forgettingPlans([]*results.Experiment{w.experiment})[0])
	if err != nil {
		t.Fatal(err)
	}
	if want := "Forgetting: on the mean of 2 collections, of 2 trained systems against their starts: 1 not inferior, 1 not judged; on each of them 1 not inferior. The margin is 2.0 (0.02 of nDCG@10)."; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
	if rows := len(s.Tables[0].Rows); rows != 6 || len(s.Figures) != 1 || len(s.Figures[0].Table.Rows) != 3 {
		t.Errorf("%d rows, %d figures", rows, len(s.Figures))
	}
	if e := s.Tables[0].Rows[0].Entries; e[0].Text != "uni(P)" || e[1].Text != "untrained" || e[2].Text != "alpha" || e[3].Text != "50.0" || e[8].Text != "not inferior" || e[9].Text != "60" || e[10].Text != "3" {
		t.Errorf("first row %+v", e)
	}
	if empty, _, err := forgettingSection("forgetting", v, forgettingPlan{Experiment: "other", Forgetting: results.Forgetting{Collections: []string{"gamma"}}}); err != nil || !empty.Empty() {
		t.Errorf("of an experiment without systems: %+v, %v", empty, err)
	}
}
