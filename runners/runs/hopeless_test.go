package runs

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"infbench/metrics"
	"infbench/runners/results"
)

// simulated runs one cell against finished ones, with values for each query, noise for each
// cell and each look, and a lag on every query. It reports whether any look stopped the cell.
func simulated(rng *rand.Rand, lag float64) bool {
	const queries, cells, looks = 100, 5, 10
	difficulty := make([]float64, queries)
	for q := range difficulty {
		difficulty[q] = rng.Float64()
	}
	draw := func(shift, noise float64) []float64 {
		values := make([]float64, queries)
		for q := range values {
			values[q] = difficulty[q] + shift + noise*rng.NormFloat64()
		}
		return values
	}
	named := func(values []float64) (map[string]*float64, float64) {
		m, sum := map[string]*float64{}, 0.0
		for q := range values {
			m[fmt.Sprintf("%03d", q)] = &values[q]
			sum += values[q]
		}
		return m, sum / queries
	}
	var rivals []Rival
	for range cells {
		values, mean := named(draw(0, 0.2))
		rivals = append(rivals, Rival{Values: values, Mean: mean})
	}
	own := draw(-lag, 0.2)
	for range looks {
		now := make([]float64, queries)
		for q := range now {
			now[q] = own[q] + 0.1*rng.NormFloat64()
		}
		values, _ := named(now)
		if JudgeTrial(metrics.Higher, values, rivals, looks, 0.05).Hopeless {
			return true
		}
	}
	return false
}

// TestJudgeErrorRate checks that a cell that is as good as the finished ones is stopped by
// chance in at most alpha of all sweeps, with all its looks and the choice of the best rival,
// and that a lagging cell is almost always stopped.
func TestJudgeErrorRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	const runs = 1000
	wrong, right := 0, 0
	for range runs {
		if simulated(rng, 0) {
			wrong++
		}
	}
	for range runs / 10 {
		if simulated(rng, 0.2) {
			right++
		}
	}
	t.Logf("stopped: %.3f of equal cells (alpha 0.05), %.2f of lagging ones", float64(wrong)/runs, float64(right)/(runs/10))
	if wrong > runs*5/100 {
		t.Errorf("%d of %d equal cells were stopped, want at most %d", wrong, runs, runs*5/100)
	}
	if right < runs/10*95/100 {
		t.Errorf("%d of %d lagging cells were stopped", right, runs/10)
	}
}

// TestJudge computes a case by hand: alternating differences of -0.5 and -0.3, 25 in all, have
// a mean of -0.404 and a standard deviation of 0.102; t(0.95, 24) is 1.711, so u = -0.369
// (table of Student's t).
func TestJudge(t *testing.T) {
	values, best, worse := map[string]*float64{}, map[string]*float64{}, map[string]*float64{}
	for q := range 25 {
		x, y, z := 0.5-0.2*float64((q+1)%2), 0.8, 0.1
		name := fmt.Sprintf("%02d", q)
		values[name], best[name], worse[name] = &x, &y, &z
	}
	rivals := []Rival{{ID: "best", Values: best, Mean: 0.8}}
	v := JudgeTrial(metrics.Higher, values, rivals, 1, 0.05)
	if !v.Hopeless || v.Rival != "best" || v.Queries != 25 || fmt.Sprintf("%.3f %.3f", v.Difference, v.Upper) != "-0.404 -0.369" {
		t.Errorf("%+v", v)
	}
	both := append(rivals, Rival{ID: "worse", Values: worse, Mean: 0.1})
	if more := JudgeTrial(metrics.Higher, values, both, 10, 0.05); more.Rival != "best" || more.Upper <= v.Upper {
		t.Errorf("more looks and rivals: %+v, one: %+v", more, v)
	}
	both[1].Gain = 0.4 // a late bloomer among the finished ones
	if v := JudgeTrial(metrics.Higher, values, both, 1, 0.05); v.Hopeless || v.Gain != 0.4 {
		t.Errorf("a gain of 0.4 is still possible: %+v", v)
	}
	few := map[string]*float64{}
	for q := range leastQueries - 1 {
		few[fmt.Sprintf("%02d", q)] = values["00"]
	}
	if v := JudgeTrial(metrics.Higher, few, rivals, 1, 0.05); v.Hopeless {
		t.Error("stopped on too few queries")
	}
	if v := JudgeTrial(metrics.Higher, values, nil, 1, 0.05); v.Hopeless {
		t.Error("stopped without a rival")
	}
}

func TestGainFrom(t *testing.T) {
	list := []results.Evaluation{{Step: 10, Value: .1}, {Step: 20, Value: .3}, {Step: 30, Value: .2}, {Step: 40, Value: .6}}
	for share, want := range map[float64]string{0.2: "0.0 false", 0.25: "0.5 true", 0.5: "0.3 true", 0.75: "0.3 true", 1: "0.0 true"} {
		gain, known := GainFrom(metrics.Higher, list, share)
		if got := fmt.Sprintf("%.1f %t", gain, known); known && got != want || !known && want != "0.0 false" {
			t.Errorf("from %v: %s, want %s", share, got, want)
		}
	}
}

// TestJudgeOfLower checks that a measure that is better when lower has the verdict and figures
// of the values with opposite sign, and the opposite verdict of the values themselves.
func TestJudgeOfLower(t *testing.T) {
	own, low, high := map[string]*float64{}, map[string]*float64{}, map[string]*float64{}
	for q := range 25 {
		x, y, z := 0.5+0.2*float64(q%2), 0.1, 0.9
		name := fmt.Sprintf("%02d", q)
		own[name], low[name], high[name] = &x, &y, &z
	}
	rivals := []Rival{{ID: "high", Values: high, Mean: 0.9}, {ID: "low", Values: low, Mean: 0.1}}
	v := JudgeTrial(metrics.Lower, own, rivals, 1, 0.05)
	if !v.Hopeless || v.Rival != "low" || v.Difference >= 0 || v.Upper >= 0 {
		t.Errorf("behind the lowest: %+v", v)
	}
	if v := JudgeTrial(metrics.Lower, own, rivals[:1], 1, 0.05); v.Hopeless || v.Difference <= 0 {
		t.Errorf("ahead of the highest: %+v", v)
	}
	rivals[0].Gain = 1 // from 1.9 to 0.9, say
	if v := JudgeTrial(metrics.Lower, own, rivals, 1, 0.05); v.Hopeless || v.Gain != 1 {
		t.Errorf("a finished cell still gained 1: %+v", v)
	}
	if v := JudgeTrial(metrics.Neither, own, rivals, 1, 0.05); v.Hopeless {
		t.Errorf("without a direction: %+v", v)
	}
}

func TestGainFromOfLower(t *testing.T) {
	list := []results.Evaluation{{Step: 10, Value: .9}, {Step: 20, Value: .7}, {Step: 30, Value: .8}, {Step: 40, Value: .4}}
	for share, want := range map[float64]string{0.25: "0.5 true", 0.5: "0.3 true", 0.75: "0.3 true", 1: "0.0 true"} {
		gain, known := GainFrom(metrics.Lower, list, share)
		if got := fmt.Sprintf("%.1f %t", gain, known); got != want {
			t.Errorf("from %v: %s, want %s", share, got, want)
		}
	}
}
