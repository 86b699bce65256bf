package scores

import (
	"fmt"

	"infbench/internal/words"
)

// DeviationNotes say how far the scores of systems that were not evaluated in float32 lie
// from those in float32.
func DeviationNotes(v *Set) []string {
	var out []string
	for _, s := range v.Systems {
		pairs, sum, most, precision := 0, 0.0, 0.0, ""
		for _, t := range s.Trials {
			for _, d := range t.Provenance.Deviations {
				pairs, sum, most, precision = pairs+d.Pairs, sum+float64(d.Pairs)*d.Mean, max(most, d.Max), d.Precision
			}
		}
		if pairs > 0 {
			out = append(out, words.Clean(fmt.Sprintf("%s was evaluated in %s: of %s pairs of query and document that were scored again in float32, scores lie %.2g apart on average, at most %.2g.",
				s.Label, precision, words.Group(pairs), sum/float64(pairs), most)))
		}
	}
	return out
}
