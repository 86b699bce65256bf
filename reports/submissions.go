package reports

import (
	"fmt"
	"strings"

	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// standingColumn is the heading of how far submitted numbers were checked.
const standingColumn = "standing"

// measuredHere is the standing of systems that were not submitted.
const measuredHere = "measured"

// standingEntry returns the standing of a system on a board.
func standingEntry(s *scores.System, columns []scores.Number) table.Entry {
	standing := s.Standing(columns)
	if standing == results.Measured {
		return table.Entry{Text: measuredHere}
	}
	return table.Entry{Text: string(standing)}
}

// submissionPart shows the declarations of submitted systems.
func submissionPart(v *scores.Set) section.Section {
	s := section.Section{ID: "submissions", Title: "Submissions"}
	for i, system := range scores.Submitted(v.Systems) {
		s.Intro = "The declarations of submitted systems. Only their form was checked."
		said := system.Submission()
		s.Parts = append(s.Parts, section.Section{ID: fmt.Sprintf("submissions-%d", i+1), Title: system.Label, Folded: true, Terms: []section.Term{
			{Name: "revision", Text: system.Config()[results.Revision]}, {Name: "model", Text: said.Model}, {Name: "licence", Text: said.Licence},
			{Name: "by", Text: said.By}, {Name: "contact", Text: said.Contact}, {Name: "date", Text: said.Date}, {Name: "command", Text: said.Command},
			{Name: "trained on", Text: listedOrNone(said.TrainedOn)}, {Name: "trained on benchmarks", Text: listedOrNone(said.Benchmarks)},
			{Name: "documents ranked", Text: fmt.Sprint(said.Depth)}, {Name: "ties of p-MRR", Text: said.Ties}, {Name: "prompts", Text: said.Prompts},
			{Name: "submission.yaml", Text: said.Declaration},
		}})
	}
	return s
}

// listedOrNone joins names, or returns a mark if there are none.
func listedOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
