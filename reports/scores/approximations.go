package scores

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/runners/results"
)

// ApproximationNotes names the systems that were ranked by a server with approximate
// search, and their recall in the task where it was lowest.
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
		out = append(out, words.Clean(fmt.Sprintf("%s is approximate: %s found its documents without comparing all of them. In the worst case (%s, %s documents, %d queries) it found this share of the results of exact search: %s.",
			s.Label, strings.Join(slices.Compact(servers), " and "), worst.Task, words.Group(worst.Documents), worst.Queries, results.Recalls(worst.Recall))))
	}
	return out
}

// lastRecall returns the mean recall at the deepest cutoff; 1 if none was measured.
func lastRecall(a results.Approximation) float64 {
	if n := len(a.Recall); n > 0 {
		return a.Recall[n-1].Mean
	}
	return 1
}
