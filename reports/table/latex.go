package table

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
)

// Latex prints the table with the packages booktabs and amssymb. Marks are superscripts that
// lines below the table explain, and numbers have minus signs.
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
	p.Line(`\caption{` + LatexText(strings.TrimSpace(t.Title+". "+t.Explained(true, ""))) + `}`)
	p.Line(`\label{tab:` + t.ID + `}`)
	p.Line(`\begin{tabular}{@{}` + spec + `@{}}`)
	p.Line(`\toprule`)
	groups, rules := t.latexGroups()
	if groups != "" {
		p.Line(groups)
		p.Line(rules)
	}
	names := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		names[j] = LatexText(c.Name)
	}
	p.Line(latexLine(names))
	p.Line(`\midrule`)
	grouped := t.groupedByKind()
	for i, r := range t.Rows {
		if i > 0 && grouped && r.Kind != t.Rows[i-1].Kind {
			p.Line(`\addlinespace`)
		}
		cells := make([]string, len(r.Entries))
		for j, e := range r.Entries {
			cells[j] = t.latexEntry(e, t.Columns[j])
		}
		p.Line(latexLine(cells))
	}
	p.Line(`\bottomrule`)
	p.Line(`\end{tabular}`)
	for _, note := range slices.Concat(t.latexMarks(), t.Notes) {
		if rest, ok := strings.CutPrefix(note, words.PartialMark+" "); ok {
			p.Line(`\par\footnotesize $^{*}$ ` + LatexText(rest))
			continue
		}
		p.Line(`\par\footnotesize ` + LatexText(note))
	}
	p.Line(`\end{table}`)
}

// Marks of significance in LaTeX, for the colours of the page.
const (
	betterMark = "▲"
	worseMark  = "▽"
)

// latexEntry returns an entry: its number in bold if it is the best, then its marks.
func (t *Table) latexEntry(e Entry, c Column) string {
	if !c.Number {
		if e.Best {
			return `\textbf{` + LatexText(e.Text) + `}`
		}
		return LatexText(e.Text)
	}
	number := Unmarked(e.Text)
	marks := e.Text[len(number):]
	if e.Sort == nil {
		number, marks = e.Text, ""
	}
	out := LatexText(words.Minus(number))
	if e.Best {
		out = `\textbf{` + out + `}`
	}
	marks = LatexText(marks)
	if strings.HasPrefix(marks, words.PartialMark) {
		marks = `$^{*}$` + marks[len(words.PartialMark):]
	}
	return out + marks + LatexText(t.significance(e))
}

// significance is the mark of an entry; "" if the table does not explain its colours.
func (t *Table) significance(e Entry) string {
	switch {
	case t.Colours+t.Against == "" || e.Sort == nil:
	case e.Tone == Better:
		return betterMark
	case e.Tone == Worse:
		return worseMark
	}
	return ""
}

// latexMarks explains the marks of significance, and marks that no note explains.
func (t *Table) latexMarks() []string {
	var out []string
	marked := func(has func(Entry) bool) bool {
		return slices.ContainsFunc(t.Rows, func(r Row) bool {
			for j, e := range r.Entries {
				if t.Columns[j].Number && e.Sort != nil && has(e) {
					return true
				}
			}
			return false
		})
	}
	if marked(func(e Entry) bool { return t.significance(e) != "" }) {
		said := betterMark + ": better, " + worseMark + ": worse. " + strings.Replace(t.Colours, "Coloured", "Marked", 1)
		if t.Against != "" {
			said = betterMark + ": significantly better than " + t.Against + ", " + worseMark + ": significantly worse."
		}
		out = append(out, strings.TrimSpace(said))
	}
	if marked(func(e Entry) bool {
		return strings.Contains(strings.TrimPrefix(e.Text, Unmarked(e.Text)), words.PartialMark)
	}) {
		out = append(out, words.PartialMark+" A mean over fewer values than planned.")
	}
	return out
}

// latexGroups returns the line of shared headings and the rules below them, both empty if no column
// has one.
func (t *Table) latexGroups() (heads, rules string) {
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
	return latexLine(cells), strings.Join(lines, " ")
}

// latexLine returns a line of a table.
func latexLine(cells []string) string { return strings.Join(cells, " & ") + ` \\` }

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

// LatexText escapes the ten special characters of TeX, and sets marks and mathematical signs by
// commands, which every engine and font has.
func LatexText(s string) string { return latexCommands.Replace(words.Clean(s)) }

var latexCommands = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`,
	`%`, `\%`, `_`, `\_`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`<`, `\textless{}`, `>`, `\textgreater{}`,
	`--`, `-{}-`, `−`, `$-$`, `×`, `$\times$`, `±`, `$\pm$`, `≤`, `$\le$`, `≥`, `$\ge$`, `–`, `--`,
	words.TopMark, `$^{\dagger}$`, words.AggregateMark, `$^{\ddagger}$`,
	betterMark, `$^{\blacktriangle}$`, worseMark, `$^{\triangledown}$`,
)
