package reports

import (
	"fmt"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/sentence"
	"infbench/reports/table"
)

// basis lists what a reader must know before believing or quoting the answer.
func (a answerRequest) basis(boards []*answerBoard) section.Section {
	s := section.Section{ID: answerID + "-basis", Title: "What it rests on"}
	s.Terms = append(s.Terms, a.finished(), realmsTerm(boards), selectedTerm(boards), controlsTerm(boards))
	if a.Overlaps > 0 {
		s.Terms = append(s.Terms, section.Term{Name: "Overlap", Text: fmt.Sprintf("%s about texts that training and tests share; see “Read this first”.", words.Plural(a.Overlaps, "warning", "warnings")), Tone: table.Worse})
	}
	s.Terms = append(s.Terms, section.Term{Name: "Recompute", Text: "The page contains every per-query value. This command computes it again and names each cell that differs.", Command: "infbench verify report.html"})
	return s
}

// finished reports how much of the plan the answer rests on.
func (a answerRequest) finished() section.Term {
	t := section.Term{Name: "Trials", Text: a.Finished.String()}
	if a.Finished.Done < a.Finished.Planned || a.Finished.Lacking > 0 {
		t.Tone = table.Worse
	}
	return t
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
		said = append(said, "Synthetic, so not evidence about real documents: "+words.Listed(names)+".")
	}
	if names := kinds[scores.Unrecorded]; len(names) > 0 {
		said = append(said, "Unrecorded origin: "+words.Listed(names)+".")
	}
	return section.Term{Name: "Data", Text: strings.Join(said, " ")}
}

// selectedTerm reports whether systems were chosen by the numbers on the page.
func selectedTerm(boards []*answerBoard) section.Term {
	t := section.Term{Name: "Selected on the test"}
	most, fair := 0, false
	for _, b := range boards {
		for _, s := range b.Set.Systems {
			p := s.Picked()
			fair = fair || p.Fair()
			if p.On == scores.OnTest {
				t.Text, t.Tone = fmt.Sprintf("Rows marked “selected on %s” were picked by these numbers, so the numbers are too high and the p-values too low.", p.On), table.Worse
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
		t.Text = "Nothing; configurations were picked on other queries than those of these numbers."
	case most > 1:
		t.Text = fmt.Sprintf("The leader was picked from %d systems on the test queries, so its lead is optimistic.", most)
	default:
		t.Text = "Nothing was selected by these numbers."
	}
	return t
}

// controlsTerm reports whether the controls of the boards pass. Systems that tasks are made to
// defeat, and do defeat, did not fail: they have a paragraph of their own.
func controlsTerm(boards []*answerBoard) section.Term {
	var out sentence.ControlsOfPage
	for _, b := range boards {
		out.Checked += b.Checked
		for _, label := range b.Failed {
			out.Failed = words.AddNew(out.Failed, label)
		}
	}
	t := section.Term{Name: "Controls", Text: out.String()}
	for _, b := range boards {
		if b.Defeats != "" {
			t.More = append(t.More, b.Defeats)
		}
	}
	if len(out.Failed) > 0 {
		t.Tone = table.Worse
	}
	return t
}
