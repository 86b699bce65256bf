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

// The following functions are for pages from a server, which have the same parts.

// Parts returns the templates of sections ("section", for elements of Views), figures and
// tables.
func Parts() (*template.Template, error) {
	t, err := template.New("page.html").Funcs(template.FuncMap{"minus": words.Minus, "name": breakable, "isLong": isLong, "image": image, "hole": leftOpen, "tableOf": viewOfTable}).ParseFS(PageFiles, "page.html")
	if err != nil {
		return nil, fmt.Errorf("page template: %w", err)
	}
	return t, nil
}

// Views returns the sections that are not empty, with headings from a level on: 2 is h2.
func Views(sections []section.Section, level int) []any {
	var out []any
	for _, v := range viewsOf(sections, level) {
		out = append(out, v)
	}
	return out
}

// ChartOptions returns the options of the charts of some sections by figure ID, as JSON
// for a script element.
func ChartOptions(sections []section.Section) (template.JS, error) {
	data, err := reports.ScriptJSON(options(sections))
	return template.JS(data), err
}

// ServedFiles returns the files of pages by name: page.css, page.js, which handles the
// document's event infbench:update, and echarts.js if it was embedded.
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
