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
	out := []string{fmt.Sprintf("There is no board yet; %s: %s.",
		words.Plural(len(v.Trials), "planned trial", "planned trials"), cmp.Or(strings.Join(counts, ", "), "none has finished"))}
	if first == nil {
		return append(out, "infbench status shows their progress; infbench sweep continues them.")
	}
	return append(out, firstError(v, first), "Correct the experiment file and run infbench sweep again. If the file is correct, infbench retry runs the failed trials again. infbench status lists all errors.")
}

// firstError describes the error of the first failed trial, and how many others failed in
// the same way.
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
	return fmt.Sprintf("The first error, in %s%s: %s.", of.Label, also, strings.TrimSuffix(cmp.Or(first.Error, "none was recorded"), "."))
}
