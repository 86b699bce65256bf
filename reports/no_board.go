package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// whyNoBoard explains why there is no board when no trial has a value: how many failed, the
// first error, and what to do. It returns nil if some trial has a value.
func whyNoBoard(v *scores.Set) []string {
	states := map[results.State]int{}
	var first *scores.Trial
	for _, t := range v.Trials {
		if len(t.Scores) > 0 {
			return nil
		}
		states[t.State]++
		if t.State == results.Failed && first == nil {
			first = t
		}
	}
	var counts []string
	for _, s := range []struct {
		state results.State
		words string
	}{{results.Failed, "failed"}, {results.Stopped, "stopped as hopeless"}, {results.Done, "finished without a value"}} {
		if n := states[s.state]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, s.words))
		}
	}
	said := []string{fmt.Sprintf("There is no board yet: of %s %s.",
		words.Plural(len(v.Trials), "planned trial", "planned trials"), cmp.Or(strings.Join(counts, ", "), "none is finished"))}
	if first == nil {
		return append(said, "infbench status shows how far they are; infbench sweep goes on with them.")
	}
	return append(said, firstError(v, first), "Mend what it names in the experiment file and sweep that again; where nothing is to mend there, infbench retry runs again what failed. infbench status has the error of each.")
}

// firstError says how the first trial failed, and how many others failed alike.
func firstError(v *scores.Set, first *scores.Trial) string {
	alike := 0
	for _, t := range v.Trials {
		if t != first && t.State == results.Failed && t.Error == first.Error {
			alike++
		}
	}
	also := ""
	if alike > 0 {
		also = fmt.Sprintf(" (and of %d more)", alike)
	}
	of := v.Systems[slices.IndexFunc(v.Systems, func(s *scores.System) bool { return slices.Contains(s.Trials, first) })]
	return fmt.Sprintf("The first error, of %s%s: %s.", of.Label, also, strings.TrimSuffix(cmp.Or(first.Error, "none was recorded"), "."))
}
