package reports

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// findings words what the tests show, one sentence a number. Every sentence is
// computed; none says more than its test does.
func findings(v *scores.Set, boards []*Board, o Options) []string {
	var out []string
	out = append(out, completeness(v))
	out = append(out, v.Notes...)
	warned := map[scores.Realm]bool{}
	for _, b := range boards {
		if !warned[b.Realm] {
			out = append(out, boardWarning(b)...)
			warned[b.Realm] = true
		}
		if len(b.Families) == 0 && b.reference == contrast.DefaultReference && slices.ContainsFunc(b.Set.Systems, func(s *scores.System) bool { return s.Model == b.reference }) {
			out = append(out, fmt.Sprintf("No system has an untrained one of its own setting, so no difference on %s was tested.", b.words()))
		} else if len(b.Families) == 0 {
			out = append(out, fmt.Sprintf("No system is called %q, so no difference on %s was tested.", o.Reference, b.words()))
		}
		for _, f := range b.Families {
			for _, c := range f.Columns {
				if !b.Shows(c) {
					continue
				}
				for _, sentence := range finding(f, c) {
					out = append(out, sentence+b.untrainedBest(c))
				}
			}
		}
	}
	return out
}

// completeness says how much of the plan the numbers are from.
func completeness(v *scores.Set) string {
	done := 0
	for _, t := range v.Trials {
		if t.Finished() {
			done++
		}
	}
	if done == len(v.Trials) {
		return fmt.Sprintf("All %s of the plan finished.", words.Plural(done, "trial", "trials"))
	}
	return fmt.Sprintf("%d of %s finished; the others are named under coverage and have no numbers here.",
		done, words.Plural(len(v.Trials), "planned trial", "planned trials"))
}

// boardWarning says what a board's numbers cannot be used for.
func boardWarning(b *Board) []string {
	switch b.Realm {
	case scores.Synthetic:
		return []string{"The synthetic benchmarks are generated text. They show whether training works, not how well a system retrieves real documents."}
	case scores.Unrecorded:
		return []string{"Some benchmarks have no recorded origin; treat their numbers as unverified."}
	}
	return nil
}

// finding counts the verdicts on one number for the trained systems.
func finding(f *contrast.Family, c scores.Number) []string {
	var tally verdicts
	for _, have := range f.On(c) {
		if have.B.Kind == table.Trained {
			tally.add(have)
		}
	}
	if tally.total == 0 {
		return nil
	}
	s := fmt.Sprintf("%s on %s: ", c.Scoring(), c.Test())
	if tally.tested() == 0 {
		return []string{s + fmt.Sprintf("none of %s could be tested.", words.Plural(tally.total, "trained system", "trained systems"))}
	}
	return []string{s + tally.words(f.Reference, c.Direction()) + fmt.Sprintf(" (n = %s %s, Holm-corrected p ≤ %v).", tally.sizes.Words(), contrast.Unit(c)+tally.ofRuns(), contrast.Significant)}
}

// untrainedBest says whose the best number of a column is where no training
// made it: a description, not a test.
func (b *Board) untrainedBest(c scores.Number) string {
	j := slices.Index(b.Leaderboard.Columns, c.Heading())
	var best *table.Row
	for i := range b.Leaderboard.Rows {
		row := &b.Leaderboard.Rows[i]
		if v := row.Entries[j].Sort; v != nil && (best == nil || b.Leaderboard.Columns[j].Best.Better(*v, *best.Entries[j].Sort)) {
			best = row
		}
	}
	word := b.Leaderboard.Columns[j].Best.Word()
	if best == nil || word == "" || best.Kind == table.Trained {
		return ""
	}
	return fmt.Sprintf(" The %s number is that of %s, which was not trained: %s.", word, best.Entries[0].Text, best.Entries[j].Text)
}

// verdicts sorts systems by what their tests said.
type verdicts struct {
	total, oneRun                 int
	higher, lower, same, untested []string
	sizes                         contrast.Sizes // of the tested ones
}

// ofRuns says that the verdicts are on single training runs, where some are.
func (v *verdicts) ofRuns() string {
	switch {
	case v.oneRun == 0:
		return ""
	case v.oneRun == v.tested():
		return ", one training run each and said of that run"
	}
	return fmt.Sprintf(", %d of one training run and said of that run", v.oneRun)
}

func (v *verdicts) tested() int { return v.total - len(v.untested) }

func (v *verdicts) add(c *contrast.Contrast) {
	v.total++
	if c.Why != "" {
		v.untested = append(v.untested, c.B.Label)
		return
	}
	v.sizes.Add(c.N)
	if c.OneRun {
		v.oneRun++
	}
	switch {
	case !c.Shown() && c.TheseSeedsToo:
		v.same = append(v.same, c.B.Label+" beyond these seeds")
	case !c.Shown():
		v.same = append(v.same, c.B.Label)
	case c.Difference > 0:
		v.higher = append(v.higher, c.B.Label)
	default:
		v.lower = append(v.lower, c.B.Label)
	}
}

// words says how many systems are better than, worse than, or not told apart from
// the reference, and names the few of them that are not better.
func (v *verdicts) words(reference string, d metrics.Direction) string {
	better, worse, note := v.higher, v.lower, ""
	if d == metrics.Lower {
		better, worse, note = worse, better, " (lower is better)"
	}
	ahead, behind := contrast.Sides(d)
	parts := []string{fmt.Sprintf("%d of %s %s %s%s", len(better), words.Plural(v.total, "trained system is", "trained systems are"), ahead, referenceWords(reference), note)}
	if len(worse) > 0 {
		parts = append(parts, counted(worse)+" "+behind+" it")
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

// differenceFrom names what each system is compared with: its start, or the one reference.
func differenceFrom(reference, start string) string {
	if reference == contrast.DefaultReference {
		return "the " + reference + " " + start
	}
	return reference
}

// referenceWords names the reference in a sentence.
func referenceWords(model string) string {
	if model == contrast.DefaultReference {
		return "the untrained encoder"
	}
	return "the reference " + model
}
