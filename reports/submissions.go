package reports

import (
	"fmt"
	"strings"

	"infbench/bench/results"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// standingColumn heads how far numbers that others brought were checked.
const standingColumn = "standing"

// measuredHere is the standing of what nobody brought.
const measuredHere = "measured"

// standingEntry is the standing of a system on a board.
func standingEntry(s *scores.System, columns []scores.Number) table.Entry {
	standing := s.Standing(columns)
	if standing == results.Measured {
		return table.Entry{Text: measuredHere}
	}
	return table.Entry{Text: string(standing)}
}

// submissionTable lists what those who brought systems say of them; nil where nobody
// brought any.
func submissionTable(v *scores.Set) *table.Table {
	all := scores.Submitted(v.Systems)
	if len(all) == 0 {
		return nil
	}
	t := &table.Table{ID: "submissions-table", Title: "Submissions",
		Caption: "What those who brought a system declare of it. Nothing of this was checked but that it is there.",
		Columns: []table.Column{{Name: "system"}, {Name: "revision"}, {Name: "model"}, {Name: "by"}, {Name: "contact"}, {Name: "licence"}, {Name: "date"}, {Name: "trained on"}, {Name: "of benchmarks"},
			{Name: "depth"}, {Name: "ties of p-MRR, as claimed"}, {Name: "prompts"}, {Name: "command", Code: true}, {Name: "submission.yaml"}}}
	for _, s := range all {
		said := s.Submission()
		row := []string{s.Label, s.Config()[results.Revision], said.Model, said.By, said.Contact, said.Licence, said.Date, listedOrNone(said.TrainedOn), listedOrNone(said.Benchmarks),
			fmt.Sprint(said.Depth), said.Ties, said.Prompts, said.Command, said.Declaration}
		var entries []table.Entry
		for _, text := range row {
			entries = append(entries, table.Entry{Text: text})
		}
		t.Rows = append(t.Rows, table.Row{Kind: s.Kind, Entries: entries})
	}
	return t
}

// listedOrNone joins names, and says so where there are none.
func listedOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// submissionPart is the part of how it was made that is about what others brought.
func submissionPart(v *scores.Set) section.Section {
	return section.Section{ID: "submissions", Title: "Submissions", Tables: section.Listed(submissionTable(v))}
}
