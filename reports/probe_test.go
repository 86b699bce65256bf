package reports

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/runners"
	"infbench/runners/probe"
	"infbench/runners/results"
)

// probeWorld is a generated benchmark with the replacements of its instructions.
type probeWorld struct {
	*datasets.Benchmark
	variants []datasets.Variant
}

// made caches the worlds that a test asked for, because they are slow to write.
var made = map[string]probeWorld{}

func worldOf(t *testing.T, name string) probeWorld {
	t.Helper()
	if w, ok := made[name]; ok {
		return w
	}
	b, err := datasets.Mini(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	variants, _ := datasets.MiniVariants(name, 1)
	made[name] = probeWorld{b, variants}
	return made[name]
}

// probed probes a retriever on the tasks of a generated benchmark, all or those named.
func probed(t *testing.T, r runners.Retriever, name string, o probe.Options, tasks ...string) *results.Experiment {
	t.Helper()
	b := worldOf(t, name)
	o.Variants = b.variants
	p := &probe.Probe{Retriever: r, Options: o, Benchmark: name}
	trial := results.Trial{ID: r.Name(), State: results.Done, Config: results.Config{results.Model: r.Name()},
		Provenance: results.Provenance{Benchmarks: []results.Benchmark{{Name: name, Synthetic: true}}}}
	for i := range b.Tasks {
		task := &b.Tasks[i]
		if len(tasks) > 0 && !slices.Contains(tasks, task.Name) {
			continue
		}
		run, err := p.Retrieve(t.Context(), task, 1000)
		if err != nil {
			t.Fatal(err)
		}
		values, err := results.Score(name, task, run)
		if err != nil {
			t.Fatal(err)
		}
		trial.Results = append(trial.Results, values...)
	}
	trial.Probe = p.Lines
	return &results.Experiment{Name: r.Name(), Trials: []results.Trial{trial}}
}

// shown returns the section of experiments.
func shown(t *testing.T, exps ...*results.Experiment) section.Section {
	t.Helper()
	v, err := scores.New(exps)
	if err != nil {
		t.Fatal(err)
	}
	s, err := instructionUseSection("p", v)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// cells returns the texts of one column in the rows of a type, by kind.
func cells(s section.Section, ofType, column string) map[string]string {
	out := map[string]string{}
	t := s.Tables[0]
	at := func(name string) int {
		for i, c := range t.Columns {
			if c.Name == name {
				return i
			}
		}
		return -1
	}
	for _, r := range t.Rows {
		if r.Entries[at("instructions")].Text == ofType {
			out[r.Entries[at("asked with")].Text] = r.Entries[at(column)].Text
		}
	}
	return out
}

func bm25(t *testing.T, join func(query, instruction string) string) runners.Retriever {
	t.Helper()
	r, err := runners.NewBM25(runners.BM25Options{Join: join})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestDeafBM25 checks that BM25 without the instruction changes nothing at all, and that
// every verdict states this.
func TestDeafBM25(t *testing.T) {
	s := shown(t, probed(t, bm25(t, func(query, _ string) string { return query }), "mini-followir", probe.Options{}))
	if want := "does not use the instruction: every ranking is the same without it and with another."; s.Terms[0].Text != want {
		t.Errorf("verdict %q", s.Terms[0].Text)
	}
	for _, ofType := range []string{everyType, "negation", "audience"} {
		found := cells(s, ofType, "change")
		if len(found) < 4 {
			t.Fatalf("%s: %v", ofType, found)
		}
		for kind, change := range found {
			if change != "0.0" || cells(s, ofType, "moved")[kind] != "0.0" || cells(s, ofType, "verdict")[kind] != "nothing changes: every ranking is the same" {
				t.Errorf("%s %s: change %s", ofType, kind, change)
			}
		}
	}
}

// TestInstructionAlone checks BM25 that is given only the instruction, in a task whose
// documents repeat its words. It uses the instruction: results do not change under a
// rewording, which keeps those words, but change under every kind with another meaning.
func TestInstructionAlone(t *testing.T) {
	only := bm25(t, func(query, instruction string) string {
		if instruction == "" {
			return query
		}
		return instruction
	})
	s := shown(t, probed(t, only, "mini-mair", probe.Options{}, "argument-stance", "howto-search", "product-search"))
	if !strings.HasPrefix(s.Terms[0].Text, "reads the instruction and is better without it: without an instruction, nDCG@10 changes by ") {
		t.Errorf("verdict %q", s.Terms[0].Text)
	}
	verdicts := cells(s, everyType, "verdict")
	for kind, want := range map[string]string{results.AskedShuffled: "lower: another's misleads", results.AskedContradiction: "lower: the contradiction is noticed",
		results.AskedNone:      "higher: better without", // it reads the query then
		results.AskedRewording: "nothing changes: every ranking is the same"} {
		if verdicts[kind] != want {
			t.Errorf("%s: %s, want %s", kind, verdicts[kind], want)
		}
	}
}

// TestRandomHasNoEffect checks that a random order shows no effect. In 12 draws, each
// testing a family at .05, five or more false alarms have a probability below .001.
func TestRandomHasNoEffect(t *testing.T) {
	alarms := 0
	for seed := range uint64(12) {
		s := shown(t, probed(t, runners.NewRandom(seed), "mini-followir", probe.Options{Seed: seed}, "headline"))
		verdicts := slices.Collect(maps.Values(cells(s, everyType, "verdict")))
		if slices.ContainsFunc(verdicts, func(v string) bool { return strings.HasPrefix(v, "lower") || strings.HasPrefix(v, "higher") }) {
			alarms++
		}
	}
	if alarms >= 5 {
		t.Errorf("%d false alarms in 12 draws", alarms)
	}
}

// line returns a query of task t that is its own item.
func line(query int, kind string, value, overlap float64, types ...string) results.Probed {
	id := fmt.Sprint(query)
	return results.Probed{Benchmark: "b", Task: "t", Item: id, Query: id, Kind: kind, Types: types, Measure: "nDCG@10", Value: &value, Overlap: overlap}
}

// TestEffectIsAPairedT checks that the change is a paired t test if nothing is nested. The
// expected numbers are from stats.T, which is tested against scipy.
func TestEffectIsAPairedT(t *testing.T) {
	r := func(i int) float64 { return math.Mod(float64(i)*.618, 1) }
	var lines []results.Probed
	var own, asked []float64
	for i := range 12 {
		a, b := r(i), r(i+40)-.2
		own, asked = append(own, a), append(asked, b)
		lines = append(lines, line(i, results.AskedOwn, a, 1, results.TypeOther), line(i, results.AskedNone, b, .5, results.TypeOther))
	}
	want, err := stats.T(own, asked)
	if err != nil {
		t.Fatal(err)
	}
	s := newSubject("s", "b", [][]results.Probed{lines})
	e := s.effects([]string{everyType})[0]
	if math.Abs(e.p-want.P) > 1e-12 || math.Abs(e.change.Value-want.MeanDifference) > 1e-12 || e.n != 12 || e.moved.Value != .5 {
		t.Errorf("%+v, want %+v", e, want)
	}
}

// TestNestingAndGaps checks that several instructions of a kind are averaged within their
// query, and several queries within their pair. Queries without a value are left out and
// counted, and types with few queries are reported as such.
func TestNestingAndGaps(t *testing.T) {
	var lines []results.Probed
	for i := range 6 {
		item := fmt.Sprint(i)
		for side, value := range []float64{.2, .6} {
			for _, l := range []results.Probed{line(side, results.AskedOwn, value, 1, "date"), line(side, results.AskedRewording, value+.1, .9, "date"), line(side, results.AskedRewording, value+.3, .7, "date")} {
				l.Item, l.Query = item, item+"-"+l.Query
				lines = append(lines, l)
			}
		}
	}
	gap := line(9, results.AskedRewording, 0, 1, "date")
	gap.Value = nil
	lines = append(lines, line(9, results.AskedOwn, .5, 1, "date"), gap)
	s := newSubject("s", "b", [][]results.Probed{lines})
	e := s.effects([]string{everyType})[0]
	if e.n != 6 || e.undefined != 1 || math.Abs(e.own-.4) > 1e-12 || math.Abs(e.change.Value-.2) > 1e-12 || math.Abs(e.moved.Value-.2) > 1e-12 {
		t.Errorf("%+v", e)
	}
	few := s.effects([]string{"date"})[0]
	if v := few.verdict().Text; v != "too few: 7 queries; 10 are needed" {
		t.Errorf("verdict %q", v)
	}
	// Within a query: the variance of x, x+.1, x+.3 is .07/3. Between the 12 query means,
	// six each of two values .4 apart, the variance is 12/11·.04, minus a third of that
	// within.
	found, ok := s.spread()
	if want := .07 / 3; !ok || math.Abs(found.within-want) > 1e-12 || math.Abs(found.between-(12./11*.04-want/3)) > 1e-12 || found.ways != 3 || found.queries != 12 {
		t.Errorf("%+v", found)
	}
}

// TestProbeVerdicts checks the verdicts for generated differences.
func TestProbeVerdicts(t *testing.T) {
	noise := []float64{-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1} // mean 0
	for _, c := range []struct {
		kind        string
		shift, size float64
		want        string
	}{
		{results.AskedShuffled, -.2, .05, "lower: another's misleads"},
		{results.AskedNone, -.2, .05, "lower: its own instruction helps"},
		{results.AskedContradiction, -.2, .05, "lower: the contradiction is noticed"},
		{results.AskedShuffled, .2, .05, "higher: better with another's"},
		{results.AskedParaphrase, -.2, .05, "lower: the wording matters"},
		{results.AskedRewording, .2, .05, "higher: the wording matters"},
		{results.AskedShuffled, -.005, .001, "lower: another's misleads, and inside ±2"},
		{results.AskedShuffled, 0, .001, "no effect: inside ±2"},
		{results.AskedShuffled, 0, .5, "not significant; ±46.4 would be detected in 80%"}, /// .5/√11, times the factor of stats.Estimate.Smallest from statsmodels
		{results.AskedNone, 0, 0, "nothing changes: every ranking is the same"},
	} {
		var lines []results.Probed
		for i, n := range noise {
			overlap := 1.0
			if c.size > 0 {
				overlap = .8
			}
			lines = append(lines, line(i, results.AskedOwn, .5, 1, results.TypeOther), line(i, c.kind, .5+c.shift+c.size*n, overlap, results.TypeOther))
		}
		e := newSubject("s", "b", [][]results.Probed{lines}).effects([]string{everyType})[0]
		if got := e.verdict().Text; got != c.want {
			t.Errorf("%s by %v ± %v: %q, want %q", c.kind, c.shift, c.size, got, c.want)
		}
	}
}

// TestJudged checks the verdicts on a model, for differences without an instruction and
// with another query's.
func TestJudged(t *testing.T) {
	const lower, higher, wide = -.2, .2, 9
	for _, c := range []struct {
		none, other float64 // wide: no conclusion possible
		want        string
	}{
		{lower, lower, "uses the instruction: "},
		{lower, 0, "gains from having an instruction; that it must be the query's own is not shown: "},
		{higher, lower, "reads the instruction and is better without it: "},
		{0, lower, "reads the instruction; a gain from it is not shown: "},
		{wide, lower, "reads the instruction; a gain from it is not shown: "},
		{0, 0, "does not use the instruction, within ±2: "},
		{higher, wide, "is better without the instruction: "},
		{wide, higher, "is better with another query's instruction: "},
		{wide, 0, "a use of the instruction is not shown: "},
		{lower, -1, "gains from having an instruction: "}, // -1: no other
		{wide, -1, "a gain from an instruction is not shown: "},
		{0, -1, "does not gain from having an instruction, within ±2: "},
	} {
		var lines []results.Probed
		for i := range 20 {
			lines = append(lines, line(i, results.AskedOwn, .5, 1, results.TypeOther))
			for kind, shift := range map[string]float64{results.AskedNone: c.none, results.AskedShuffled: c.other} {
				noise := .001
				if shift == wide {
					shift, noise = 0, .5
				}
				if shift > -1 {
					lines = append(lines, line(i, kind, .5+shift+noise*float64(2*(i%2)-1), .8, results.TypeOther))
				}
			}
		}
		s := newSubject("s", "b", [][]results.Probed{lines})
		if got := s.usage(s.effects([]string{everyType})).String(); !strings.HasPrefix(got, c.want) {
			t.Errorf("none %v, another's %v: %q, want %q", c.none, c.other, got, c.want)
		}
	}
}

// TestSeveralSystems checks that two systems are in one table and one chart, each with its
// name. A system that was not probed is not included, and without probed systems there is
// no section.
func TestSeveralSystems(t *testing.T) {
	plain := probed(t, runners.NewConstant(), "mini-bright", probe.Options{})
	plain.Trials[0].Probe = nil
	s := shown(t, plain)
	if !s.Empty() {
		t.Errorf("%+v", s)
	}
	s = shown(t, plain, probed(t, runners.NewRandom(1), "mini-bright", probe.Options{}), probed(t, bm25(t, nil), "mini-bright", probe.Options{}))
	if len(s.Terms) != 2 || len(s.Tables) != 1 || len(s.Figures) != 1 || s.Tables[0].Columns[0].Name != "system" {
		t.Fatalf("%d verdicts, %d tables, %d figures", len(s.Terms), len(s.Tables), len(s.Figures))
	}
	for _, r := range s.Tables[0].Rows {
		if len(r.Entries) != len(s.Tables[0].Columns) {
			t.Errorf("%d entries in %d columns", len(r.Entries), len(s.Tables[0].Columns))
		}
	}
}
