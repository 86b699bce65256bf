package scores

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Submission is what the people who brought a system's numbers say of it, clean; nil where
// nobody brought them.
func (s *System) Submission() *results.Submission {
	for _, t := range s.Trials {
		if said := t.Provenance.Submission; said != nil {
			return cleanSubmission(said)
		}
	}
	return nil
}

// RowKind is what tables call a system: what others brought is no baseline of ours.
func (s *System) RowKind() table.Kind {
	if s.Submission() != nil {
		return table.Submitted
	}
	return s.Kind
}

// cleanSubmission is a copy whose texts are clean.
func cleanSubmission(said *results.Submission) *results.Submission {
	out := *said
	for _, text := range []*string{&out.Model, &out.By, &out.Contact, &out.Licence, &out.Date, &out.Command, &out.Ties, &out.Prompts, &out.Partial, &out.Replaces, &out.Declaration} {
		*text = words.Clean(*text)
	}
	out.TrainedOn, out.Benchmarks = words.CleanAll(out.TrainedOn), words.CleanAll(out.Benchmarks)
	return &out
}

// Standing says how far the numbers of a system in some columns were checked.
func (s *System) Standing(columns []Number) results.Standing {
	if s.Submission() == nil {
		return results.Measured
	}
	claimed, all := 0, 0
	for _, c := range columns {
		for _, at := range c.Slots() {
			for _, t := range s.Trials {
				t.count(at, &claimed, &all)
			}
		}
	}
	return results.StandingOf(claimed, all)
}

// Standing says how far the numbers of a trial were checked.
func (t *Trial) Standing() results.Standing {
	if t.Provenance.Submission == nil {
		return results.Measured
	}
	claimed, all := 0, 0
	for at := range t.Scores {
		t.count(at, &claimed, &all)
	}
	return results.StandingOf(claimed, all)
}

// count adds up the numbers of a trial in a slot: those that others brought without
// rankings are means without queries.
func (t *Trial) count(at Slot, claimed, all *int) {
	if have, ok := t.Scores[at]; ok {
		*all++
		if have.Aggregate {
			*claimed++
		}
	}
}

// Submitted lists the systems that others brought.
func Submitted(systems []*System) []*System {
	return slices.DeleteFunc(slices.Clone(systems), func(s *System) bool { return s.Submission() == nil })
}

// SubmittedNotes say of the systems that others brought what their standing means, and
// which of them were trained on what they are measured by.
func SubmittedNotes(systems []*System, benchmarks []string) []string {
	all := Submitted(systems)
	if len(all) == 0 {
		return nil
	}
	out := []string{"Standing: of systems that others submitted, recomputed is scored here from the rankings that they brought, as claimed is what they say, which nobody has checked and which is never marked as the best; the others were measured here."}
	for _, s := range all {
		said := s.Submission()
		on := slices.DeleteFunc(slices.Clone(said.Benchmarks), func(name string) bool { return !slices.Contains(benchmarks, name) })
		if len(on) > 0 {
			out = append(out, fmt.Sprintf("%s was trained on texts or judgments of %s, as its submission declares: its numbers there are not those of unseen data.", s.Label, strings.Join(on, ", ")))
		}
		if said.Partial != "" {
			out = append(out, fmt.Sprintf("%s is incomplete, as its submission says: %s.", s.Label, strings.TrimSuffix(said.Partial, ".")))
		}
	}
	return out
}
