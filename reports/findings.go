package reports

import (
	"slices"

	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/sentence"
	"infbench/reports/table"
)

// findings returns the results of the tests, one sentence a number.
func findings(v *scores.Set, boards []*Board, o Options) []string {
	out := append([]string{completeness(v)}, v.Notes...)
	warned := map[scores.Realm]bool{}
	for _, b := range boards {
		if !warned[b.Realm] {
			out = append(out, boardWarning(b)...)
			warned[b.Realm] = true
		}
		if len(b.Families) == 0 {
			out = append(out, b.untestable(o.Reference))
		}
		for _, f := range b.Families {
			for _, c := range f.Columns {
				if !b.Shows(c) {
					continue
				}
				if found, ok := finding(f, c); ok {
					found.Untrained, found.Extreme, found.Value = b.untrainedBest(c)
					out = append(out, found.String())
				}
			}
		}
	}
	return out
}

// untestable says that no system of the board is the reference.
func (b *Board) untestable(reference string) string {
	start := b.reference == contrast.DefaultReference && slices.ContainsFunc(b.Set.Systems, func(s *scores.System) bool { return s.Model == b.reference })
	return sentence.Untestable{Reference: reference, Board: b.words(), Start: start}.String()
}

// completeness reports how many planned trials finished.
func completeness(v *scores.Set) string { return finished(v).String() }

// finished counts the trials that finished, and those of them that lack values.
func finished(v *scores.Set) sentence.Finished {
	out := sentence.Finished{Planned: len(v.Trials)}
	for _, t := range v.Trials {
		if !t.Finished() {
			continue
		}
		out.Done++
		if missingValues(v, t) != "" {
			out.Lacking++
		}
	}
	return out
}

// boardWarning warns of uses that a board's numbers do not allow.
func boardWarning(b *Board) []string {
	switch b.Realm {
	case scores.Synthetic:
		return []string{"The synthetic benchmarks are generated text. They show whether training works, not how well a system retrieves real documents."}
	case scores.Unrecorded:
		return []string{"Some benchmarks have no recorded origin; treat their numbers as unverified."}
	}
	return nil
}

// finding counts the verdicts on one number for the trained systems; ok is false if there
// are no trained systems.
func finding(f *contrast.Family, c scores.Number) (out sentence.Finding, ok bool) {
	var sizes contrast.Sizes
	out = sentence.Finding{Number: c.Label(), Reference: referenceWords(f.Reference), Lower: c.Direction() == metrics.Lower, Level: contrast.Significant}
	out.Ahead, out.Behind = contrast.Sides(c.Direction())
	for _, have := range f.On(c) {
		if have.B.Kind != table.Trained {
			continue
		}
		out.Of++
		label := have.B.Label
		switch v := have.Judged(); {
		case v == contrast.Untested:
			out.Untested = append(out.Untested, label)
			continue
		case !v.Shown() && have.TheseSeedsToo:
			out.Same = append(out.Same, label+" beyond these seeds")
		case !v.Shown():
			out.Same = append(out.Same, label)
		case (have.Difference > 0) != out.Lower:
			out.Better = append(out.Better, label)
		default:
			out.Worse = append(out.Worse, label)
		}
		sizes.Add(have.N)
		if have.OneRun {
			out.OneRun++
		}
	}
	out.N = sizes.Words() + " " + contrast.Unit(c)
	return out, out.Of > 0
}

// untrainedBest returns the system with the best number of a column if it was not trained,
// with "highest" or "lowest" and the number. It describes and does not test.
func (b *Board) untrainedBest(c scores.Number) (system, extreme, value string) {
	j := slices.Index(b.Leaderboard.Columns, c.Heading())
	var best *table.Row
	for i := range b.Leaderboard.Rows {
		row := &b.Leaderboard.Rows[i]
		if v := row.Entries[j].Sort; v != nil && (best == nil || b.Leaderboard.Columns[j].Best.Better(*v, *best.Entries[j].Sort)) {
			best = row
		}
	}
	extreme = b.Leaderboard.Columns[j].Best.Word()
	if best == nil || extreme == "" || best.Kind == table.Trained {
		return "", "", ""
	}
	return best.Entries[0].Text, extreme, best.Entries[j].Text
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
