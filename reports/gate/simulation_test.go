package gate

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"infbench/internal/testkit"
	"infbench/runners/results"
)

// simulated is a population that is pushed again and again.
type simulated struct {
	of      population
	history bool // one commit after another, with the history before it
	quick   bool // also in the short run
	moved   move // the changes in that history
}

// move is how far all systems were below their first level in each commit of a history; the last
// commit is the baseline.
type move struct {
	name  string
	below []float64
}

// moves lists histories with changes, each followed by a drop.
func moves() []move {
	return []move{
		{"flat", []float64{0, 0, 0, 0, 0}},
		{"+12 for all but the first three", []float64{.12, .12, .12, 0, 0, 0}},
		{"+12 for all but the first five", []float64{.12, .12, .12, .12, .12, 0}},
		{"+12 with the second", []float64{.12, 0, 0, 0, 0}},
		{"-12 accepted", []float64{0, 0, 0, .12, .12}},
		{"-12 accepted with the last", []float64{0, 0, 0, 0, .12}},
		{"a drift of 1.5 a commit", []float64{0, .015, .03, .045, .06, .075, .09}},
		{"+12 and -12 accepted", []float64{.12, .12, 0, 0, .12}},
	}
}

// populations use the measurements of `make seeds-check` in p-MRR: a run differs from its loss by
// ±.020, and by ±.145 more on a query. There are weak and strong seeds, queries that mostly never
// differ, and queries that rarely differ but then a lot.
func populations() []simulated {
	var out []simulated
	for _, by := range []struct {
		name              string
		seed, task, query float64
	}{{"measured", .020, .010, .145}, {"weak", .003, .002, .05}, {"strong", .060, .020, .05}} {
		for _, shape := range []string{"normal", "zeros", "skewed"} {
			for _, queries := range []int{20, 40, 80} {
				for _, seeds := range []int{1, 2, 3} {
					p := population{systems: 2, tasks: 3, queries: queries, seeds: seeds, seed: by.seed, task: by.task, query: by.query, skewed: shape == "skewed"}
					if shape == "zeros" {
						p.live = .4
					}
					out = append(out, simulated{of: p, history: seeds == 1, quick: by.name == "measured" && queries == 40 || by.name == "strong" && shape == "normal" && queries == 20})
				}
			}
		}
	}
	for _, m := range moves()[1:] {
		out = append(out, simulated{of: moving, history: true, quick: true, moved: m})
	}
	return out
}

// moving is the population of histories with moves: a board of three systems.
var moving = population{systems: 3, tasks: 3, queries: 40, seeds: 1, seed: .010, task: .005, query: .05}

func (s simulated) String() string {
	p := s.of
	shape := "normal"
	switch {
	case p.skewed:
		shape = "skewed"
	case p.live > 0:
		shape = "60 % zeros"
	}
	text := fmt.Sprintf("%s, %d systems, %d tasks of %d queries, %d seeds, a run ±%.3f, by task ±%.3f, by query ±%.3f", shape, p.systems, p.tasks, p.queries, p.seeds, p.seed, p.task, p.query)
	if s.history {
		text += fmt.Sprintf(", by the last %d commits", LastCommits)
	}
	if s.moved.name != "" {
		text += ", history: " + s.moved.name
	}
	return text
}

// full reports whether every population is drawn, many times.
func full() bool { return os.Getenv("INFBENCH_COVERAGE") != "" }

// pushes counts the outcomes of pushes that change only the seeds, and of pushes with a drop of all
// systems.
func (s simulated) pushes(t *testing.T, n int, drop float64) (failed, undecided int) {
	p := s.of.drawn(uint64(len(s.String())))
	below := s.moved.below
	if below == nil {
		below = make([]float64, LastCommits)
	}
	at := func(below float64) []*results.Experiment {
		return p.commit(slices.Repeat([]float64{below}, p.systems)...)
	}
	for range n {
		var k Known
		var before []*results.Experiment
		for c, b := range below {
			before = at(b)
			if s.history {
				k.History = append(k.History, pastOf(fmt.Sprint(c), before))
			}
		}
		g := judgeCommits(t, k, before, at(below[len(below)-1]+drop))
		failed += min(1, len(g.Failed()))
		undecided += min(1, len(g.Undecided()))
	}
	return failed, undecided
}

// TestDropsAfterMoves: a drop of twelve standard deviations of a run fails even if a step, an
// accepted drop or a drift is among the last five commits, which do not count as noise. Two changes
// among five leave no estimate of the noise. That is mostly noticed, and the drop is then
// undecided, not met.
func TestDropsAfterMoves(t *testing.T) {
	const n = 30
	for _, m := range moves() {
		drop := .12
		if strings.Contains(m.name, "drift") {
			drop = .08
		}
		failed, undecided := simulated{of: moving, history: true, moved: m}.pushes(t, n, drop)
		t.Logf("%s, then -%.0f: %d of %d fail, %d are undecided", m.name, 100*drop, failed, n, undecided)
		least := n * 9 / 10
		if strings.Contains(m.name, " and ") {
			failed, least = failed+undecided, n*2/3
		}
		if failed < least {
			t.Errorf("%s, then -%.0f: %d of %d fail, want %d", m.name, 100*drop, failed, n, least)
		}
	}
}

// TestReseedings: at most 7 of 100 pushes that change only the seeds fail, in every population. The
// tests have size 5 % over all numbers, and only drops count.
func TestReseedings(t *testing.T) {
	testkit.Deep(t)
	n := 100
	if full() {
		n = 500 / testkit.Share("INFBENCH_COVERAGE")
	}
	var all []simulated
	for _, s := range populations() {
		if s.quick || full() {
			all = append(all, s)
		}
	}
	lines := make([]string, len(all))
	shares := make([]float64, len(all))
	var wait sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, s := range all {
		wait.Add(1)
		go func() {
			defer wait.Done()
			room <- struct{}{}
			failed, undecided := s.pushes(t, n, 0)
			<-room
			shares[i] = float64(failed) / float64(n)
			lines[i] = fmt.Sprintf("%s: %.1f %% of %d fail, %.1f %% are undecided", s, 100*shares[i], n, 100*float64(undecided)/float64(n))
		}()
	}
	wait.Wait()
	for i, line := range lines {
		t.Log(line)
		if shares[i] > .07 {
			t.Errorf("more than 7 %%: %s", line)
		}
	}
}

// TestHundredReseedings: a board of eleven losses on six tasks is pushed 100 times with three new
// seeds, and 100 times with one and the history of earlier commits. At most 7 of each fail. A mean
// that drops by 12 fails.
func TestHundredReseedings(t *testing.T) {
	testkit.Deep(t)
	for _, s := range []simulated{
		{of: population{systems: 11, tasks: 6, queries: 40, seeds: 3, seed: .020, task: .010, query: .145}},
		{of: population{systems: 11, tasks: 6, queries: 40, seeds: 1, seed: .020, task: .010, query: .145}, history: true},
	} {
		p := s.of.drawn(18)
		last, failed, undecided := p.commit(), 0, 0
		var k Known
		for push := range 100 + LastCommits {
			k.History = append(k.History, pastOf(fmt.Sprint(push), last))
			now := p.commit()
			g := judgeCommits(t, k, last, now)
			last = now
			if push < LastCommits {
				continue // the history begins
			}
			failed += min(1, len(g.Failed()))
			undecided += min(1, len(g.Undecided()))
		}
		t.Logf("%s: %d of 100 pushes fail, %d are undecided", s, failed, undecided)
		if failed > 7 || undecided > 0 {
			t.Errorf("%d of 100 pushes fail, %d are undecided", failed, undecided)
		}
		k.History = append(k.History, pastOf("last", last))
		if g := judgeCommits(t, k, last, p.commit(.12)); g.Verdict() != "gate not met" {
			t.Errorf("a drop by 12:\n%.3000s", text(t, g))
		}
	}
}

// TestMisses prints how often a gate finds planted drops of one loss of eleven on six tasks, and
// how often it fails pushes that change only the seeds: with three seeds, with one seed and the
// five commits before, and with one seed alone. In the last case a drop that these runs show fails
// whether other seeds would show it or not.
func TestMisses(t *testing.T) {
	testkit.Deep(t)
	n := 20
	if full() {
		n = 100 / testkit.Share("INFBENCH_COVERAGE")
	}
	t.Logf("of %d planted drops of one loss of eleven, in points:", n)
	t.Logf("%-24s %4s  %5s  %9s  %6s", "", "drop", "fail", "undecided", "pass")
	for _, c := range []struct {
		name    string
		seeds   int
		history bool
		most    int    // at most so many of 100 fail without a drop
		least   [3]int // at least so many of 100 fail, with drops of 5, 10 and 20 points
	}{
		{"three seeds", 3, false, 7, [3]int{0, 75, 95}},
		{"one seed, five commits", 1, true, 7, [3]int{0, 0, 75}},
		{"one seed, no history", 1, false, 100, [3]int{0, 75, 95}},
	} {
		for i, drop := range []float64{0, .05, .10, .20} {
			p := population{systems: 11, tasks: 6, queries: 40, seeds: c.seeds, seed: .020, task: .010, query: .145, change: .1}.drawn(uint64(34 + i))
			failed, undecided := 0, 0
			for range n {
				var k Known
				before := p.commit()
				if c.history {
					k.History = historyOf(p.commit(), p.commit(), p.commit(), p.commit(), before)
				}
				planted := func(all []Check) bool { // nothing was planted: any
					return slices.ContainsFunc(all, func(c Check) bool { return drop == 0 || strings.HasPrefix(c.Place, lossOf(0)+", ") })
				}
				switch g := judgeCommits(t, k, before, p.commit(drop)); {
				case planted(g.Failed()):
					failed++
				case planted(g.Undecided()):
					undecided++
				}
			}
			share := 100 * failed / n
			t.Logf("%-24s %4.0f  %5d  %9d  %6d", c.name, 100*drop, failed, undecided, n-failed-undecided)
			if i == 0 && share > c.most || i > 0 && share < c.least[i-1] {
				t.Errorf("%s: of drops of %.0f %d of 100 fail", c.name, 100*drop, share)
			}
		}
	}
}
