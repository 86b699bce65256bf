package contrast_test

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"testing"

	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/runs"
)

// seedsVariable names the environment variable with the run folder of
// bench/experiments/seeds.yaml.
const seedsVariable = "INFBENCH_SEEDS"

// halves is one split of the runs of a loss into two pretended systems.
type halves struct{ a, b *scores.System }

// splits returns all ways to choose two sets of three from some runs.
func splits(runs []*scores.Trial) []halves {
	var out []halves
	n := len(runs)
	for a := range 1 << n {
		for b := range a { // each pair of sets once
			if a&b == 0 && bits.OnesCount(uint(a)) == 3 && bits.OnesCount(uint(b)) == 3 {
				out = append(out, halves{some("one half", runs, a), some("other half", runs, b)})
			}
		}
	}
	return out
}

// some returns a system with the runs in a set.
func some(label string, runs []*scores.Trial, set int) *scores.System {
	s := &scores.System{Label: label, Kind: table.Trained}
	for i, t := range runs {
		if set>>i&1 == 1 {
			s.Trials = append(s.Trials, t)
		}
	}
	return s
}

// worlds reads the boards of the run folder, one per world, or skips the test.
func worlds(t *testing.T) []scores.Part {
	t.Helper()
	dir := os.Getenv(seedsVariable)
	if dir == "" {
		t.Skipf("SKIP: %s is not set to a run folder of bench/experiments/seeds.yaml; make seeds-check trains it (six minutes of two processors)", seedsVariable)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	exps, err := runs.LoadAll([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	v, err := scores.New(exps)
	if err != nil {
		t.Fatal(err)
	}
	parts := v.Split()
	for _, p := range parts {
		for _, s := range p.View.Trained() {
			if len(s.Trials) != 8 {
				t.Fatalf("%s of %s has %d runs, want 8", s.Label, p.Setting, len(s.Trials))
			}
		}
	}
	return parts
}

// TestSeedsAgainstThemselves checks that a loss compared with itself on other seeds is
// called different no more often than the level: in at most 7 % of all splits of eight
// seeds, three against three, of two losses in three worlds. (The splits overlap, so the
// 1,680 of them are worth far fewer.)
func TestSeedsAgainstThemselves(t *testing.T) {
	called, fixed, all := map[string]int{}, map[string]int{}, map[string]int{}
	for _, p := range worlds(t) {
		for _, on := range p.View.Columns(p.Benchmarks[0]).Main() {
			for _, s := range p.View.Trained() {
				shown, these, n := count(on, splits(s.Trials))
				t.Logf("%s %s %s: %d of %d, %d with seeds taken as they are", p.Setting, s.Label, on.Scoring(), shown, n, these)
				called[on.Scoring()] += shown
				fixed[on.Scoring()] += these
				all[on.Scoring()] += n
			}
		}
	}
	for scoring, n := range all {
		share := float64(called[scoring]) / float64(n)
		t.Logf("%s: %.1f %% of %d splits called different; with seeds taken as they are %.1f %%", scoring, 100*share, n, 100*float64(fixed[scoring])/float64(n))
		if n != 1680 || share > .07 {
			t.Errorf("%s: %d of %d splits called different", scoring, called[scoring], n)
		}
	}
}

// count tests each split by itself and counts those called different: shown for any seeds,
// these for the tested seeds.
func count(on scores.Number, pairs []halves) (shown, these, n int) {
	for _, h := range pairs {
		c := &contrast.Contrast{A: h.a, B: h.b, On: on}
		f := contrast.Family{Contrasts: []*contrast.Contrast{c}}
		f.Test(&scores.Set{Systems: []*scores.System{h.a, h.b}})
		if c.Shown() {
			shown++
		}
		if c.Shown() || c.TheseSeedsToo {
			these++
		}
	}
	return shown, these, len(pairs)
}

// TestMeasuredComponents compares the variance components of the runs with those in the
// simulation of package stats. They are the standard deviations of a run about its loss,
// of a run and a query together, and of the training's effect from query to query.
func TestMeasuredComponents(t *testing.T) {
	squares := map[string]*[4]float64{} // sums of the three variances, and their number
	for _, p := range worlds(t) {
		for _, on := range p.View.Columns(p.Benchmarks[0]).Main() {
			untrained := values(p.View.Systems[len(p.View.Systems)-1].Trials, on)
			if squares[on.Scoring()] == nil {
				squares[on.Scoring()] = &[4]float64{}
			}
			for _, s := range p.View.Trained() {
				rows := values(s.Trials, on)
				l := stats.OneStratum(len(rows[0]))
				r, _ := stats.ReplicatesOf(l, rows)
				e, _ := l.Contrast(mean(rows, 1), mean(untrained, -1))
				deviation, _ := l.Deviation(e.Values)
				u, _ := stats.ReplicatesOf(l, untrained)
				n := float64(len(rows[0]))
				ofRuns := (r.Interaction + u.Interaction) * n / float64(len(rows)) // the share of deviation that comes from the runs
				for i, v := range []float64{r.Variance - r.Interaction, r.Interaction * n, deviation*deviation - ofRuns, 1} {
					squares[on.Scoring()][i] += v
				}
			}
		}
	}
	for scoring, s := range squares {
		t.Logf("%s: a run lies ±%.4f from its loss, ±%.4f more on a query; training moves a query by ±%.4f about its mean", scoring,
			root(s[0]/s[3]), root(s[1]/s[3]), root(s[2]/s[3]))
	}
	main := squares["p-MRR"]
	got := fmt.Sprintf("%.3f %.3f %.3f", root(main[0]/main[3]), root(main[1]/main[3]), root(main[2]/main[3]))
	if want := fmt.Sprintf("%.3f %.3f %.3f", .020, .145, .066); got != want {
		t.Errorf("p-MRR varies by %s, simulated is %s", got, want)
	}
}

func root(v float64) float64 { return math.Sqrt(max(0, v)) }

// values returns the values of runs for a number of one task, query by query.
func values(trials []*scores.Trial, on scores.Number) [][]float64 {
	var out [][]float64
	for _, t := range trials {
		out = append(out, t.Scores[on.Slots()[0]].Values)
	}
	return out
}

// mean returns a term of the mean of runs.
func mean(rows [][]float64, coefficient float64) stats.Term {
	t := stats.Term{Coefficient: coefficient, Values: make([]float64, len(rows[0]))}
	for _, row := range rows {
		for i, v := range row {
			t.Values[i] += v / float64(len(rows))
		}
	}
	return t
}
