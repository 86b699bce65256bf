package contrast

import (
	"fmt"
	"strings"

	"infbench/internal/words"
)

// IntervalNotes returns the notes on the intervals of some contrasts: CoverageNotes and
// HolmNotes.
func IntervalNotes(all []*Contrast) []string { return append(CoverageNotes(all), HolmNotes(all)...) }

// CoverageNotes warns of intervals that contain the true value less often than stated,
// according to simulations of similar differences.
func CoverageNotes(all []*Contrast) []string {
	const named = 8
	var found []string
	for _, c := range all {
		coverage, zeros := c.Estimate.Coverage()
		if v, low := coverage.Get(); low && c.Why == "" {
			found = append(found, fmt.Sprintf("%s on %s about %.0f%% (n = %s, %.0f%% of them equal)", c.B.Label, c.On.Called(), 100*v, words.Group(c.N), 100*zeros))
		}
	}
	if len(found) == 0 {
		return nil
	}
	more := ""
	if len(found) > named {
		more = fmt.Sprintf(", and %d more", len(found)-named)
	}
	return []string{fmt.Sprintf("Few and skewed differences: in simulations, such 95%% intervals contain the true value less often: %s%s.", strings.Join(found[:min(named, len(found))], "; "), more)}
}
