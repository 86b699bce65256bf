package reports

import (
	"fmt"
	"io"
	"strings"
)

// WriteLaTeX prints the tables of a report as booktabs tables, ready to be
// \input; the document needs \usepackage{booktabs} and UTF-8 input.
func WriteLaTeX(w io.Writer, r *Report) error {
	p := &printer{w: w}
	p.line("% " + latexText(r.Title) + "; needs \\usepackage{booktabs}")
	for _, t := range r.Tables() {
		p.line("")
		t.latex(p)
	}
	return p.err
}

func (t *Table) latex(p *printer) {
	spec := ""
	for _, c := range t.Columns {
		if c.Number {
			spec += "r"
		} else {
			spec += "l"
		}
	}
	p.line(`\begin{table}`)
	p.line(`\centering`)
	p.line(`\caption{` + latexText(t.Title+". "+t.Caption) + `}`)
	p.line(`\label{tab:` + t.ID + `}`)
	p.line(`\begin{tabular}{@{}` + spec + `@{}}`)
	p.line(`\toprule`)
	groups, rules := t.latexGroups()
	if groups != "" {
		p.line(groups)
		p.line(rules)
	}
	p.line(joinLaTeX(t.Columns, func(c Column) string { return latexText(c.Name) }))
	p.line(`\midrule`)
	for i, r := range t.Rows {
		if i > 0 && r.Kind != t.Rows[i-1].Kind {
			p.line(`\addlinespace`)
		}
		p.line(joinLaTeX(r.Entries, func(e Entry) string {
			if e.Best {
				return `\textbf{` + latexText(e.Text) + `}`
			}
			return latexText(e.Text)
		}))
	}
	p.line(`\bottomrule`)
	p.line(`\end{tabular}`)
	for _, note := range t.Notes {
		p.line(`\par\footnotesize ` + latexText(note))
	}
	p.line(`\end{table}`)
}

// latexGroups returns the line of shared headings and the rules below them,
// both empty where no column has one.
func (t *Table) latexGroups() (heads, rules string) {
	var cells, lines []string
	any := false
	for j := 0; j < len(t.Columns); {
		end := j + 1
		for end < len(t.Columns) && t.Columns[end].Group == t.Columns[j].Group {
			end++
		}
		text := latexText(t.Columns[j].Group)
		if text != "" {
			any = true
			lines = append(lines, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, j+1, end))
		}
		cells = append(cells, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, end-j, text))
		j = end
	}
	if !any {
		return "", ""
	}
	return strings.Join(cells, " & ") + ` \\`, strings.Join(lines, " ")
}

func joinLaTeX[T any](items []T, text func(T) string) string {
	cells := make([]string, len(items))
	for i, item := range items {
		cells[i] = text(item)
	}
	return strings.Join(cells, " & ") + ` \\`
}

// latexText escapes the ten special characters of TeX.
func latexText(s string) string {
	return strings.NewReplacer(
		`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`,
		`%`, `\%`, `_`, `\_`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
		`<`, `\textless{}`, `>`, `\textgreater{}`,
	).Replace(clean(s))
}
