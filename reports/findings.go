package reports

import (
	"fmt"
	"slices"
	"strings"
)

// findings words what the tests show, one sentence a number. Every sentence is
// computed; none says more than its test does.
func (v *view) findings(boards []*Board, o Options) []string {
	var out []string
	out = append(out, v.completeness())
	out = append(out, v.notes...)
	warned := map[Realm]bool{}
	for _, b := range boards {
		if !warned[b.Realm] {
			out = append(out, boardWarning(b)...)
			warned[b.Realm] = true
		}
		if len(b.Families) == 0 {
			out = append(out, fmt.Sprintf("No system is called %q, so no difference on %s was tested.", o.Reference, b.words()))
		}
		for _, f := range b.Families {
			for _, c := range f.Columns {
				for _, sentence := range f.finding(c) {
					out = append(out, sentence+b.untrainedBest(c))
				}
			}
		}
	}
	return out
}

// completeness says how much of the plan the numbers are from.
func (v *view) completeness() string {
	done := 0
	for _, t := range v.trials {
		if t.finished() {
			done++
		}
	}
	if done == len(v.trials) {
		return fmt.Sprintf("All %s of the plan finished.", plural(done, "trial", "trials"))
	}
	return fmt.Sprintf("%d of %s finished; the others are named under coverage and have no numbers here.",
		done, plural(len(v.trials), "planned trial", "planned trials"))
}

// boardWarning says what a board's numbers cannot be used for.
func boardWarning(b *Board) []string {
	switch b.Realm {
	case Synthetic:
		return []string{"The synthetic benchmarks are generated text. They show whether training works, not how well a system retrieves real documents."}
	case Unrecorded:
		return []string{"Some benchmarks have no recorded origin; treat their numbers as unverified."}
	}
	return nil
}

// finding counts the verdicts on one number for the trained systems.
func (f *Family) finding(c column) []string {
	var tally verdicts
	for _, have := range f.on(c) {
		if have.Kind == Trained {
			tally.add(have)
		}
	}
	if tally.total == 0 {
		return nil
	}
	s := fmt.Sprintf("%s on %s: ", c.scoring(), c.test())
	if tally.tested() == 0 {
		return []string{s + fmt.Sprintf("none of %s could be tested.", plural(tally.total, "trained system", "trained systems"))}
	}
	return []string{s + tally.words(f.Reference) + fmt.Sprintf(" (n = %s %s, Holm-corrected p ≤ %v).", tally.sizes(), unit(c), significant)}
}

// untrainedBest says whose the highest number of a column is where no training
// made it: a description, not a test.
func (b *Board) untrainedBest(c column) string {
	j := slices.Index(b.Leaderboard.Columns, c.heading())
	var best *Row
	for i := range b.Leaderboard.Rows {
		row := &b.Leaderboard.Rows[i]
		if v := row.Entries[j].Sort; v != nil && (best == nil || *v > *best.Entries[j].Sort) {
			best = row
		}
	}
	if best == nil || best.Kind == Trained {
		return ""
	}
	return fmt.Sprintf(" The highest number is that of %s, which was not trained: %s.", best.Entries[0].Text, best.Entries[j].Text)
}

// unit names what n counts.
func unit(c column) string {
	if c.Measure == pairMeasure {
		return "instruction pairs"
	}
	return "queries"
}

// verdicts sorts systems by what their tests said.
type verdicts struct {
	total                         int
	higher, lower, same, untested []string
	least, most                   int // pairs of the tested ones
}

func (v *verdicts) tested() int { return v.total - len(v.untested) }

func (v *verdicts) add(c *Comparison) {
	v.total++
	if c.Why != "" {
		v.untested = append(v.untested, c.System)
		return
	}
	if v.most == 0 || c.Test.N < v.least {
		v.least = c.Test.N
	}
	v.most = max(v.most, c.Test.N)
	switch c.Verdict() {
	case "higher":
		v.higher = append(v.higher, c.System)
	case "lower":
		v.lower = append(v.lower, c.System)
	default:
		v.same = append(v.same, c.System)
	}
}

// sizes prints the number of pairs, or its range.
func (v *verdicts) sizes() string {
	if v.least == v.most {
		return group(v.most)
	}
	return group(v.least) + " to " + group(v.most)
}

// words says how many systems are higher than, lower than, or not told apart
// from the reference, and names the few of them that are not higher.
func (v *verdicts) words(reference string) string {
	parts := []string{fmt.Sprintf("%d of %s above %s", len(v.higher), plural(v.total, "trained system is", "trained systems are"), referenceWords(reference))}
	if len(v.lower) > 0 {
		parts = append(parts, counted(v.lower)+" below it")
	}
	if len(v.same) > 0 {
		parts = append(parts, "no difference is shown for "+counted(v.same))
	}
	if len(v.untested) > 0 {
		parts = append(parts, counted(v.untested)+" could not be tested")
	}
	return strings.Join(parts, ", ")
}

// counted is a number of systems, with their names where they are few.
func counted(systems []string) string {
	if len(systems) > 3 {
		return fmt.Sprint(len(systems))
	}
	return fmt.Sprintf("%d (%s)", len(systems), strings.Join(systems, ", "))
}

// referenceWords names the reference in a sentence.
func referenceWords(model string) string {
	if model == defaultReference {
		return "the untrained encoder"
	}
	return "the reference " + model
}

// findings says what the tests and the intervals of one slice show.
func (s *Slices) findings(c column) []string {
	var out []string
	if s.Family != nil {
		out = s.Family.finding(c)
	}
	if c.Measure != pairMeasure {
		return out
	}
	zero, task := 0, c.Tasks[0]
	for _, i := range s.intervals[task] {
		if i.Contains(0) {
			zero++
		}
	}
	return append(out, fmt.Sprintf("%s on %s: the 95%% interval contains 0 for %d of %s.",
		c.scoring(), c.test(), zero, plural(len(s.intervals[task]), "system", "systems")))
}
