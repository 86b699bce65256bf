package scores

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Submission returns the declaration of a submitted system, with clean texts; nil for
// other systems.
func (s *System) Submission() *results.Submission {
	for _, t := range s.Trials {
		if said := t.Provenance.Submission; said != nil {
			return cleanSubmission(said)
		}
	}
	return nil
}

// RowKind returns the kind of a system in tables, where submitted systems are not
// baselines.
func (s *System) RowKind() table.Kind {
	if s.Submission() != nil {
		return table.Submitted
	}
	return s.Kind
}

// cleanSubmission returns a copy with clean texts.
func cleanSubmission(said *results.Submission) *results.Submission {
	out := *said
	for _, text := range []*string{&out.Model, &out.By, &out.Contact, &out.Licence, &out.Date, &out.Command, &out.Ties, &out.Prompts, &out.Partial, &out.Replaces, &out.Declaration} {
		*text = words.Clean(*text)
	}
	out.TrainedOn, out.Benchmarks = words.CleanAll(out.TrainedOn), words.CleanAll(out.Benchmarks)
	return &out
}

// Standing returns how far the numbers of a system in some columns were checked.
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

// Standing returns how far the numbers of a trial were checked.
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

// count counts the numbers of a trial in a slot. Submitted numbers without rankings are
// means without queries; these are claimed.
func (t *Trial) count(at Slot, claimed, all *int) {
	if have, ok := t.Scores[at]; ok {
		*all++
		if have.Aggregate {
			*claimed++
		}
	}
}

// Submitted lists the submitted systems.
func Submitted(systems []*System) []*System {
	return slices.DeleteFunc(slices.Clone(systems), func(s *System) bool { return s.Submission() == nil })
}

// SubmittedNotes explains the standing of submitted systems, and names those that were
// trained on the benchmarks.
func SubmittedNotes(systems []*System, benchmarks []string) []string {
	all := Submitted(systems)
	if len(all) == 0 {
		return nil
	}
	out := []string{"Standing of submitted systems: recomputed values were scored here from the submitted rankings. Values as claimed were not checked and are never marked as the best. All other systems were measured here."}
	for _, s := range all {
		said := s.Submission()
		on := slices.DeleteFunc(slices.Clone(said.Benchmarks), func(name string) bool { return !slices.Contains(benchmarks, name) })
		if len(on) > 0 {
			out = append(out, fmt.Sprintf("According to its submission, %s was trained on texts or judgments of %s: its numbers there are not for unseen data.", s.Label, strings.Join(on, ", ")))
		}
		if said.Partial != "" {
			out = append(out, fmt.Sprintf("According to its submission, %s is incomplete: %s.", s.Label, strings.TrimSuffix(said.Partial, ".")))
		}
	}
	return out
}
