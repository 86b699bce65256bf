package table

import (
	"fmt"
	"strings"

	"infbench/internal/words"
)

func (t *Table) Latex(p *Printer) {
	spec := ""
	for _, c := range t.Columns {
		if c.Number {
			spec += "r"
		} else {
			spec += "l"
		}
	}
	p.Line(`\begin{table}`)
	p.Line(`\centering`)
	p.Line(`\caption{` + LatexText(t.Title+". "+t.Explained(true, "")) + `}`)
	p.Line(`\label{tab:` + t.ID + `}`)
	p.Line(`\begin{tabular}{@{}` + spec + `@{}}`)
	p.Line(`\toprule`)
	groups, rules := t.LatexGroups()
	if groups != "" {
		p.Line(groups)
		p.Line(rules)
	}
	p.Line(JoinLaTeX(t.Columns, func(c Column) string { return LatexText(c.Name) }))
	p.Line(`\midrule`)
	grouped := t.groupedByKind()
	for i, r := range t.Rows {
		if i > 0 && grouped && r.Kind != t.Rows[i-1].Kind {
			p.Line(`\addlinespace`)
		}
		p.Line(JoinLaTeX(r.Entries, func(e Entry) string {
			if e.Best {
				return `\textbf{` + LatexText(e.Text) + `}`
			}
			return LatexText(e.Text)
		}))
	}
	p.Line(`\bottomrule`)
	p.Line(`\end{tabular}`)
	for _, note := range t.Notes {
		p.Line(`\par\footnotesize ` + LatexText(note))
	}
	p.Line(`\end{table}`)
}

// LatexGroups returns the line of shared headings and the rules below them,
// both empty where no column has one.
func (t *Table) LatexGroups() (heads, rules string) {
	var cells, lines []string
	any := false
	for j := 0; j < len(t.Columns); {
		end := j + 1
		for end < len(t.Columns) && t.Columns[end].Group == t.Columns[j].Group {
			end++
		}
		text := LatexText(t.Columns[j].Group)
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

func JoinLaTeX[T any](items []T, text func(T) string) string {
	cells := make([]string, len(items))
	for i, item := range items {
		cells[i] = text(item)
	}
	return strings.Join(cells, " & ") + ` \\`
}

// LatexText escapes the ten special characters of TeX.
func LatexText(s string) string {
	return strings.NewReplacer(
		`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`,
		`%`, `\%`, `_`, `\_`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
		`<`, `\textless{}`, `>`, `\textgreater{}`,
	).Replace(words.Clean(s))
}

// groupedByKind reports whether the rows of each kind are neighbours.
func (t *Table) groupedByKind() bool {
	seen := map[Kind]bool{}
	for i, r := range t.Rows {
		if i > 0 && r.Kind == t.Rows[i-1].Kind {
			continue
		}
		if seen[r.Kind] {
			return false
		}
		seen[r.Kind] = true
	}
	return true
}
