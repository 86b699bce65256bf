// Package section holds the parts of a report as data: headings with tables, figures and
// notes. It computes nothing and prints nothing.
package section

import (
	"fmt"
	"slices"

	"infbench/reports/chart"
	"infbench/reports/table"
)

// Section is a heading with its content. Formats print sections without knowing which ones
// exist, and leave out empty ones.
type Section struct {
	ID        string // unique within a report, fit for an HTML id
	Title     string
	Nav       string // its name in a list of sections; "" to leave it out
	Badge     string // a word next to the title
	Intro     string
	Terms     []Term
	Tables    []*table.Table
	Legend    string // how to read the tables
	Figures   []*chart.Figure
	Grid      Grid   // arrangement of the figures
	Live      string // ID of an element that the page's script fills; "" for none
	Notes     []string
	Told      bool   // the notes are the result, and come first
	Text      string // a file's text, printed verbatim
	Folded    bool   // the page shows only the title until the reader opens it
	Unprinted bool   // a folded section is left out on paper
	Source    Source
	Parts     []Section

	// Blank marks a section that has only its heading because its sources are missing when
	// a page is checked.
	Blank bool
}

// Term is a name with its description.
type Term struct {
	Name, Text string
	More       []string
	Command    string     // the command that does it
	Links      []Link     // addresses on the web
	Tone       table.Tone // tone of the text
}

// Link is an address on the web with its name. It comes from the program, never from the data of
// a report.
type Link struct{ Name, Address string }

// Grid is the page's arrangement of figures.
type Grid string

// The arrangements.
const (
	Stacked   Grid = ""
	Paired    Grid = "grid"
	Multiples Grid = "grid small"
)

// Source is the data that a section is made from, against which it can be checked. The
// zero value means the values that a page carries.
type Source struct {
	From From
	Name string // name of an external source
	Hash string // its SHA-256

	Absent bool // the external source is not available
	Tests  bool // the section holds tests
}

// From is a kind of source.
type From int

// The kinds of sources.
const (
	FromValues    From = iota // per-query values and options, which a page carries
	FromRuns                  // times, machines, curves and texts, which only run folders have
	FromElsewhere             // external numbers, identified by their hash
)

// OfRuns returns the source of sections made from run folders.
func OfRuns() Source { return Source{From: FromRuns} }

// TestsOfRuns is like OfRuns, for a section that holds tests.
func TestsOfRuns() Source { return Source{From: FromRuns, Tests: true} }

// Empty reports whether there is nothing to show under the heading.
func (s *Section) Empty() bool {
	return !s.Blank && s.Live == "" && s.Text == "" && len(s.Terms)+len(s.Tables)+len(s.Figures)+len(s.Notes) == 0 &&
		!slices.ContainsFunc(s.Parts, func(p Section) bool { return !p.Empty() })
}

// Each calls visit for every section and part, a section before its parts, with the depth
// of its heading: 0 for a section.
func Each(sections []Section, visit func(s *Section, depth int)) { walk(sections, 0, visit) }

func walk(sections []Section, depth int, visit func(*Section, int)) {
	for i := range sections {
		visit(&sections[i], depth)
		walk(sections[i].Parts, depth+1, visit)
	}
}

// AllTables lists the tables of a section and its parts in order, including those of its
// figures.
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

// Missing returns a section that names a missing view and the command that makes it.
func Missing(view, caption, what, command string, notes ...string) Section {
	t := &table.Table{ID: "view-missing", Title: view + ": missing", Caption: caption, Columns: []table.Column{{Name: "missing"}, {Name: "made by"}}, Notes: notes,
		Rows: []table.Row{{Entries: []table.Entry{{Text: what, Tone: table.Absent}, {Text: command}}}}}
	return Section{ID: t.ID + "-section", Title: t.Title, Tables: []*table.Table{t}}
}

// Listed returns the tables that are not nil.
func Listed(tables ...*table.Table) []*table.Table {
	var out []*table.Table
	for _, t := range tables {
		if t != nil {
			out = append(out, t)
		}
	}
	return out
}

// TradeoffTitle is the title of views that plot p-MRR against a quality measure.
const TradeoffTitle = "Following instructions against finding documents"
