package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// board is a simulated history of one number of a board: the number of runs per commit, the
// number of systems over which noise is pooled, and the changes.
type board struct {
	commits, runs, pooled, among int
	draw                         func(*rand.Rand) float64 // a run around its system
	level                        func(commit int) float64
}

func flat(int) float64 { return 0 }

// history draws a history, with the noise estimated from each commit and those before.
func (b board) history(r *rand.Rand) []Measured {
	var out []Measured
	squares, freedom := 0.0, 0.0
	for i := range b.commits {
		var m Measured
		for system := range b.pooled {
			runs, mean := make([]float64, b.runs), 0.0
			for j := range runs {
				runs[j] = b.draw(r)
				mean += runs[j] / float64(b.runs)
			}
			for _, v := range runs {
				squares += (v - mean) * (v - mean)
			}
			freedom += float64(b.runs - 1)
			if system == 0 {
				m = Measured{Value: b.level(i) + mean, Among: b.among}
			}
		}
		if b.runs > 1 {
			m.Noise, m.Freedom = Defined(squares/freedom/float64(b.runs)), freedom
		}
		out = append(out, m)
	}
	return out
}

// populations are the distributions of seeds around a system, with variance 1.
var populations = map[string]func(*rand.Rand) float64{
	"normal":  (*rand.Rand).NormFloat64,
	"uniform": func(r *rand.Rand) float64 { return math.Sqrt(12) * (r.Float64() - 0.5) },
	"skewed":  func(r *rand.Rand) float64 { return 1 - r.ExpFloat64() },
	"heavy": func(r *rand.Rand) float64 { // Student's t with 5 degrees of freedom
		squares := 0.0
		for range 5 {
			v := r.NormFloat64()
			squares += v * v
		}
		return r.NormFloat64() / math.Sqrt(squares/5) / math.Sqrt(5.0/3)
	},
}

// TestShiftsUnchanged: over 100 commits without changes, a board gives at most one alarm on
// average, usually far fewer. The alarm rate of one number, times the number of numbers, is
// that of the board: its other numbers behave alike.
func TestShiftsUnchanged(t *testing.T) {
	const histories, commits = 60, 100
	for name, draw := range populations {
		for _, b := range []board{{runs: 1, pooled: 1, among: 1}, {runs: 1, pooled: 1, among: 40}, {runs: 2, pooled: 1, among: 1}, {runs: 3, pooled: 1, among: 1}, {runs: 3, pooled: 1, among: 10}, {runs: 3, pooled: 10, among: 10}, {runs: 3, pooled: 11, among: 40}, {runs: 5, pooled: 5, among: 20}} {
			if (b.pooled == 1) != (b.among == 1) && !testkit.IsDeep() {
				continue // other boards show the same
			}
			b.commits, b.draw, b.level = commits, draw, flat
			r, alarms, many := rand.New(rand.NewPCG(5, uint64(b.runs*1000+b.among))), 0, 0
			for range histories {
				n := 0
				for range min(10, b.among) {
					n += len(Shifts(b.history(r)))
				}
				alarms += n
				if n > 1 {
					many++
				}
			}
			rate := float64(alarms) / histories * float64(b.among) / float64(min(10, b.among))
			t.Logf("%s, %+v: %.2f alarms of the board in 100 commits; %d of %d histories had more than one", name, []int{b.runs, b.pooled, b.among}, rate, many, histories)
			most := histories / 20
			if name == "skewed" { // exponential: means of three are far from normal
				most = histories / 5
			}
			if rate > 1 || many > most {
				t.Errorf("%s, %d runs, %d pooled, %d numbers: %.2f alarms in 100 commits, %d of %d histories with more than one", name, b.runs, b.pooled, b.among, rate, many, histories)
			}
		}
	}
}

// TestShiftsPower: with three runs per commit, eleven systems and four numbers, a drift from
// the first commit on of one and a half standard deviations of a run per commit is mostly
// named by commit five; a slower drift is named later. With one run per commit, only a far
// larger change is named by commit six, and it takes ten to fifteen commits on the same
// board. This is the limit of one run, not a goal.
func TestShiftsPower(t *testing.T) {
	const histories = 200
	drift := func(slope float64) func(int) float64 { return func(i int) float64 { return -slope * float64(i) } }
	after := func(commits int, f func(int) float64) func(int) float64 {
		return func(i int) float64 { return f(max(0, i-commits+1)) }
	}
	step := func(by float64) func(int) float64 { return func(i int) float64 { return -by * float64(min(i, 1)) } }
	for _, c := range []struct {
		name  string
		runs  int
		level func(int) float64 // in standard deviations of a run
		by    int
		named float64 // share of histories
		told  float64 // share that is described correctly
		drift bool
	}{
		{"1.5 a commit", 3, drift(1.5), 5, .9, .85, true},
		{"2 a commit", 3, drift(2), 5, .98, .95, true},
		{"1 a commit", 3, drift(1), 7, .95, .8, true},
		{"0.5 a commit", 3, drift(.5), 11, .95, .8, true},
		{"0.1 a commit", 3, drift(.1), 40, .9, .75, true},
		{"5 a commit", 1, drift(5), 10, .98, .95, true},
		{"2 a commit", 1, drift(2), 10, .5, .95, true},
		{"2 a commit", 1, drift(2), 12, .95, .95, true},
		{"1 a commit", 1, drift(1), 15, .95, .95, true},
		{"0.5 a commit", 1, drift(.5), 20, .9, .9, true},
		{"0.1 a commit", 1, drift(.1), 50, .9, .75, true},
		{"5 a commit from the sixth on", 1, after(5, drift(5)), 12, .9, .9, true},
		{"12 after eight", 1, after(8, step(12)), 12, .95, .9, false},
		{"12 after eight", 1, after(8, step(12)), 16, .98, .9, false},
		{"5 after eight", 1, after(8, step(5)), 18, .8, .8, false},
	} {
		r, named, told := rand.New(rand.NewPCG(7, 7)), 0.0, 0.0
		b := board{commits: c.by, runs: c.runs, pooled: 11, among: 44, draw: populations["normal"], level: c.level}
		for range histories {
			if found := Shifts(b.history(r)); len(found) > 0 {
				named++
				if s := found[0]; s.Drift() == c.drift && s.After < s.Before {
					told++
				}
			}
		}
		t.Logf("%d runs, %s: %.2f named by commit %d, %.2f of them described correctly", c.runs, c.name, named/histories, c.by, told/named)
		if named < c.named*histories || told < c.told*named {
			t.Errorf("%d runs, %s: %.2f named by commit %d, %.2f of them described correctly; want %v and %v", c.runs, c.name, named/histories, c.by, told/named, c.named, c.told)
		}
	}
}

// TestJudged: a single run per commit is judged from the sixth commit on, several runs from
// the second, and so is a number without randomness.
func TestJudged(t *testing.T) {
	single, several := Measured{Value: 1}, Measured{Value: 1, Noise: Defined(.1), Freedom: 2}
	for _, c := range []struct {
		name   string
		series []Measured
		want   bool
	}{
		{"none", nil, false},
		{"one", []Measured{several}, false},
		{"two of several runs", []Measured{several, several}, true},
		{"five of one", slices.Repeat([]Measured{single}, LeastCommits-1), false},
		{"six of one", slices.Repeat([]Measured{single}, LeastCommits), true},
		{"one, then several", []Measured{single, several}, true},
		{"several, then one", []Measured{several, single}, false},
	} {
		if got := Judged(c.series); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestShifts checks that changes are named, at their place, and stay named.
func TestShifts(t *testing.T) {
	of := func(noise float64, freedom float64, values ...float64) []Measured {
		var out []Measured
		for _, v := range values {
			m := Measured{Value: v, Among: 1}
			if freedom >= 0 {
				m.Noise, m.Freedom = Defined(noise), freedom
			}
			out = append(out, m)
		}
		return out
	}
	level := func(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }
	wavy := func(v float64, n int) (out []float64) {
		for i := range n {
			out = append(out, v+math.Sin(float64(7*i*i)))
		}
		return out
	}
	moved := func(by float64) []Measured {
		s := of(0, 0, .5, .5, .4, .4)
		s[2].Moved, s[2].MovedFreedom = by*by, 39
		return s
	}
	for _, c := range []struct {
		name   string
		series []Measured
		want   string
	}{
		{"none", nil, ""},
		{"one", of(1, 4, 50), ""},
		{"the issue, seeds of 1.5", of(.75, 40, 15.9, 13.5, 13.1, 11.8, 10.7), "drift"},
		{"the issue upwards, seeds of 1", of(.33, 40, 10.7, 11.8, 13.1, 13.5, 15.9), "drift"},
		{"flat", of(1, 40, level(50, 30)...), ""},
		{"no seeds, flat", of(0, 0, level(50, 30)...), ""},
		{"no seeds", of(0, 0, slices.Concat(level(50, 3), level(49, 3))...), "2>3"},
		{"no seeds, the last commit", of(0, 0, slices.Concat(level(50, 3), level(49, 1))...), "2>3"},
		{"no seeds, down and up", of(0, 0, slices.Concat(level(50, 3), level(49, 3), level(50, 3))...), "2>3 5>6"},
		{"no seeds, slowly", of(0, 0, 50, 50, 50, 49, 48, 47, 46, 46, 46), "drift"},
		{"queries tell", moved(.01), "1>2"},
		{"queries do not tell", moved(.08), ""},
		{"nothing is known of two", of(0, -1, 50, 40), ""},
		{"the issue, one run a commit", of(0, -1, 15.9, 13.5, 13.1, 11.8, 10.7), ""},
		{"the same five times over, one run", of(0, -1, 15.9, 13.5, 13.1, 11.8, 10.7, 9.6, 8.3, 7.4, 6.1, 4.9), "drift"},
		{"a step and back, one run", of(0, -1, slices.Concat(wavy(50, 10), wavy(42, 10), wavy(50, 10))...), "9>10 19>20"},
		{"one unlucky commit, one run", of(0, -1, slices.Concat(wavy(50, 30), level(20, 1), wavy(50, 30))...), ""},
		{"an unlucky first commit, one run", of(0, -1, slices.Concat(level(20, 1), wavy(50, 30))...), ""},
		{"no noise among six", of(0, -1, slices.Concat(level(50, 6), level(49, 2))...), "5>6"},
		{"a step", of(1, 40, slices.Concat(level(50, 10), level(42, 10))...), "9>10"},
		{"one unlucky commit", of(1, 40, slices.Concat(level(50, 10), level(20, 1), level(50, 10))...), ""},
		{"two steps down", of(1, 40, slices.Concat(level(50, 10), level(42, 20), level(34, 10))...), "9>10 29>30"},
		{"a step and back", of(1, 40, slices.Concat(level(50, 10), level(42, 10), level(50, 10))...), "9>10 19>20"},
	} {
		got := ""
		for _, s := range Shifts(c.series) {
			if got += " "; s.Drift() {
				got += "drift"
			} else {
				got += fmt.Sprintf("%d>%d", s.From, s.To)
			}
		}
		if got = strings.TrimSpace(got); got != c.want {
			t.Errorf("%s: %s, want %s (%+v)", c.name, got, c.want, Shifts(c.series))
		}
	}
}
