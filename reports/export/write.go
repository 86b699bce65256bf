package export

import (
	"io"

	"infbench/internal/nearest"
	"infbench/reports"
	"infbench/reports/page"
)

// writers lists the formats by name; a new format is added here only.
func writers() map[string]func(io.Writer, *reports.Report) error {
	return map[string]func(io.Writer, *reports.Report) error{
		"terminal": WriteTerminal,
		"markdown": WriteMarkdown,
		"latex":    WriteLaTeX,
		"csv":      WriteCSV,
		"json":     WriteJSON,
		"html":     page.Write,
	}
}

// Formats lists the names of formats for Write.
func Formats() []string { return []string{"terminal", "markdown", "latex", "csv", "json", "html"} }

// Write prints a report in the named format.
func Write(w io.Writer, r *reports.Report, format string) error {
	write, ok := writers()[format]
	if !ok {
		return nearest.Unknown("format", format, Formats())
	}
	return write(w, r)
}
