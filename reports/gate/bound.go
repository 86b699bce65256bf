package gate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"infbench/internal/words"
	"infbench/metrics/stats"
)

// SeedBound is the standard deviation of a training run around its system that is assumed, in the
// native range, if the variation of its runs is unknown. It is three times the value that `make
// seeds-check` measures in p-MRR for two losses in three worlds with eight seeds each (±.020). Runs
// that vary more need several seeds a commit, such as a large model that fails to train with some
// seeds.
const SeedBound = .060

// boundFreedom is the number of degrees of freedom of that measurement: two losses in three worlds,
// eight runs each.
const boundFreedom = 2 * 3 * (8 - 1)

// boundWords describes the bound in messages.
var boundWords = fmt.Sprintf("a run assumed to vary by ±%s around its system", words.Fixed(100*SeedBound, 1))

// boundFor returns the bound on the variance of a measure's runs, or the observed variance if that
// is larger. It is nil for a measure whose range is not that of SeedBound.
func boundFor(measure string, seen float64) *stats.Seeds {
	if IsCount(measure) || unbounded(measure) {
		return nil
	}
	return &stats.Seeds{Variance: max(SeedBound*SeedBound, seen), Freedom: boundFreedom}
}

// boundOn returns the largest distance between two runs of one system at a level, by SeedBound; it
// is infinite for a measure without a bound.
func boundOn(measure string, level float64) float64 {
	if boundFor(measure, 0) == nil {
		return math.Inf(1)
	}
	return distuv.UnitNormal.Quantile(1-level/2) * math.Sqrt2 * SeedBound
}
