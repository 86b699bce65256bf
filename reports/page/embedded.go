package page

import (
	"fmt"
	"html/template"
	"io"
	"maps"

	"infbench/reports"
)

// embedded is a writer that inserts the data of scripts at marks. The template
// writes each mark in one call. embedded encodes the data at its mark and then releases it; the
// template would hold several copies of all data.
type embedded struct {
	w     io.Writer
	parts map[string]part
}

// part is a value for scripts.
type part struct {
	name  string
	value any
}

// Write implements io.Writer.
func (e embedded) Write(text []byte) (int, error) {
	if len(text) == 0 || text[0] != Hole[0] {
		return e.w.Write(text)
	}
	p, ok := e.parts[string(text)]
	if !ok {
		return e.w.Write(text)
	}
	data, err := reports.ScriptJSON(p.value)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", p.name, err)
	}
	if _, err := e.w.Write(data); err != nil {
		return 0, err
	}
	return len(text), nil
}

// embedded marks the places of script data in the template, and returns the writer for the
// page. more has options of charts by the ID of their figures.
func (p *page) embedded(w io.Writer, more map[string]any) io.Writer {
	charts := map[string]any{}
	maps.Copy(charts, more)
	maps.Copy(charts, options(p.Report.Sections))
	e := embedded{w, map[string]part{}}
	place := func(at *template.JS, name string, value any) {
		*at = template.JS(Hole + "script: " + name + Hole) // no section ID contains a space
		e.parts[string(*at)] = part{name, value}
	}
	place(&p.Options, "chart options", charts)
	if p.Data != nil {
		place(&p.Values, "data of the page", p.Data)
	}
	if p.Queries != nil {
		place(&p.Asked, "queries", p.Queries)
	}
	return e
}
