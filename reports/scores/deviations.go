package scores

import (
	"fmt"

	"infbench/internal/words"
)

// DeviationNotes reports the difference from float32 scores for systems that were
// evaluated in another type.
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
			out = append(out, words.Clean(fmt.Sprintf("%s was evaluated in %s. %s pairs of query and document were scored again in float32: the scores differ by %.2g on average and by %.2g at most.",
				s.Label, precision, words.Group(pairs), sum/float64(pairs), most)))
		}
	}
	return out
}
