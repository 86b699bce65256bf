package scores

import (
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/runners/results"
)

// namedUnrecorded is the number of systems that a note lists.
const namedUnrecorded = 5

// UnrecordedNotes names the systems whose data or weights are not recorded, such as those
// run by older versions: only names and revisions identify them.
func UnrecordedNotes(v *Set) []string {
	byWhat := map[string][]string{}
	for _, s := range v.Systems {
		config := results.Config(s.Config())
		if config[results.Imported] != "" || !slices.ContainsFunc(s.Trials, (*Trial).Finished) {
			continue
		}
		planned := config[results.Backbone] != "" // the plan of a sweep fixes its systems and data
		data := v.Benchmarks.unrecorded(s, planned)
		what := ""
		switch {
		case data && config[results.Weights] == "" && !planned:
			what = "Data and weights"
		case data:
			what = "Data"
		case config.HasUnknownWeights():
			what = "Weights"
		default:
			continue
		}
		byWhat[what] = append(byWhat[what], s.Label)
	}
	var out []string
	for _, what := range words.SortedKeys(byWhat) {
		out = append(out, fmt.Sprintf("%s not recorded: %s; only names and revisions identify them.", what, words.First(namedUnrecorded, byWhat[what])))
	}
	return out
}

// unrecorded reports whether a system ran on a benchmark whose content is not recorded. A
// revision fixed by a plan counts as a record.
func (all Benchmarks) unrecorded(s *System, planned bool) bool {
	return slices.ContainsFunc(s.Trials, func(t *Trial) bool {
		return slices.ContainsFunc(t.Described, func(name string) bool {
			b := all[name]
			return len(b.Content) == 0 && !(planned && b.IsPinned())
		})
	})
}
