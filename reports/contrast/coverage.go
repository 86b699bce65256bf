package contrast

import (
	"fmt"
	"strings"

	"infbench/internal/words"
)

// IntervalNotes say what to know of the intervals of some contrasts: CoverageNotes and
// HolmNotes.
func IntervalNotes(all []*Contrast) []string { return append(CoverageNotes(all), HolmNotes(all)...) }

// CoverageNotes warn of the intervals among some that hold the true value less often
// than they say, as far as simulation tells of differences that look like theirs.
func CoverageNotes(all []*Contrast) []string {
	const named = 8
	var found []string
	for _, c := range all {
		coverage, zeros := c.Estimate.Coverage()
		if v, low := coverage.Get(); low && c.Why == "" {
			found = append(found, fmt.Sprintf("%s on %s about %.0f%% (n = %s, %.0f%% of them do not differ)", c.B.Label, c.On.Called(), 100*v, words.Group(c.N), 100*zeros))
		}
	}
	if len(found) == 0 {
		return nil
	}
	more := ""
	if len(found) > named {
		more = fmt.Sprintf(", and %d more", len(found)-named)
	}
	return []string{fmt.Sprintf("Few and skewed differences: in simulation 95%% intervals like these hold the true value less often: %s%s.", strings.Join(found[:min(named, len(found))], "; "), more)}
}
