// Package section holds the parts of a report as data: headings with tables, figures and
// notes under them. It computes nothing and prints nothing.
package section

import (
	"fmt"
	"slices"

	"infbench/reports/chart"
	"infbench/reports/table"
)

// Section is one heading with what stands under it. Formats print sections and do
// not know which there are. One with nothing to show is left out by all of them.
type Section struct {
	ID        string // unique within a report, fit for an HTML id
	Title     string
	Nav       string // what a list of sections calls it; "" where it is in none
	Badge     string // a word beside the title
	Intro     string
	Terms     []Term
	Tables    []*table.Table
	Legend    string // how to read the tables
	Figures   []*chart.Figure
	Grid      Grid   // of the figures
	Live      string // ID of an element that the page's script fills; "" for none
	Notes     []string
	Told      bool   // the notes are what it comes to, and stand first
	Text      string // of a file, as it is
	Folded    bool   // the page shows its title until it is asked for
	Unprinted bool   // what is folded stays away on paper
	Source    Source
	Parts     []Section

	// Blank is a section of a page that is checked without what the section was
	// made from: its heading only.
	Blank bool
}

// Term is a name with what is said of it.
type Term struct {
	Name, Text string
	More       []string
	Command    string     // that does it
	Tone       table.Tone // of the text
}

// Grid says how the page arranges figures.
type Grid string

// The arrangements.
const (
	Stacked   Grid = ""
	Paired    Grid = "grid"
	Multiples Grid = "grid small"
)

// Source says what a section is made from, and so what it can be checked against.
// The zero value is the values that a page carries.
type Source struct {
	From From
	Name string // of what is from elsewhere
	Hash string // its SHA-256

	Absent bool // it is from elsewhere and not at hand
	Tests  bool // it holds tests
}

// From is a kind of source.
type From int

// The kinds of sources.
const (
	FromValues    From = iota // per-query values and options, which a page carries
	FromRuns                  // times, machines, curves and texts, which only run folders have
	FromElsewhere             // numbers of others, named by their hash
)

// OfRuns is the source of what only run folders tell.
func OfRuns() Source { return Source{From: FromRuns} }

// TestsOfRuns is OfRuns of a section that holds tests.
func TestsOfRuns() Source { return Source{From: FromRuns, Tests: true} }

// Empty reports whether there is nothing to show under the heading.
func (s *Section) Empty() bool {
	return !s.Blank && s.Live == "" && s.Text == "" && len(s.Terms)+len(s.Tables)+len(s.Figures)+len(s.Notes) == 0 &&
		!slices.ContainsFunc(s.Parts, func(p Section) bool { return !p.Empty() })
}

// Each calls visit for every section and part, a section before its parts, with
// the depth of its heading: 0 for a section.
func Each(sections []Section, visit func(s *Section, depth int)) { walk(sections, 0, visit) }

func walk(sections []Section, depth int, visit func(*Section, int)) {
	for i := range sections {
		visit(&sections[i], depth)
		walk(sections[i].Parts, depth+1, visit)
	}
}

// AllTables lists the tables of a section and its parts in order, those of its
// figures among them.
func (s *Section) AllTables() []*table.Table {
	out := slices.Clone(s.Tables)
	for _, f := range s.Figures {
		out = append(out, f.Table)
	}
	for i := range s.Parts {
		out = append(out, s.Parts[i].AllTables()...)
	}
	return out
}

// AllFigures lists the figures of a section and its parts in order.
func (s *Section) AllFigures() []*chart.Figure {
	out := slices.Clone(s.Figures)
	for i := range s.Parts {
		out = append(out, s.Parts[i].AllFigures()...)
	}
	return out
}

// Show adds a table under a heading of its own.
func (s *Section) Show(t *table.Table, from Source) {
	s.Parts = append(s.Parts, Section{ID: fmt.Sprintf("%s-%d", s.ID, len(s.Parts)+1), Title: t.Title, Tables: []*table.Table{t}, Source: from})
}

// Missing says what a view is without, and the command that makes it.
func Missing(view, caption, what, command string, notes ...string) Section {
	t := &table.Table{ID: "view-missing", Title: view + ": missing", Caption: caption, Columns: []table.Column{{Name: "missing"}, {Name: "made by"}}, Notes: notes,
		Rows: []table.Row{{Entries: []table.Entry{{Text: what, Tone: table.Absent}, {Text: command}}}}}
	return Section{ID: t.ID + "-section", Title: t.Title, Tables: []*table.Table{t}}
}

// Listed is a list of the tables that there are.
func Listed(tables ...*table.Table) []*table.Table {
	var out []*table.Table
	for _, t := range tables {
		if t != nil {
			out = append(out, t)
		}
	}
	return out
}

// TradeoffTitle heads what sets p-MRR against a measure of quality.
const TradeoffTitle = "Following instructions against finding documents"
