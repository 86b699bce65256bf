package export

import (
	"slices"
	"strings"

	"infbench/reports"
	"infbench/reports/section"
	"infbench/reports/table"
)

// eachSection calls visit for the sections and parts that a text format prints,
// with the depth of their headings.
func eachSection(r *reports.Report, visit func(s *section.Section, depth int)) {
	section.Each(r.Printed(), func(s *section.Section, depth int) {
		if !s.Empty() {
			visit(s, depth)
		}
	})
}

// about returns all texts of a section outside its tables, one a paragraph.
func about(s *section.Section) []string {
	var out []string
	if s.Intro != "" {
		out = append(out, s.Intro)
	}
	for _, t := range s.Terms {
		parts := append([]string{strings.TrimSuffix(t.Name+": "+t.Text, ": ")}, t.More...)
		if t.Command != "" {
			parts = append(parts, t.Command)
		}
		for _, l := range t.Links {
			parts = append(parts, l.Name+": "+l.Address)
		}
		out = append(out, strings.Join(parts, " "))
	}
	if s.Told {
		return append(slices.Clone(s.Notes), out...)
	}
	return append(out, s.Notes...)
}

// linesOf returns the lines of the file that a section shows.
func linesOf(s *section.Section) []string {
	if s.Text == "" {
		return nil
	}
	return strings.Split(s.Text, "\n")
}

// tablesOf lists the tables of a section and of its charts; tables of charts get the titles and
// captions of their charts.
func tablesOf(s *section.Section) []*table.Table {
	out := append([]*table.Table{}, s.Tables...)
	for _, f := range s.Figures {
		t := *f.Table
		t.Title, t.Caption = f.Title, strings.TrimSpace(f.Caption+" "+t.Caption)
		out = append(out, &t)
	}
	return out
}
