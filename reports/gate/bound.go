package gate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"infbench/internal/words"
	"infbench/metrics/stats"
)

// SeedBound is the standard deviation that a training run is taken to have about its
// system, in the native range, where nothing tells how its runs vary: three times what
// `make seeds-check` measures in p-MRR, of two losses in three worlds with eight seeds each
// (±.020). Runs that vary more, such as a large model of which some seeds fail to train,
// need several seeds a commit.
const SeedBound = .060

// boundFreedom is the degrees of freedom of that measurement: two losses in three worlds,
// eight runs each.
const boundFreedom = 2 * 3 * (8 - 1)

// boundWords are how messages name the bound.
var boundWords = fmt.Sprintf("a run taken to lie ±%s from its system", words.Fixed(100*SeedBound, 1))

// boundFor returns the bound for a measure as what runs vary by, no less than so large a
// variance that was seen; nil of a measure whose range is not that of SeedBound.
func boundFor(measure string, seen float64) *stats.Seeds {
	if IsCount(measure) || unbounded(measure) {
		return nil
	}
	return &stats.Seeds{Variance: max(SeedBound*SeedBound, seen), Freedom: boundFreedom}
}

// boundOn is how far two runs of one system lie apart at most at a level, by SeedBound; no
// distance is too far for a measure without a bound.
func boundOn(measure string, level float64) float64 {
	if boundFor(measure, 0) == nil {
		return math.Inf(1)
	}
	return distuv.UnitNormal.Quantile(1-level/2) * math.Sqrt2 * SeedBound
}
