package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRecentNull draws the constants of Recent.
func TestRecentNull(t *testing.T) {
	const n = 200_000
	r := rand.New(rand.NewPCG(5, 5))
	alike, mean, squares := 0, 0.0, 0.0
	for range n {
		var values, runs [RecentCommits]float64
		for i := range values {
			runs[i] = float64(1 + r.IntN(3))
			values[i] = r.NormFloat64() / math.Sqrt(runs[i])
		}
		if got, ok := (Recent{values, runs}).Replicates(); ok {
			alike++
			mean += got.Variance
			squares += got.Variance * got.Variance
		}
	}
	mean /= float64(alike)
	freedom := 2 * mean * mean / (squares/float64(alike) - mean*mean)
	t.Logf("variance %.3f of 1, freedom %.2f, %.3f with several changes", mean, freedom, 1-float64(alike)/n)
	if mean < .98 || mean > 1.05 || freedom < recentFreedom || freedom >= recentFreedom+1 {
		t.Errorf("variance %.3f of 1, freedom %.2f, of %d", mean, freedom, recentFreedom)
	}
	if alike < n*95/100 {
		t.Errorf("%d histories have no change, but %d are found to have several", n, n-alike)
	}
}

// TestRecent: one change anywhere does not count as noise, and two changes are noticed.
func TestRecent(t *testing.T) {
	once := [RecentCommits]float64{1, 1, 1, 1, 1}
	for _, c := range []struct {
		name   string
		values [RecentCommits]float64
		want   float64 // largest variance
		ok     bool
	}{
		{"nothing", [RecentCommits]float64{1, 1, 1, 1, 1}, 0, true},
		{"alternating", [RecentCommits]float64{0, 1, 0, 1.1, .1}, 1, true},
		{"a step after one", [RecentCommits]float64{62, 50, 50.5, 49.9, 50.3}, .2, true},
		{"a step after three", [RecentCommits]float64{50, 50.5, 49.9, 62, 62.4}, .2, true},
		{"a step with the last", [RecentCommits]float64{50, 50.5, 49.9, 50.3, 62}, 40, true}, // or a lucky run
		{"a drift", [RecentCommits]float64{50, 48.6, 47.1, 45.4, 44}, .1, true},
		{"up and down", [RecentCommits]float64{50, 50.5, 62, 62.4, 50.1}, 0, false},
		{"one commit that was off", [RecentCommits]float64{50, 50.5, 62, 50.1, 50.3}, 0, false},
	} {
		got, ok := Recent{c.values, once}.Replicates()
		if ok != c.ok || got.Variance > c.want {
			t.Errorf("%s: %+v, %v", c.name, got, ok)
		}
	}
}

// TestRecentLast: the last value is compared with the variation of the four before in several
// systems; without a change it is significant at level .05 in one case of twenty.
func TestRecentLast(t *testing.T) {
	const n, systems = 20_000, 3
	r, found := rand.New(rand.NewPCG(6, 6)), 0
	for range n {
		var all []Replicates
		var one Recent
		for range systems {
			for i := range one.Values {
				one.Runs[i] = float64(1 + r.IntN(3))
				one.Values[i] = r.NormFloat64() / math.Sqrt(one.Runs[i])
			}
			all = append(all, one.Earlier())
		}
		if one.Last(Pool(all)) < .05 {
			found++
		}
	}
	if share := float64(found) / n; share < .045 || share > .055 {
		t.Errorf("a change is found in %.3f of the histories without one", share)
	}
	moved := Recent{[RecentCommits]float64{50, 50.5, 49.9, 50.3, 62}, [RecentCommits]float64{1, 1, 1, 1, 1}}
	if p := moved.Last(Pool([]Replicates{moved.Earlier(), moved.Earlier()})); p > 1e-6 {
		t.Errorf("p = %v", p)
	}
	still := Recent{[RecentCommits]float64{1, 1, 1, 1, 1}, [RecentCommits]float64{1, 1, 1, 1, 1}}
	if p := still.Last(Pool([]Replicates{still.Earlier()})); p != 1 {
		t.Errorf("of nothing that varies p = %v", p)
	}
}
