package reports

import (
	"fmt"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// basis is what a reader must know before believing or quoting the answer.
func (a answerRequest) basis(boards []*answerBoard) section.Section {
	s := section.Section{ID: answerID + "-basis", Title: "What it rests on"}
	s.Terms = append(s.Terms, a.finished(), realmsTerm(boards), selectedTerm(boards), controlsTerm(boards))
	if a.Overlaps > 0 {
		s.Terms = append(s.Terms, section.Term{Name: "Overlap", Text: fmt.Sprintf("%s of texts that training and tests share; they are listed under “Read this first”.", words.Plural(a.Overlaps, "warning", "warnings")), Tone: table.Worse})
	}
	s.Terms = append(s.Terms, section.Term{Name: "Recompute", Text: "The page carries every per-query value: this makes it again and names each cell that differs.", Command: "infbench verify report.html"})
	return s
}

// finished says how much of the plan is behind the answer.
func (a answerRequest) finished() section.Term {
	if a.Finished == a.Planned {
		return section.Term{Name: "Trials", Text: fmt.Sprintf("All %s of the plan finished.", words.Plural(a.Planned, "trial", "trials"))}
	}
	return section.Term{Name: "Trials", Text: fmt.Sprintf("%d of %s finished; the others have no numbers here.", a.Finished, words.Plural(a.Planned, "planned trial", "planned trials")), Tone: table.Worse}
}

// realmsTerm reports which part of the data is generated.
func realmsTerm(boards []*answerBoard) section.Term {
	kinds := map[scores.Realm][]string{}
	for _, b := range boards {
		for _, name := range b.Set.BenchmarkNames() {
			kinds[b.Realm] = words.AddNew(kinds[b.Realm], name)
		}
	}
	var said []string
	if names := kinds[scores.Real]; len(names) > 0 {
		said = append(said, "Real: "+words.Listed(names)+".")
	}
	if names := kinds[scores.Synthetic]; len(names) > 0 {
		said = append(said, "Synthetic, so no word on real documents: "+words.Listed(names)+".")
	}
	if names := kinds[scores.Unrecorded]; len(names) > 0 {
		said = append(said, "Of unrecorded origin: "+words.Listed(names)+".")
	}
	return section.Term{Name: "Data", Text: strings.Join(said, " ")}
}

// selectedTerm reports what was chosen by the numbers on the page.
func selectedTerm(boards []*answerBoard) section.Term {
	t := section.Term{Name: "Selected on the test"}
	most, fair := 0, false
	for _, b := range boards {
		for _, s := range b.Set.Systems {
			p := s.Picked()
			fair = fair || p.Fair()
			if p.On == scores.OnTest {
				t.Text, t.Tone = fmt.Sprintf("Rows marked “selected on %s” were picked by the very numbers shown, which are too high and their p-values too low.", p.On), table.Worse
				return t
			}
		}
		for _, n := range b.Numbers {
			cells, measured := b.Set.Cells(n), 0
			for _, s := range b.candidates() {
				if cells(s).State.Valued() {
					measured++
				}
			}
			most = max(most, measured)
		}
	}
	switch {
	case fair:
		t.Text = "Nothing: configurations were picked on queries that no number here is from."
	case most > 1:
		t.Text = fmt.Sprintf("Who leads is chosen among %d by the number shown; on new queries it is likely to be less far ahead.", most)
	default:
		t.Text = "Nothing."
	}
	return t
}

// controlsTerm reports whether the controls of the boards hold.
func controlsTerm(boards []*answerBoard) section.Term {
	checked := 0
	var failed []string
	declared := ""
	for _, b := range boards {
		checked += b.Checked
		if b.Defeats != "" {
			declared += " " + b.Defeats
		}
		for _, label := range b.Failed {
			failed = words.AddNew(failed, label)
		}
	}
	switch {
	case len(failed) > 0:
		return section.Term{Name: "Controls", Text: fmt.Sprintf("FAILED by %s: see “Read this first”.", words.Listed(failed)) + declared, Tone: table.Worse}
	case checked == 0:
		return section.Term{Name: "Controls", Text: "None was run: no null row, no task on which nothing may move."}
	}
	return section.Term{Name: "Controls", Text: fmt.Sprintf("All hold (%d were checked).", checked) + declared}
}
