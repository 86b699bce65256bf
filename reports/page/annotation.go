// Package annotation prints the sheet of an annotator as one HTML page that opens from
// disk, asks its questions by the keyboard alone and saves what was picked to a file. It
// knows nothing of what the questions are about; package datasets/annotate reads the
// file.

package page

import (
	"embed"
	"fmt"
	"html/template"
	"io"

	"infbench/datasets/annotate"
	"infbench/reports"
	"infbench/reports/chart"
	"infbench/reports/seal"
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

// WriteSheet prints a sheet as a page that, under its own content security policy, can neither
// load anything nor send anything, and runs no script or style but its own.
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
	return seal.Write(w, func(w io.Writer) error {
		return t.Execute(w, filled{s, Policy(css, script), template.CSS(css), template.JS(script), template.JS(data)})
	})
}
