package suites_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"infbench/metrics/suites"
)

// On complete rankings the responsiveness of an instruction is within [-1,1] for any ranking:
// 1 for the best possible ranking, -1 for the worst, 0 if nothing moves.
func TestResponsivenessOfCompleteRankings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 2 + random.IntN(12)
		var docs []string
		for i := range n {
			docs = append(docs, fmt.Sprint(i))
		}
		p := 1 + random.IntN(n-1)
		m := random.IntN(n - p + 1)
		wanted, unwanted := docs[:p], docs[p:p+m]
		before, now := shuffled(random, docs), shuffled(random, docs)
		if v := suites.Responsiveness(now, before, wanted, unwanted, n); v < -1-1e-12 || v > 1+1e-12 {
			t.Fatalf("%v from %v to %v, for %v against %v", v, before, now, wanted, unwanted)
		}
		if v := suites.Responsiveness(before, before, wanted, unwanted, n); v != 0 {
			t.Fatalf("%v where nothing moves", v)
		}
		best := slices.Concat(wanted, docs[p+m:], unwanted)
		worst := slices.Concat(unwanted, docs[p+m:], wanted)
		if v := suites.Responsiveness(best, worst, wanted, unwanted, n); p+m < n || m > 0 {
			if math.Abs(v-1) > 1e-12 {
				t.Fatalf("%v from the worst ranking to the best", v)
			}
			if v := suites.Responsiveness(worst, best, wanted, unwanted, n); math.Abs(v+1) > 1e-12 {
				t.Fatalf("%v from the best ranking to the worst", v)
			}
		}
	}
}

// A document that both rankings lack is below the worst rank of the formula, so the worst
// ranking can be better than the baseline. The size of the room still counts, and a fall
// stays below 0.
func TestResponsivenessBelowTheWorstRanking(t *testing.T) {
	wanted := []string{"a", "b"}
	got := suites.Responsiveness([]string{"x"}, []string{"x", "a"}, wanted, nil, 3)
	// baseline 1/log2(3) + 1/log2(5), now 2/log2(5), worst 1/log2(3) + 1/log2(4)
	moved, room := 1/math.Log2(5)-1/math.Log2(3), 1/math.Log2(4)-1/math.Log2(5)
	if want := moved / room; !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%v, want %v", got, want)
	}
}

func shuffled(random *rand.Rand, docs []string) []string {
	docs = slices.Clone(docs)
	random.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return docs
}

// The ideal of alpha-nDCG, all marginal gains sorted, is that of the best of all orders.
func TestAlphaNDCGIdealIsTheBestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	gold := []string{"a", "b", "c", "d", "e"}
	for range 200 {
		aspects := suites.Normalise([]suites.Aspect{{ID: "1", Weight: float64(1 + random.IntN(5))}, {ID: "2", Weight: float64(1 + random.IntN(5))}, {ID: "3", Weight: 1}})
		for _, doc := range gold {
			i := random.IntN(len(aspects))
			aspects[i].Docs = append(aspects[i].Docs, doc)
		}
		k, alpha, best := 1+random.IntN(5), random.Float64(), 0.0
		for order := range permutations(gold) {
			v, ok := suites.AlphaNDCG(order, gold, aspects, k, alpha)
			if !ok {
				t.Fatal("no ideal")
			}
			best = max(best, v)
		}
		if math.Abs(best-1) > 1e-12 {
			t.Fatalf("the best order of %v has %v", aspects, best)
		}
	}
}

// permutations yields all orders of a list.
func permutations(list []string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) { permute(slices.Clone(list), 0, yield) }
}

func permute(list []string, from int, yield func([]string) bool) bool {
	if from == len(list) {
		return yield(list)
	}
	for i := from; i < len(list); i++ {
		list[from], list[i] = list[i], list[from]
		if !permute(list, from+1, yield) {
			return false
		}
		list[from], list[i] = list[i], list[from]
	}
	return true
}

// For 150 answers that are all certain and all wrong the calibration error is 1; the
// published script gives 0, because its only bin is also its last.
func TestPublishedCalibrationError(t *testing.T) {
	var answers []suites.Answer
	for range 150 {
		answers = append(answers, suites.Answer{Confidence: 1})
	}
	if v, ok := suites.CalibrationError(answers); !ok || v != 1 {
		t.Errorf("calibration error %v, %v; want 1", v, ok)
	}
	if v := suites.PublishedCalibrationError(answers); v != 0 {
		t.Errorf("the published one is %v, want 0", v)
	}
	if _, ok := suites.CalibrationError(nil); ok {
		t.Error("a calibration error of no answers")
	}
	// A right bin of 100 at 0.8 confidence, a wrong one of 100 at 0.9: sqrt((0.2² + 0.9²)/2).
	answers = nil
	for i := range 200 {
		right := i%2 == 0
		answers = append(answers, suites.Answer{Confidence: map[bool]float64{true: 0.8, false: 0.9}[right], Right: right})
	}
	if v, _ := suites.CalibrationError(answers); math.Abs(v-math.Sqrt((0.04+0.81)/2)) > 1e-12 {
		t.Errorf("calibration error %v", v)
	}
}

func TestCitedIn(t *testing.T) {
	for answer, want := range map[string][]string{
		"as [12] and 【7】 say":            {"12", "7"},
		"[3, 4] and [4]":                 {"3", "4"},
		"[see 2021]":                     {"2021"},
		"none [] here, 55 outside":       nil,
		"[[8]] nests, [a [9] b] as well": {"8", "9"},
	} {
		if got := suites.CitedIn(answer); !slices.Equal(got, want) {
			t.Errorf("%q cites %q, want %q", answer, got, want)
		}
	}
}

// Nothing to average gives no value.
func TestNothing(t *testing.T) {
	_, aer := suites.EfficiencyQuality(nil, 0.05)
	_, coverage := suites.CoverageOf(nil, nil)
	_, _, wins := suites.WinRate(nil)
	_, falls := suites.MonotonicityOf(nil)
	_, flips := suites.FlipRate(nil, nil)
	_, spread := suites.SpreadOf(nil)
	if aer || coverage || wins || falls || flips || spread {
		t.Error("a mean of nothing", aer, coverage, wins, falls, flips, spread)
	}
}

// Values 1, 2, 3 and 6 have mean 3 and squares 4, 1, 0 and 9.
func TestSpread(t *testing.T) {
	s, ok := suites.SpreadOf([]float64{1, 2, 3, 6})
	if !ok || s.N != 4 || s.Mean != 3 || s.Lowest != 1 || s.Highest != 6 || s.Population != math.Sqrt(3.5) || s.Sample != math.Sqrt(14./3) {
		t.Errorf("%+v", s)
	}
	if s, _ := suites.SpreadOf([]float64{2}); s.Population != 0 || !math.IsNaN(s.Sample) {
		t.Errorf("of one prompt: %+v", s)
	}
}

// A model that leads the Borda rank although it lacks a task has no means, and lists that
// task.
func TestBoardListsMissingTasks(t *testing.T) {
	board := suites.Board(map[string]map[string]float64{"m": {"A": 9, "B": 9}, "n": {"A": 1, "B": 1, "C": 1}, "none": {}},
		map[string]string{"A": "X", "B": "X", "C": "Y"})
	m := board["m"]
	if len(board) != 2 || m.Rank != 1 || m.MeanTask != nil || m.MeanType != nil || !slices.Equal(m.Missing, []string{"C"}) || board["n"].Missing != nil {
		t.Errorf("%+v of %v", m, board)
	}
}

// By hand: means over prompts of .1 and .2, and of .3 and .0, tie; so do .1+.2 and .3. If two
// of three models tie at the top, they share ranks 1 and 2: 3 - 1.5 points each.
func TestBoardTiesIgnoreRounding(t *testing.T) {
	mean := func(v ...float64) float64 { s, _ := suites.SpreadOf(v); return s.Mean }
	for _, c := range []struct {
		scores []float64 // scores of a, b and c
		points []float64
		ranks  []int
	}{
		{[]float64{mean(.1, .2), mean(.3, 0)}, []float64{.5, .5}, []int{1, 1}},
		{[]float64{.1 + .2, .3, .1}, []float64{1.5, 1.5, 0}, []int{1, 1, 3}},
		{[]float64{.3, .1 + .2, .4}, []float64{.5, .5, 2}, []int{2, 2, 1}},
		{[]float64{72.1 - .3, 71.8, 71.8 + 1e-6}, []float64{.5, .5, 2}, []int{2, 2, 1}},
	} {
		scores := map[string]map[string]float64{}
		for i, v := range c.scores {
			scores["abc"[i:i+1]] = map[string]float64{"t": v}
		}
		board := suites.Board(scores, nil)
		for i := range c.scores {
			if s := board["abc"[i:i+1]]; s.Points != c.points[i] || s.Rank != c.ranks[i] {
				t.Errorf("%v: system %d has %v points and rank %d, want %v and %d", c.scores, i, s.Points, s.Rank, c.points[i], c.ranks[i])
			}
		}
	}
}
