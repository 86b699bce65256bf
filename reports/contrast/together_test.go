package contrast

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"infbench/internal/testkit"
	"infbench/metrics/stats"
)

// mixture is a family of independent contrasts, some of them so far from 0 that Holm
// always finds them.
type mixture struct{ all, far int }

// mixtures vary the share of contrasts far from 0. The worst case for an interval is that
// all but one, or all but a few, are far off, because Holm steps down.
var mixtures = []mixture{{2, 1}, {3, 2}, {5, 4}, {10, 0}, {10, 5}, {10, 8}, {10, 9}, {10, 10}, {15, 0}, {15, 7}, {15, 12}, {15, 14}, {30, 27}, {30, 29}}

// TestIntervalsTogether checks that the intervals shown on pages contain the truth all
// together in 95 of 100 families, for any share of contrasts far from 0, also with unequal
// weights. In at most 5 of 100 families a contrast of 0 is significant.
func TestIntervalsTogether(t *testing.T) {
	replicates, all := 3000, []mixture{{10, 9}, {15, 12}}
	full := os.Getenv("INFBENCH_COVERAGE") != ""
	if full {
		replicates, all = 6000/testkit.Share("INFBENCH_COVERAGE"), mixtures
	}
	for _, m := range all {
		for _, weighted := range []bool{false, true}[:1+len(all)/len(mixtures)] {
			t.Run(fmt.Sprintf("%d of %d far off, weighted %t", m.far, m.all, weighted), func(t *testing.T) {
				t.Parallel()
				covered, claimed := m.run(replicates, weighted)
				if full {
					fmt.Printf("%d contrasts, %d far off, weighted %t: all intervals together %.2f, any of 0 shown %.2f\n", m.all, m.far, weighted, 100*covered, 100*claimed)
				}
				chance := 3 * math.Sqrt(.05*.95/float64(replicates))
				if covered < .95-chance || claimed > .05+chance {
					t.Errorf("all intervals hold in %.4f, one of 0 is shown in %.4f", covered, claimed)
				}
			})
		}
	}
}

// run returns the share of families whose intervals all contain the truth, and of those in
// which a contrast of 0 is significant.
func (m mixture) run(replicates int, weighted bool) (covered, claimed float64) {
	const items, far = 30, 10 // in standard errors
	r := rand.New(rand.NewPCG(uint64(m.all), uint64(m.far)))
	values := make([]float64, items)
	for range replicates {
		f, truth := &Family{}, make([]float64, m.all)
		for i := range truth {
			if i < m.far {
				truth[i] = far * math.Sqrt(1./items)
			}
			for q := range values {
				values[q] = truth[i] + r.NormFloat64()
			}
			e, _ := stats.OneStratum(items).Contrast(stats.Term{Coefficient: 1, Values: values})
			c := Given(e, 0, 0)
			if weighted {
				c.Weight = 1 + float64(i%3)
			}
			f.Contrasts = append(f.Contrasts, c)
		}
		f.Correct()
		all, any := 1.0, 0.0
		for i, c := range f.Contrasts {
			interval := c.Interval() // needs a quantile: most of the time is spent here
			if !interval.Contains(truth[i]) {
				all = 0
			}
			if c.Shown() && truth[i] == 0 {
				any = 1
			}
			if c.ByHolmAlone() != (c.Shown() && interval.Contains(0)) {
				panic(fmt.Sprintf("%v with %v: by Holm alone: %t", interval, c.Adjusted, c.ByHolmAlone()))
			}
		}
		covered, claimed = covered+all, claimed+any
	}
	return covered / float64(replicates), claimed / float64(replicates)
}
