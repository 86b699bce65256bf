package page

import (
	"fmt"
	"html/template"
	"slices"

	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/chart"
	"infbench/reports/section"
)

// For pages that a server gives out, which are made of the same parts.

// Parts are the templates of sections ("section", of what Views gives), figures and tables.
func Parts() (*template.Template, error) {
	t, err := template.New("page.html").Funcs(template.FuncMap{"minus": words.Minus, "image": image, "hole": leftOpen, "tableOf": viewOfTable}).ParseFS(PageFiles, "page.html")
	if err != nil {
		return nil, fmt.Errorf("page template: %w", err)
	}
	return t, nil
}

// Views are the sections that have something to show, with headings from a level on: 2 is
// h2.
func Views(sections []section.Section, level int) []any {
	var out []any
	for _, v := range viewsOf(sections, level) {
		out = append(out, v)
	}
	return out
}

// ChartOptions are those of the charts of some sections by the ID of their figures, as JSON for
// a script element.
func ChartOptions(sections []section.Section) (template.JS, error) {
	data, err := reports.ScriptJSON(options(sections))
	return template.JS(data), err
}

// ServedFiles are the files that pages are made with by name: page.css, page.js, which heeds the
// event infbench:update of the document, and echarts.js where it was embedded.
func ServedFiles() (map[string][]byte, error) {
	css, err := PageFiles.ReadFile("page.css")
	if err != nil {
		return nil, err
	}
	js, err := pageScript()
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{"page.css": slices.Concat([]byte(chart.PaletteCSS()), css), "page.js": js}
	echarts, err := script()
	if len(echarts) > 0 {
		out["echarts.js"] = echarts
	}
	return out, err
}
