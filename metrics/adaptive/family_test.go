package adaptive

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"infbench/internal/testkit"
)

// equal returns n equal weights.
func equal(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// An experiment with three contrasts and four looks. The first contrast is clear at the first
// look; the second at the last look, with the share of alpha that the first passed on; the
// third never.
func ExampleFamily() {
	f := NewFamily(equal(3), .05, OBrienFleming)
	for _, share := range []float64{.25, .5, .75, 1} {
		se := 1 / math.Sqrt(share)
		f.Look([]Evidence{{9, se, 200, share}, {-2.3, se, 200, share}, {.4, se, 200, share}}, false)
		for i, s := range f.Standings() {
			fmt.Printf("%s %.2f of %.2f", s.Side, math.Abs(s.Deviate), s.Limit)
			if i < 2 {
				fmt.Print("; ")
			}
		}
		fmt.Println()
	}
	// Output:
	// open 4.39 of 5.15; open 1.15 of 5.15; open 0.20 of 5.15
	// above 6.07 of 3.55; open 1.62 of 3.34; open 0.28 of 3.34
	// above 6.07 of 3.55; open 1.98 of 2.67; open 0.35 of 2.67
	// above 6.07 of 3.55; below 2.28 of 2.28; open 0.40 of 2.01
}

// evidenceOf draws contrasts whose estimates share noise, at some shares of the information:
// values[look][contrast].
func evidenceOf(r *rand.Rand, truth, shares []float64, freedom float64) [][]Evidence {
	out := make([][]Evidence, len(shares))
	sums := make([]float64, len(truth))
	before := 0.0
	for k, share := range shares {
		step := math.Sqrt(share - before)
		common := r.NormFloat64()
		for i, at := range truth {
			sums[i] += step * (math.Sqrt(.5)*common + math.Sqrt(.5)*r.NormFloat64())
			out[k] = append(out[k], Evidence{Value: at + sums[i]/share, StandardError: 1 / math.Sqrt(share), Freedom: freedom, Share: share})
		}
		before = share
	}
	return out
}

// In 2,000 experiments of six contrasts with shared noise, some of them zero, at most a share
// of alpha has any false verdict, or any interval that misses at any look. Stopping when the
// data please does not change that.
func TestFamilyHoldsAlpha(t *testing.T) {
	const experiments, ofIntervals, alpha = 2000, 40, .05
	most := func(of float64) int { return int(of*alpha + 2.6*math.Sqrt(of*alpha*(1-alpha))) } // upper 99.5 % limit of such counts
	for name, truth := range map[string][]float64{
		"all zero":  {0, 0, 0, 0, 0, 0},
		"half zero": {0, 3, 0, -4, 0, 9},
		"one zero":  {2, 3, 5, -4, 0, 9},
	} {
		if name != "half zero" && !testkit.IsDeep() {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(len(name)), 7))
		wrong, missed, shown := 0, 0, 0
		for n := range experiments {
			f := NewFamily(equal(len(truth)), alpha, OBrienFleming)
			any, outside := false, false
			for _, e := range evidenceOf(r, truth, []float64{.2, .4, .55, .8, 1}, 1e6) {
				f.Look(e, false)
				for i, s := range f.Sides() {
					any = any || s == Above && truth[i] <= 0 || s == Below && truth[i] >= 0
				}
				if n >= ofIntervals {
					continue // slow
				}
				for i, s := range f.Standings() {
					outside = outside || s.Interval.Level > 0 && !(s.Interval.Low <= truth[i] && truth[i] <= s.Interval.High)
				}
			}
			if any {
				wrong++
			}
			if outside {
				missed++
			}
			for i, m := range f.contrasts {
				if truth[i] != 0 && m.side != Open {
					shown++
				}
			}
		}
		t.Logf("%s: any false verdict %.3f, any interval that misses %.3f, %d shown", name, float64(wrong)/experiments, float64(missed)/ofIntervals, shown)
		if wrong > most(experiments) || missed > most(ofIntervals) {
			t.Errorf("%s: %d of %d false, of %d intervals miss %d", name, wrong, experiments, ofIntervals, missed)
		}
	}
}

// A settled contrast stays settled. A look without new information, or without a standard
// error, does not count.
func TestLooksThatDoNotCount(t *testing.T) {
	f := NewFamily(equal(2), .05, OBrienFleming)
	at := func(value, se, freedom, share float64) []Standing {
		f.Look([]Evidence{{value, se, freedom, share}, {0, 1, 50, .5}}, false)
		return f.Standings()
	}
	for _, none := range []Evidence{{}, {1, 0, 9, .5}, {1, 1, .5, .5}, {math.NaN(), 1, 9, .5}, {1, 1, 9, 0}} {
		if s := at(none.Value, none.StandardError, none.Freedom, none.Share)[0]; s.Looks != 0 || s.Side != Open || s.Interval.Level != 0 {
			t.Errorf("%+v counts: %+v", none, s)
		}
	}
	if s := at(.1, 1, 50, .5)[0]; s.Looks != 1 {
		t.Errorf("the first look: %+v", s)
	}
	if s := at(99, 1, 50, .505)[0]; s.Looks != 1 || s.Side != Open {
		t.Errorf("a look with hardly more: %+v", s)
	}
	if s := at(99, 1, 50, .6)[0]; s.Looks != 2 || s.Side != Above {
		t.Errorf("a plain difference: %+v", s)
	}
	if s := at(-99, 1, 50, .9)[0]; s.Side != Above || s.Value != 99 {
		t.Errorf("the settled contrast: %+v", s)
	}
}

// The last look uses the rest of alpha and ends the contrast.
func TestLastLook(t *testing.T) {
	early, last := NewFamily(equal(1), .05, OBrienFleming), NewFamily(equal(1), .05, OBrienFleming)
	e := []Evidence{{2, 1, 1e6, .5}}
	early.Look(e, false)
	last.Look(e, true)
	if a, b := early.Standings()[0], last.Standings()[0]; a.Side != Open || b.Side != Above || math.Abs(b.Limit-1.95996) > 1e-3 {
		t.Errorf("%+v and %+v: at the last look a deviate of 2 is beyond 1.96", a, b)
	}
	f := NewFamily(equal(1), .05, OBrienFleming)
	f.Look([]Evidence{{1, 1, 1e6, .5}}, true)
	f.Look([]Evidence{{9, 1, 1e6, .9}}, false)
	if s := f.Standings()[0]; s.Side != Open || s.Looks != 1 {
		t.Errorf("after the last look: %+v", s)
	}
}

// The last look also spends the rest of alpha on a contrast without new information since the
// look before: with one look, or with two at the same information, a deviate of 2 is beyond
// its limit.
func TestLastLookWithoutMore(t *testing.T) {
	f := NewFamily(equal(1), .05, OBrienFleming)
	e := []Evidence{{2, 1, 1e6, .5}}
	f.Look(e, false)
	f.Look(e, true)
	if s := f.Standings()[0]; s.Side != Above || s.Looks != 1 || math.Abs(s.Limit-1.95996) > 1e-3 {
		t.Errorf("%+v: the budget is spent, and nothing of alpha was", s)
	}
}

// A contrast is tested at the share of its weight among the open contrasts. Contrasts of
// another claim do not reduce its share.
func TestWeights(t *testing.T) {
	f := NewFamily([]float64{1, .25, .25, .25, .25}, .05, OBrienFleming)
	f.Look([]Evidence{{2.3, 1, 1e6, 1}, {9, 1, 1e6, 1}, {9, 1, 1e6, 1}, {9, 1, 1e6, 1}, {2, 1, 1e6, 1}}, false)
	want := []Standing{{Side: Above, Level: .025}, {Side: Above, Level: .0125}, {Side: Above, Level: .05 / 3}, {Side: Above, Level: .025}, {Side: Above, Level: .05}}
	for i, s := range f.Standings() {
		if s.Side != want[i].Side || math.Abs(s.Level-want[i].Level) > 1e-12 {
			t.Errorf("contrast %d is %s at %.5f, want %s at %.5f", i, s.Side, s.Level, want[i].Side, want[i].Level)
		}
	}
}
