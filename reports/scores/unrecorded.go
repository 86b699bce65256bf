package scores

import (
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/runners/results"
)

// namedUnrecorded is how many systems a note lists of which something is not recorded.
const namedUnrecorded = 5

// UnrecordedNotes says which systems do not say what their numbers are of, as those do
// not that were run before it was recorded: only names and revisions tell.
func UnrecordedNotes(v *Set) []string {
	byWhat := map[string][]string{}
	for _, s := range v.Systems {
		config := results.Config(s.Config())
		if config[results.Imported] != "" || !slices.ContainsFunc(s.Trials, (*Trial).Finished) {
			continue
		}
		planned := config[results.Backbone] != "" // a sweep fixes what it makes and on what data
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
		out = append(out, fmt.Sprintf("%s not recorded: %s; names and revisions are all that tells what these numbers are of.", what, words.First(namedUnrecorded, byWhat[what])))
	}
	return out
}

// unrecorded reports whether a system ran on a benchmark whose content is not recorded;
// where a plan fixed the revision, that names it.
func (all Benchmarks) unrecorded(s *System, planned bool) bool {
	return slices.ContainsFunc(s.Trials, func(t *Trial) bool {
		return slices.ContainsFunc(t.Described, func(name string) bool {
			b := all[name]
			return len(b.Content) == 0 && !(planned && b.IsPinned())
		})
	})
}
