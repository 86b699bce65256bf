package write

import (
	"io"

	"infbench/reports"
	"infbench/reports/table"
)

// WriteLaTeX prints the tables of a report as booktabs tables, ready to be
// \input; the document needs \usepackage{booktabs} and UTF-8 input.
func WriteLaTeX(w io.Writer, r *reports.Report) error {
	p := &table.Printer{W: w}
	p.Line("% " + table.LatexText(r.Title) + "; needs \\usepackage{booktabs}")
	for _, t := range r.Tables() {
		p.Line("")
		t.Latex(p)
	}
	return p.Err
}
