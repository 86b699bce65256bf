// Package page prints HTML files that open from disk, with a content policy that forbids
// the network and a seal: a report, and the sheet of an annotator. It computes no numbers.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/chart"
	"infbench/reports/section"
	"infbench/reports/table"
)

//go:embed page.html page.css page_contents.js page_filters.js page_marks.js page.js page_queries.js page_tables.js page_take.js page_view.js
var PageFiles embed.FS

// assets contains echarts.min.js if `make assets` ran before the build, else nothing
// useful.
//
//go:embed all:assets
var assets embed.FS

// page is the data of the template. Only first-party files and the pinned ECharts script
// have types that are inserted unescaped; all external text is a string.
type page struct {
	*reports.Report
	Nav      []navItem
	Told     bool // the first section is an answer; the findings follow it
	Sections []sectionView
	Policy   string
	CSS      template.CSS
	Script   template.JS
	ECharts  template.JS
	Digest   string      // of all values; "" if there are none
	Static   bool        // there are charts but no ECharts script
	Options  template.JS // mark for the JSON of all chart options by figure ID
	Values   template.JS // mark for Report.Data, if any
	Asked    template.JS // mark for Report.Queries, if any
}

// warningsAtMost limits the warnings above the answer, so that the answer stays on the first
// screen; the others are folded.
const warningsAtMost = 2

// FirstWarnings returns the warnings that are always shown.
func (p page) FirstWarnings() []string { return p.Warnings[:p.warnings()] }

// MoreWarnings returns the warnings that are folded.
func (p page) MoreWarnings() []string { return p.Warnings[p.warnings():] }

// warnings counts the warnings that are always shown; one is never folded alone.
func (p page) warnings() int {
	if len(p.Warnings) <= warningsAtMost+1 {
		return len(p.Warnings)
	}
	return warningsAtMost
}

// navItem is a line of the table of contents.
type navItem struct {
	*section.Section
	Depth int
}

// sectionView is a section with the level of its heading.
type sectionView struct {
	*section.Section
	Level int
	Parts []sectionView
}

// viewsOf lists the sections that are not empty.
func viewsOf(sections []section.Section, level int) []sectionView {
	var out []sectionView
	for i := range sections {
		if s := &sections[i]; !s.Empty() {
			out = append(out, sectionView{s, level, viewsOf(s.Parts, level+1)})
		}
	}
	return out
}

// Write prints a report as one HTML file that opens from disk and can be read without
// JavaScript. Its content security policy forbids loading anything, and running scripts or
// styles but its own.
func Write(w io.Writer, r *reports.Report) error {
	echarts, err := script()
	if err != nil {
		return err
	}
	if len(options(r.Sections)) == 0 {
		echarts = nil // do not embed a megabyte that is not used
	}
	return WriteWith(w, r, echarts)
}

// script returns the embedded ECharts script, or nil if there is none.
func script() ([]byte, error) {
	echarts, err := fs.ReadFile(assets, "assets/echarts.min.js")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read embedded script: %w", err)
	}
	return echarts, nil
}

// WriteWith prints a report as a page that draws its charts with that ECharts script;
// without one they are static drawings.
func WriteWith(w io.Writer, r *reports.Report, echarts []byte) error {
	return writeSealed(w, r, echarts, len(options(r.Sections)) > 0 && len(echarts) == 0, nil)
}

// WriteLike prints a report in the form of a given page: with the chart script if the page
// has it, else with the notice on static charts if the report has charts. If sections are
// blank, so that their charts are unknown, the notice is printed if the page has it. more
// has options of charts by the ID of their figures. The contents of blank sections are
// left out; in their place is the section's ID between two Holes.
func WriteLike(w io.Writer, r *reports.Report, page []byte, more map[string]any) error {
	echarts := scriptOf(page)
	blank := false
	section.Each(r.Sections, func(s *section.Section, _ int) { blank = blank || s.Blank })
	drawn := len(options(r.Sections)) > 0
	if !drawn && !blank {
		echarts = nil
	}
	return writeSealed(w, r, echarts, len(echarts) == 0 && (drawn || blank && bytes.Contains(page, []byte(notice))), more)
}

// Hole begins and ends the ID of a section whose content is left out.
const Hole = "\x00"

func leftOpen(id string) template.HTML { return template.HTML(Hole + id + Hole) }

// EChartsSHA256 is the digest of the script that make assets takes.
const EChartsSHA256 = "987554a0014ad7be585eccc91c4329d050b40c2c0ebd2e8ec84adca82c0eb843"

// scriptOf returns the chart script of a page, which may differ from the one in this
// binary; nil if there is no known script.
func scriptOf(page []byte) []byte {
	const start = "\n<script>"
	for rest, found := page, true; found; {
		if _, rest, found = bytes.Cut(rest, []byte(start)); !found {
			break
		}
		if text, _, closed := bytes.Cut(rest, []byte("</script>")); closed && disk.Sum(text) == EChartsSHA256 {
			return text
		}
	}
	return nil
}

// notice starts the paragraph on static charts.
const notice = `<p class="notice">`

func writeSealed(w io.Writer, r *reports.Report, echarts []byte, static bool, more map[string]any) error {
	defer r.SmallHeap()()
	return reports.WriteSealed(w, func(w io.Writer) error { return render(w, r, echarts, static, more) })
}

// render executes the template.
func render(w io.Writer, r *reports.Report, echarts []byte, static bool, more map[string]any) error {
	t, err := Parts()
	if err != nil {
		return err
	}
	css, err := PageFiles.ReadFile("page.css")
	if err != nil {
		return err
	}
	script, err := pageScript()
	if err != nil {
		return err
	}
	css = append([]byte(chart.PaletteCSS()), css...)
	digest := ""
	if r.Data != nil {
		digest = r.Data.Digest()
	}
	p := page{Digest: digest, Report: r, Sections: viewsOf(r.Sections, 2), CSS: template.CSS(css), Script: template.JS(script), ECharts: template.JS(echarts), Static: static}
	section.Each(r.Sections, func(s *section.Section, depth int) {
		p.Told = p.Told || s.Told && !s.Empty()
		if s.Nav != "" && !s.Empty() {
			p.Nav = append(p.Nav, navItem{s, depth})
		}
	})
	into := p.embedded(w, more)
	p.Policy = Policy(css, script, echarts)
	if err := t.Execute(into, p); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

// pageScript returns the page's own script: its files, one function after the other.
func pageScript() ([]byte, error) {
	var script []byte
	for _, name := range []string{"page_marks.js", "page_tables.js", "page.js", "page_queries.js", "page_filters.js", "page_take.js", "page_view.js", "page_contents.js"} {
		part, err := PageFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		script = append(script, part...)
	}
	return script, nil
}

// Policy returns a content security policy that allows exactly these inline styles and
// scripts, images inside the page, and nothing from elsewhere.
func Policy(css []byte, scripts ...[]byte) string {
	hash := func(text []byte) string {
		sum := sha256.Sum256(text)
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	var allowed []string
	for _, s := range scripts {
		if len(s) > 0 {
			allowed = append(allowed, hash(s))
		}
	}
	return fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'",
		strings.Join(allowed, " "), hash(css))
}

// options returns the chart options of all figures by their ID.
func options(sections []section.Section) map[string]any {
	out := map[string]any{}
	for i := range sections {
		for _, f := range sections[i].AllFigures() {
			if f.Option != nil {
				out[f.ID] = map[string]any{"height": f.Height, "option": f.Option}
			}
		}
	}
	return out
}

// tableView is a table as the page shows it.
type tableView struct {
	*table.Table
	Rows []table.Row // the rows that fit
}

// Limits of table rows on the page; leaderboards have more: reports.Options.Room. The
// files of the other formats have all rows, and so do the values that the page carries.
const (
	boardRowsAtMost = 4000
	RowsAtMost      = 500
)

// Wide reports whether a table should be printed in landscape.
func (t tableView) Wide() bool { return len(t.Columns) > 9 }

// viewOfTable cuts a table to the rows that fit, with a note if it does.
func viewOfTable(t *table.Table) tableView {
	room, all := RowsAtMost, len(t.Rows)+t.Left
	if t.Board {
		room = boardRowsAtMost
	}
	if all <= room {
		return tableView{t, t.Rows}
	}
	cut := *t
	cut.Notes = append([]string{fmt.Sprintf("The first %s of %s rows; --format csv and --format json have all.", words.Group(room), words.Group(all))},
		t.Notes[:min(len(t.Notes), RowsAtMost)]...)
	return tableView{&cut, t.Rows[:room]}
}

// image returns a drawing as a data address; as an image it cannot run scripts.
func image(svg []byte) template.URL {
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg))
}
