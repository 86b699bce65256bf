package stats

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

// Sign is the sign test: whether b beats a on half of the pairs that differ. Statistic is the
// number of pairs with b > a; P is the exact binomial p-value, as in scipy.stats.binomtest.
// Without any difference P = 1.
func Sign(a, b []float64) (Test, error) {
	d, err := differences(a, b, 1)
	if err != nil {
		return Test{}, fmt.Errorf("sign test: %w", err)
	}
	wins, losses := 0.0, 0.0
	for _, v := range d {
		switch {
		case v > 0:
			wins++
		case v < 0:
			losses++
		}
	}
	t := newTest("sign", "exact", d)
	t.Statistic = Defined(wins)
	t.P = min(1, 2*distuv.Binomial{N: wins + losses, P: 0.5}.CDF(min(wins, losses)))
	return t, nil
}
