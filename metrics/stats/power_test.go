package stats_test

import (
	"testing"

	"infbench/metrics/stats"
)

// Expected: statsmodels 0.13.5 TTestPower.power and solve_power (198.15, 89.15,
// 33.37, 9.94 rounded up).
func TestPower(t *testing.T) {
	for _, c := range []struct {
		dz   float64
		n    int
		want float64
	}{
		{0.3, 52, 0.564574454865953},
		{0.5, 32, 0.7822760116541025},
		{0.2, 20, 0.135956288767378},
		{0.8, 10, 0.6162327634936938},
		{0, 10, 0.05}, // no effect: the false claims
	} {
		near(t, "power", value(t, "power", stats.Power(c.dz, c.n, 0.05)), c.want, 1e-8)
		near(t, "power of -dz", value(t, "power", stats.Power(-c.dz, c.n, 0.05)), c.want, 1e-8)
	}
	for dz, want := range map[float64]int{0.2: 199, 0.3: 90, 0.5: 34, 1: 10} {
		if got, ok := stats.TopicsNeeded(dz, 0.8, 0.05); !ok || got != want {
			t.Errorf("topics needed for %v = %d, %v; want %d", dz, got, ok, want)
		}
	}
	if n, ok := stats.TopicsNeeded(0, 0.8, 0.05); ok {
		t.Errorf("no effect is found with %d topics", n)
	}
	if _, ok := stats.Power(0.5, 1, 0.05).Get(); ok {
		t.Error("power of one topic is defined")
	}
}
