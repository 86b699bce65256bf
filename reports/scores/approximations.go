package scores

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/runners/results"
)

// ApproximationNotes say which systems were ranked by a server that does not compare all
// documents, and what it passed over in the task where it passed over most.
func ApproximationNotes(v *Set) []string {
	var out []string
	for _, s := range v.Systems {
		var servers []string
		searched, worst := 0, results.Approximation{}
		for _, t := range s.Trials {
			for _, a := range t.Provenance.Approximations {
				if searched == 0 || lastRecall(a) < lastRecall(worst) {
					worst = a
				}
				searched++
				servers = append(servers, a.Server)
			}
		}
		if searched == 0 {
			continue
		}
		slices.Sort(servers)
		out = append(out, words.Clean(fmt.Sprintf("%s is approximate: %s found its documents without comparing all. Of what the exact search finds it found, where it found least (%s, %s documents, %d queries), %s.",
			s.Label, strings.Join(slices.Compact(servers), " and "), worst.Task, words.Group(worst.Documents), worst.Queries, results.Recalls(worst.Recall))))
	}
	return out
}

// lastRecall is the mean recall of the deepest cutoff; 1 where none was measured.
func lastRecall(a results.Approximation) float64 {
	if n := len(a.Recall); n > 0 {
		return a.Recall[n-1].Mean
	}
	return 1
}
