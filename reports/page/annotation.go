package page

import (
	"embed"
	"fmt"
	"html/template"
	"io"

	"infbench/datasets/annotate"
	"infbench/reports"
	"infbench/reports/chart"
)

//go:embed sheet.html sheet.css sheet.js
var files embed.FS

// filled is the data of the template. Only first-party files and JSON with escaped markup
// are inserted unescaped.
type filled struct {
	*annotate.Sheet
	Policy string
	CSS    template.CSS
	Script template.JS
	Data   template.JS
}

// WriteSheet prints an annotator's sheet as one HTML page that opens from disk. It can be
// used with the keyboard alone, and saves the picks to a file that package
// datasets/annotate reads. Its content security policy allows no network, and no scripts
// or styles but its own.
func WriteSheet(w io.Writer, s *annotate.Sheet) error {
	t, err := template.ParseFS(files, "sheet.html")
	if err != nil {
		return fmt.Errorf("template of a sheet: %w", err)
	}
	css, err := files.ReadFile("sheet.css")
	if err != nil {
		return err
	}
	script, err := files.ReadFile("sheet.js")
	if err != nil {
		return err
	}
	data, err := reports.ScriptJSON(struct {
		Format string `json:"format"`
		*annotate.Sheet
	}{annotate.PicksFormat, s})
	if err != nil {
		return fmt.Errorf("questions of a sheet: %w", err)
	}
	css = append([]byte(chart.PaletteCSS()), css...)
	return reports.WriteSealed(w, func(w io.Writer) error {
		return t.Execute(w, filled{s, Policy(css, script), template.CSS(css), template.JS(script), template.JS(data)})
	})
}
