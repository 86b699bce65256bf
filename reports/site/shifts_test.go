package site

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/runners/results"
)

// made is an artificial repository: systems that are trained alike and BM25, on two tasks of 20
// queries, in the range of nDCG. A run differs from its system by ±.01, and by ±.02 more on a
// query.
type made struct {
	systems, runs int
	level         func(commit, system int) float64 // for trained systems
	noise         *rand.Rand
}

const ofMadeRun = .01

// commit measures once.
func (m made) commit(n int) []*results.Experiment {
	e := &results.Experiment{Name: "made", Planned: true, Trials: []results.Trial{m.trial("bm25", nil, .3, 0)}}
	for s := range m.systems {
		for seed := range m.runs {
			config := map[string]string{results.Model: "tiny-bert", results.Loss: reportstest.FixtureLosses[s], results.Seed: fmt.Sprint(seed + 1)}
			e.Trials = append(e.Trials, m.trial(fmt.Sprintf("%d-%d", s, seed), config, m.level(n, s)+ofMadeRun*m.noise.NormFloat64(), .02))
		}
	}
	return []*results.Experiment{e}
}

// trial is a run around a level.
func (m made) trial(id string, config map[string]string, level, ofQuery float64) results.Trial {
	if config == nil {
		config = map[string]string{results.Model: id}
	}
	var all []reportstest.Value
	for _, task := range []string{"one", "two"} {
		for q := range 20 {
			all = append(all, reportstest.At("made", task, "", "nDCG@10", fmt.Sprintf("q%02d", q), level+.1*float64(q%5-2)+ofQuery*m.noise.NormFloat64()))
		}
	}
	t := reportstest.TrialOf(id, config, all...)
	t.Provenance.Benchmarks = []results.Benchmark{{Name: "made", Synthetic: true, Revision: "r1"}}
	return t
}

// index returns the index of a site after the given number of commits, each recorded together with
// the one before.
func (m made) index(t *testing.T, commits int) string {
	t.Helper()
	var history []Commit
	var before, now []*results.Experiment
	for i := range commits {
		var err error
		now = m.commit(i)
		if history, err = Record(history, Push{Commit: fmt.Sprintf("commit%d", i+1), Results: now, Before: before}); err != nil {
			t.Fatal(err)
		}
		before = now
	}
	files, err := Site(now, history, nil, reports.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return string(files[len(files)-1].Data)
}

// named counts the rows of changes.
func named(index string) int {
	return len(regexp.MustCompile("<td>(step|drift)</td>").FindAllString(index, -1))
}

// TestUnchangedCommits: 100 commits that change nothing but the seeds name at most one
// step or drift on the page.
func TestUnchangedCommits(t *testing.T) {
	for _, runs := range []int{1, 3} {
		m := made{systems: 4, runs: runs, level: func(int, int) float64 { return .5 }, noise: rand.New(rand.NewPCG(18, uint64(runs)))}
		index := m.index(t, 100)
		if n := named(index); n > 1 {
			t.Errorf("%d runs a commit: %d rows of what moved", runs, n)
		} else if n == 0 && !strings.Contains(index, "<p>No number took a step or drifted over the commits on record (100).</p>") {
			t.Errorf("%d runs a commit: nothing moved, and the index does not say so", runs)
		}
	}
}

// TestLateDrift: the last five of ten commits drift, by one and a half standard deviations of a run
// each if each commit runs three seeds, and by six if it runs one.
func TestLateDrift(t *testing.T) {
	for runs, slope := range map[int]float64{3: 1.5 * ofMadeRun, 1: 6 * ofMadeRun} {
		level := func(n, s int) float64 {
			if s > 0 {
				return .5
			}
			return .5 - slope*float64(max(0, n-4))
		}
		index := made{systems: 4, runs: runs, level: level, noise: rand.New(rand.NewPCG(18, uint64(runs)))}.index(t, 10)
		if row := regexp.MustCompile(`(?s)uni\(P\)</a></th><td>nDCG@10 on made \(mean of 2 tasks\)</td><td>drift</td><td><code>commit[456] to commit10, over`); !row.MatchString(index) || named(index) != 1 {
			t.Errorf("%d runs a commit: %d rows, and no drift from the fifth commit on\n%s", runs, named(index), index)
		}
	}
}

// TestUndecidedHistory: numbers that each commit ran once are undecided until six commits show the
// variation of seeds. No page calls them unchanged: neither with a fall from 15.9 to 10.7 by the
// fifth commit, nor next to a baseline that is known not to have moved.
func TestUndecidedHistory(t *testing.T) {
	fall := []float64{.159, .135, .131, .118, .107, .107}
	const known = "the variation between seeds is not known yet"
	for _, c := range []struct {
		name          string
		runs, commits int
		want, not     string
	}{
		{"one run, the first commit", 1, 1, "Undecided for 1 of 2 numbers: " + known + " (1 of 6 commits)", "<p>No number took"},
		{"one run, five commits", 1, 5, "<p>No number that could be judged took a step or drifted over the commits on record (5).</p>\n<p>Undecided for 1 of 2 numbers: " + known + " (5 of 6 commits)", "<p>No number took"},
		{"one run, six commits", 1, 6, "<p>No number took a step or drifted over the commits on record (6).</p>", known},
		{"three runs, five commits", 3, 5, "<td>drift</td>", known},
	} {
		m := made{systems: 1, runs: c.runs, level: func(n, _ int) float64 { return fall[n] }, noise: rand.New(rand.NewPCG(18, 18))}
		index := m.index(t, c.commits)
		if !strings.Contains(index, c.want) || strings.Contains(index, c.not) {
			t.Errorf("%s: want %q, not %q\n%s", c.name, c.want, c.not, index[strings.Index(index, "<h2>Steps and drifts"):])
		}
	}
}

// TestUndecidedAlone: if no number can be judged, no page calls anything unchanged, also for lines
// that do not record the runs.
func TestUndecidedAlone(t *testing.T) {
	var history []Commit
	seeds := map[string]string{"uni(P)": "1", "bm25": "1"} // plans give baselines a seed, too
	for i, v := range []float64{.159, .135, .131, .118, .107} {
		history = append(history, Commit{Commit: fmt.Sprint("c", i), Seeds: seeds, Values: []CommitValue{{System: "uni(P)", Test: "made", Scoring: "nDCG@10", Value: v, Queries: 20, Runs: i % 2}}})
	}
	files, err := Site(made{systems: 1, runs: 1, level: func(int, int) float64 { return .1 }, noise: rand.New(rand.NewPCG(1, 1))}.commit(0), history, nil, reports.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if index := string(files[len(files)-1].Data); !strings.Contains(index, "<h2>Steps and drifts</h2>\n<p>Undecided: the variation between seeds is not known yet (5 of 6 commits).") || strings.Contains(index, "No number") {
		t.Errorf("%s", index[strings.Index(index, "<h2>Steps and drifts"):])
	}
	for i := range history { // a number with equal values is not undecided
		history[i].Values = append(history[i].Values, CommitValue{System: "bm25", Test: "made", Scoring: "nDCG@10", Value: .3, Queries: 20, Runs: 1})
	}
	if judged, text := (&siteWriter{history: history, all: tracesOf(history)}).undecided(""); !judged || !strings.HasPrefix(text, "Undecided for 1 of 2 numbers: ") {
		t.Errorf("beside what stood still: %v, %q", judged, text)
	}
}
