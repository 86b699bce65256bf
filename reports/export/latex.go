package export

import (
	"io"

	"infbench/reports"
	"infbench/reports/section"
	"infbench/reports/table"
)

// WriteLaTeX prints the sections of a report as paragraphs and booktabs tables,
// ready to be \input; the document needs \usepackage{booktabs,amssymb} and UTF-8 input.
func WriteLaTeX(w io.Writer, r *reports.Report) error {
	p := &table.Printer{W: w}
	p.Line("% " + table.LatexText(r.Title) + "; needs \\usepackage{booktabs,amssymb}")
	eachSection(r, func(s *section.Section, _ int) {
		p.Line("")
		if s.Title != "" {
			p.Line(`\paragraph{` + table.LatexText(s.Title) + `}`)
		}
		for _, text := range about(s) {
			p.Line(table.LatexText(text) + `\par`)
		}
		for _, line := range linesOf(s) {
			p.Line(`\texttt{` + table.LatexText(line) + `}\par`)
		}
		for _, t := range tablesOf(s) {
			p.Line("")
			t.Latex(p)
		}
	})
	return p.Err
}
