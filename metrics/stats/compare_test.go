package stats_test

import (
	"math"
	"testing"

	"infbench/metrics/stats"
)

// decimals returns values of two systems whose differences have the signs of text: every +
// and - is the same difference computed with different floats; = is a pair of equal values.
func decimals(text string) (a, b []float64) {
	for i, sign := range text {
		base := float64(i%8) / 10
		up := float64(i%8+1) / 10
		switch sign {
		case '+':
			a, b = append(a, base), append(b, up)
		case '-':
			a, b = append(a, up), append(b, base)
		case '=': // one value, added up in two orders
			a, b = append(a, .1+.2+.3), append(b, .3+.2+.1)
		}
	}
	return a, b
}

// Differences of .1 and of 0 that have several sizes as floats. Expected p from scipy 1.17.1
// wilcoxon(correction=False) and binomtest of the differences rounded to 10 decimals; those
// of n = 4 and 6 were also counted by hand over sign patterns.
func TestTiesIgnoreRounding(t *testing.T) {
	for _, c := range []struct {
		differences        string
		wins, ties, losses int
		sign, wilcoxon     float64
		method             string
	}{
		{"++++++++-------+++++++--------", 15, 0, 15, 1, 1, "normal"},
		{"+++-", 3, 0, 1, .625, .625, "exact"},       // W- = 2.5: 5 of 16 patterns have at most that, doubled
		{"++++++", 6, 0, 0, .03125, .03125, "exact"}, // 1 of 64, doubled
		{"++++++++=====", 8, 5, 0, .0078125, .0078125, "exact"},
		{"==============", 0, 14, 0, 1, 1, "normal"},
		{"++++++++++++----", 12, 0, 4, .076812744140625, .04550026389635839, "normal"}, // z = -2
	} {
		a, b := decimals(c.differences)
		got, err := plan("sign").Versus(once(a, b))
		if err != nil {
			t.Fatal(err)
		}
		v := got[1]
		if v.Wins != c.wins || v.Ties != c.ties || v.Losses != c.losses {
			t.Errorf("%s: %d/%d/%d", c.differences, v.Wins, v.Ties, v.Losses)
		}
		near(t, c.differences+" sign", v.P, c.sign, 1e-12)
		w, err := stats.Wilcoxon(a, b, stats.DropZeros)
		if err != nil || w.Method != c.method {
			t.Errorf("%s: %+v, %v", c.differences, w, err)
		}
		near(t, c.differences+" wilcoxon", w.P, c.wilcoxon, 1e-12)
		if back, _ := stats.Wilcoxon(b, a, stats.DropZeros); back.P != w.P {
			t.Errorf("%s: %v there, %v back", c.differences, w.P, back.P)
		}
	}
}

// A difference caused by rounding alone counts as none in a test, an effect, an estimate, a
// rank and a count of moved queries.
func TestRoundingIsIgnored(t *testing.T) {
	a, b := decimals("====================")
	tests := allTests(t, a, b)
	tukey, err := stats.TukeyHSD([][]float64{a, b})
	if err != nil {
		t.Fatal(err)
	}
	tests["tukey"] = stats.Test{P: tukey[0].P}
	for name, got := range tests {
		if got.P != 1 || got.MeanDifference != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if e, _ := stats.OneStratum(len(a)).Contrast(stats.Term{Coefficient: -1, Values: a}, stats.Term{Coefficient: 1, Values: b}); e.Value != 0 || e.P() != 1 {
		t.Errorf("estimate %v with p %v", e.Value, e.P())
	}
	if got := stats.Moved(a, b, 9); got != nil {
		t.Errorf("moved: %v", got)
	}
	if d := stats.CliffDelta(a, b); d != stats.Defined(0) {
		t.Errorf("delta %v", d)
	}
	if _, some := stats.CohenDz(a, b).Get(); some {
		t.Error("an effect")
	}
	means := []float64{.1 + .2, .3}
	ranks := stats.Ranks(means, func(a, b int) bool { return true })
	if ranks[0].Low != ranks[1].Low || ranks[0].High != ranks[1].High {
		t.Errorf("ranks %+v", ranks)
	}
}

func TestCompare(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		a, b float64
		want int
	}{
		{.1 + .2, .3, 0}, {.3, .3 + 1e-9, -1}, {.3 + 1e-9, .3, 1}, {1e-17, 0, 0}, {-1e-17, 1e-17, 0},
		{72.1 - .3, 71.8, 0}, {1e6 + .1, 1e6 + .2, -1}, // counts and percent
		{inf, 1, 1}, {1, inf, -1}, {-inf, inf, -1}, {inf, inf, 0}, {math.NaN(), 1, 0}, {1, math.NaN(), 0},
	} {
		if got := stats.Compare(c.a, c.b); got != c.want {
			t.Errorf("%v with %v: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
