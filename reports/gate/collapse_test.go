package gate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"infbench/runners/results"
)

// planted is a board whose commits all run the same seeds; each system drops by the given amount.
func planted(p population, drop ...float64) []*results.Experiment { return p.drawn(34).commit(drop...) }

// TestCollapse: equal commits of one seed show nothing about other seeds. A collapse fails all the
// same, whether of all systems or of one of eleven.
func TestCollapse(t *testing.T) {
	eleven := population{systems: 11, tasks: 3, queries: 40, seeds: 1, seed: .02, task: .01, query: .145, change: .1}
	one := make([]float64, 11)
	one[4] = .45
	all := make([]float64, 11)
	for i := range all {
		all[i] = .45
	}
	rise := make([]float64, 11)
	rise[2] = -.3
	equal := planted(eleven)
	var sevenEqual [][]*results.Experiment
	for range 7 {
		sevenEqual = append(sevenEqual, equal)
	}
	const sameSeed = "gave the same value each time, which shows nothing about other seeds"
	for _, c := range []struct {
		name    string
		history []Past
		drop    []float64
		failed  int // systems with a failed check
		words   []string
	}{
		{"nothing changed", historyOf(sevenEqual...), nil, 0, []string{"gate met"}},
		{"nothing changed, no history", nil, nil, 0, []string{"gate met"}},
		{"a rise", historyOf(sevenEqual...), rise, 0, []string{"gate met"}},
		{"all collapse after seven equal commits", historyOf(sevenEqual...), all, 11, []string{"large and real", "a run assumed to vary by ±6.0 around its system"}},
		{"all collapse without a history", nil, all, 11, []string{"large and real"}},
		{"one of eleven collapses after seven equal commits", historyOf(sevenEqual...), one, 1, []string{"large and real"}},
		{"one of eleven collapses without a history", nil, one, 1, []string{"large and real"}},
		{"one of eleven drops by ten", historyOf(sevenEqual...), []float64{0, .1}, 1, []string{"shown for these runs", "undecided for other seeds", sameSeed, "(7 commits)"}},
		{"the same without a history", nil, []float64{0, .1}, 1, []string{"shown for these runs", "--history"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := judgeCommits(t, Known{History: c.history}, equal, planted(eleven, c.drop...))
			systems := map[string]bool{}
			for _, check := range g.Failed() {
				system, _, _ := strings.Cut(check.Place, ", nDCG@10")
				systems[system] = true
			}
			out := text(t, g)
			if len(systems) != c.failed {
				t.Errorf("%d systems fail, want %d:\n%.3000s", len(systems), c.failed, out)
			}
			for _, want := range c.words {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%.3000s", want, out)
				}
			}
		})
	}
}

// TestUndecidedPasses: a drop of more than the rule allows passes, and is counted, if these runs
// show a drop but not that it is beyond the rule.
func TestUndecidedPasses(t *testing.T) {
	p := population{systems: 1, tasks: 2, queries: 40, seeds: 1, query: .03, change: .05}
	g := judgeCommits(t, Known{}, planted(p), planted(p, .025))
	if out := text(t, g); len(g.Failed()) > 0 || g.Verdict() != "gate undecided" || !strings.Contains(out, "not shown to be more than 2.00") {
		t.Errorf("%s", out)
	}
}

// TestNoisyHistory: if seeds vary more than the bound, a drop must be beyond their variation;
// otherwise it is undecided for other seeds.
func TestNoisyHistory(t *testing.T) {
	p := population{systems: 1, tasks: 2, queries: 40, seeds: 1, query: .03}
	at := func(below float64) []*results.Experiment { return p.drawn(uint64(1000 * (below + 9))).commit(below) }
	history := historyOf(at(.3), at(0), at(.29)) // three commits, far apart
	g := judgeCommits(t, Known{History: history}, at(0), at(.31))
	if out := text(t, g); !strings.Contains(out, "undecided for other seeds") || strings.Contains(out, "large and real") {
		t.Errorf("%s", out)
	}
	if g := judgeCommits(t, Known{}, at(0), at(.31)); !strings.Contains(text(t, g), "large and real") {
		t.Errorf("%s", text(t, g))
	}
}

// TestSlowDrift: changes that are each too small to fail together fail, as far back as the history
// names them, until the number is back or the change is accepted.
func TestSlowDrift(t *testing.T) {
	const number = "nDCG@10 on mair/one"
	day := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	drift := Shift{System: "bm25", Number: number, From: "c3", To: "c9", Drift: true, Before: .5, After: .42}
	step := func(before, after float64) Shift {
		return Shift{System: "bm25", Number: number, From: "c3", To: "c4", Before: before, After: after}
	}
	accepted := func(to string) string {
		return fmt.Sprintf("accepted: [{system: bm25, number: %s, to: %s, until: 2026-11-30, who: Ann, why: faster}]", number, to)
	}
	for _, c := range []struct {
		name          string
		shifts        []Shift
		before, after float64
		accepted      string
		want          string
	}{
		{"no history", nil, .42, .41, "", "gate met"},
		{"a drift", []Shift{drift}, .42, .41, "", "since commit c3 it went from 50.00 to 41.00, a drop of 9.00, more than 2.00, in changes that are each too small to fail: large and real\ngate not met"},
		{"a drift, and a rise within", []Shift{drift}, .42, .425, "", "gate not met"},
		{"a drift that was mended", []Shift{drift}, .42, .49, "", "gate met"},
		{"a drift of another system", []Shift{{System: "dense", Number: number, Drift: true, Before: .5, After: .42}}, .42, .41, "", "gate met"},
		{"a drift within the rule", []Shift{{System: "bm25", Number: number, Drift: true, Before: .43, After: .42}}, .42, .41, "", "gate met"},
		{"a drift upwards", []Shift{{System: "bm25", Number: number, Drift: true, Before: .3, After: .42}}, .42, .41, "", "gate met"},
		{"a staircase", []Shift{step(.45, .435), step(.435, .42)}, .42, .41, "", "from 45.00 to 41.00"},
		{"a large step, which was judged by itself", []Shift{step(.5, .42)}, .42, .41, "", "gate met"},
		{"a staircase after a large step", []Shift{step(.6, .45), step(.45, .435), step(.435, .42)}, .42, .41, "", "from 45.00 to 41.00"},
		{"a drift that rose again", []Shift{drift, step(.42, .5)}, .5, .495, "", "gate met"},
		{"accepted", []Shift{drift}, .42, .42, accepted("42"), "gate met: 0 of 1 check failed, 1 accepted"},
		{"accepted, and further", []Shift{drift}, .40, .39, accepted("42"), "gate not met"},
	} {
		k := Known{Shifts: c.shifts, Now: day}
		if c.accepted != "" {
			k.Accepted = acceptances(t, c.accepted)
		}
		g := judgeCommits(t, k, baselines(map[string]float64{"bm25": c.before}), baselines(map[string]float64{"bm25": c.after}))
		if out := text(t, g); !strings.Contains(out, c.want) {
			t.Errorf("%s: want %q:\n%s", c.name, c.want, out)
		}
	}
}
