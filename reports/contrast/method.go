package contrast

import (
	"fmt"

	"infbench/metrics/stats"
	"infbench/reports/words"
)

// PairedTest is how the contrasts of a family are tested, and how the interval of a
// mean is found beside it.
type PairedTest struct {
	Words    string
	Run      func(a, b []float64) (stats.Test, error)
	Interval func(rows ...[]float64) stats.Interval // of the mean of replicates by item; nil: none is needed
}

// PairedTest chooses the test of a family of m contrasts. A randomisation test
// of N sign flips cannot give a p below 1/(N+1), which over more than
// 0.05 (N+1) contrasts nothing would survive: larger families get Student's t,
// and its intervals, which need no resampling.
func (o Options) PairedTest(m int) PairedTest {
	if float64(m) > Significant*float64(o.Permutations+1) {
		return PairedTest{TWords, stats.T, meanT}
	}
	return PairedTest{fmt.Sprintf("paired randomisation tests of %s sign flips", words.Group(o.Permutations)), o.randomization, o.Bootstrap}
}

// SeedTest is how contrasts of runs of one seed are tested: over queries, of means
// over seeds, with the interval over both.
func (o Options) SeedTest() PairedTest {
	return PairedTest{"paired randomisation tests over queries", o.randomization, func(rows ...[]float64) stats.Interval {
		return stats.CrossedMean(rows, Level, o.Resamples, o.Seed)
	}}
}

func (o Options) randomization(a, b []float64) (stats.Test, error) {
	return stats.Randomization(a, b, o.Permutations, o.Seed)
}

// Bootstrap is the BCa interval of a mean over the items of one row.
func (o Options) Bootstrap(rows ...[]float64) stats.Interval {
	return stats.BootstrapMean(rows[0], Level, o.Resamples, o.Seed)
}

// TWords names the tests of large families.
const TWords = "paired t tests and intervals"

// meanT is the t interval of the mean of one row.
func meanT(rows ...[]float64) stats.Interval {
	mean, half, known := stats.MeanT(rows[0], (1+Level)/2)
	if !known {
		return stats.Interval{}
	}
	return stats.Interval{Low: mean - half, High: mean + half, Level: Level}
}
