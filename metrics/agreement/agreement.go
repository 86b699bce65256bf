// Package agreement measures how far raters, human or model, agree beyond chance: Cohen's
// kappa for two raters, Fleiss' kappa for a fixed panel, Krippendorff's alpha with missing
// ratings, and the human-against-model means of the paper's figure 4.
//
// A coefficient that the ratings do not determine is undefined, never 0 or 1. Examples are
// ratings without a shared item, or with only one category, so that chance alone agrees
// fully.
package agreement

import (
	"infbench/metrics/stats"
)

// Agreement is one coefficient and its components: Value = (Observed − Expected)/(1 −
// Expected), 1 for full agreement and 0 for chance.
type Agreement struct {
	N        int            `json:"n"`        // items that count
	Observed stats.Number   `json:"observed"` // observed agreement, in [0,1]; near misses count partly if weighted
	Expected stats.Number   `json:"expected"` // agreement by chance from the raters' label frequencies
	Value    stats.Number   `json:"value"`
	Interval stats.Interval `json:"interval"`
}

// newAgreement joins observed and expected agreement into a coefficient.
func newAgreement(n int, observed, expected float64) Agreement {
	a := Agreement{N: n, Observed: stats.Defined(observed), Expected: stats.Defined(expected)}
	if 1-expected > 1e-15 { // else chance agrees fully: 0/0
		a.Value = stats.Defined((observed - expected) / (1 - expected))
	}
	return a
}
