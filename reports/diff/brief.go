package diff

import (
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// Brief describes the differences between the sets in at most most short phrases, first causes
// first: "train.lr 0.004, before 0.005". Weights are listed only if nothing else differs, since
// other differences explain them.
func (c *Changes) Brief(facts map[string]results.Facts, most int) []string {
	return brief(c.Causes(facts), most, func(d Difference) string { return d.suffix(c.matched()) })
}

// BriefOf is like Brief, for each system by its label.
func (c *Changes) BriefOf(facts map[string]results.Facts, most int) map[string][]string {
	causes, out := c.Causes(facts), map[string][]string{}
	for _, p := range c.systems {
		if p.before == nil || p.after == nil {
			continue
		}
		own := make([]Cause, len(causes))
		for i, cause := range causes {
			own[i] = cause
			own[i].Differ = slices.DeleteFunc(slices.Clone(cause.Differ), func(d Difference) bool { return !slices.Contains(d.Systems, p.after.Label) })
		}
		out[p.after.Label] = brief(own, most, func(Difference) string { return "" })
	}
	return out
}

// brief describes differences, each followed by a text about its systems.
func brief(causes []Cause, most int, of func(Difference) string) []string {
	var out, weights []string
	for _, cause := range causes {
		for _, d := range cause.Differ {
			if text := d.brief(cause.Name) + of(d); cause.Name == results.FactWeights {
				weights = append(weights, text)
			} else {
				out = append(out, text)
			}
		}
	}
	if len(out) == 0 {
		out = weights
	}
	if n := len(out) - most; n > 0 {
		out = append(out[:most], fmt.Sprintf("and %d more", n))
	}
	return out
}

// brief describes a difference in a few words, with its cause unless the name contains it.
func (d Difference) brief(cause string) string {
	const shown = 60
	text := fmt.Sprintf("%s %s, before %s", words.Prefix(d.What, shown), words.Prefix(d.After, shown), words.Prefix(d.Before, shown))
	if cause != configuration && cause != d.What {
		text = cause + ": " + text
	}
	return text
}

// suffix names the systems of a difference; "" if all systems have it.
func (d Difference) suffix(all int) string {
	switch n := len(d.Systems); {
	case n >= all:
		return ""
	case n == 1:
		return fmt.Sprintf(" (%s)", d.Systems[0])
	default:
		return fmt.Sprintf(" (%s and %s)", d.Systems[0], words.Plural(n-1, "other", "others"))
	}
}

// Dropped reports whether a number that only the set before has is no longer asked for: every
// experiment that it came from was planned again, without it. Otherwise it was asked for and
// failed, or the plans are unknown.
func (s *Shift) Dropped() bool {
	return s.Before.State.Valued() && s.After.State == scores.Unplanned && s.replanned
}

// isReplanned reports whether the complete plans of all experiments of a system are known, and the
// system, if it still exists, was not left unfinished.
func isReplanned(p systemPair, planned map[string]bool) bool {
	if p.before == nil || p.after != nil && !slices.ContainsFunc(p.after.Trials, (*scores.Trial).Finished) {
		return false
	}
	return !slices.ContainsFunc(p.before.Trials, func(t *scores.Trial) bool { return !planned[t.Experiment] })
}

// DroppedOrLost splits the numbers that only the set before has into those that are no longer asked
// for and those that were asked for and failed.
func (c *Changes) DroppedOrLost() (dropped, lost []*Shift) {
	gone, _ := c.Gone()
	for _, s := range gone {
		if s.Dropped() {
			dropped = append(dropped, s)
		} else {
			lost = append(lost, s)
		}
	}
	return dropped, lost
}
