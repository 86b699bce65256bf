package write

import (
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

// about is everything that a section says beside its tables, a paragraph each.
func about(s *section.Section) []string {
	var out []string
	if s.Intro != "" {
		out = append(out, s.Intro)
	}
	for _, t := range s.Terms {
		out = append(out, strings.Join(append([]string{strings.TrimSuffix(t.Name+": "+t.Text, ": ")}, t.More...), " "))
	}
	return append(out, s.Notes...)
}

// tablesOf lists the tables of a section, those of its charts with what the charts
// say.
func tablesOf(s *section.Section) []*table.Table {
	out := append([]*table.Table{}, s.Tables...)
	for _, f := range s.Figures {
		t := *f.Table
		t.Title, t.Caption = f.Title, strings.TrimSpace(f.Caption+" "+t.Caption)
		out = append(out, &t)
	}
	return out
}
