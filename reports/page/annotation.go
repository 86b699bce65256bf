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

// filled is what the template is filled with. Only first-party files and JSON with its
// markup escaped pass unescaped.
type filled struct {
	*annotate.Sheet
	Policy string
	CSS    template.CSS
	Script template.JS
	Data   template.JS
}

// WriteSheet prints the sheet of an annotator as one HTML page that opens from disk, asks
// its questions with the keyboard alone and saves the picks to a file, which package
// datasets/annotate reads. Its content security policy allows no network, and no script or
// style but its own.
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
