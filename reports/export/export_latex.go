package export

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"infbench/reports"
	"infbench/reports/contrast"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Marks of significance in LaTeX.
const (
	higherMark = `$^{\blacktriangle}$`
	lowerMark  = `$^{\triangledown}$`
)

// exportLaTeX writes the leaderboards as booktabs tables, with a mark at each
// number that differs significantly from the reference.
func exportLaTeX(exps []*results.Experiment, opts reports.Options) ([]File, []string, error) {
	r, err := reports.Build(exps, opts)
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	p := &table.Printer{W: &b}
	p.Line("% " + table.LatexText(r.Title) + "; needs \\usepackage{booktabs,amssymb}")
	for _, board := range r.Boards {
		p.Line("")
		latex(board, p)
	}
	return []File{{"leaderboard.tex", b.Bytes()}}, nil, p.Err
}

// latex prints the leaderboard of a board.
func latex(b *reports.Board, p *table.Printer) {
	marks, notes := marks(b)
	t := b.Leaderboard
	p.Line(`\begin{table}`)
	p.Line(`\centering`)
	p.Line(`\caption{` + table.LatexText(t.Title+". "+t.Explained(true, "")) + strings.Join(notes, "") + `}`)
	p.Line(`\label{tab:` + t.ID + `}`)
	p.Line(`\begin{tabular}{@{}` + latexColumns(t) + `@{}}`)
	p.Line(`\toprule`)
	if groups, rules := t.LatexGroups(); groups != "" {
		p.Line(groups)
		p.Line(rules)
	}
	p.Line(table.JoinLaTeX(t.Columns, func(c table.Column) string { return table.LatexText(c.Name) }))
	p.Line(`\midrule`)
	for i, r := range t.Rows {
		if i > 0 && r.Kind != t.Rows[i-1].Kind {
			p.Line(`\addlinespace`)
		}
		cells := make([]string, len(r.Entries))
		for j, e := range r.Entries {
			cells[j] = table.LatexText(e.Text)
			if e.Best {
				cells[j] = `\textbf{` + cells[j] + `}`
			}
			cells[j] += marks[markKey{r.Entries[0].Text, t.Columns[j].Flat()}]
		}
		p.Line(strings.Join(cells, " & ") + ` \\`)
	}
	p.Line(`\bottomrule`)
	p.Line(`\end{tabular}`)
	p.Line(`\end{table}`)
}

func latexColumns(t *table.Table) string {
	spec := ""
	for _, c := range t.Columns {
		if c.Number {
			spec += "r"
		} else {
			spec += "l"
		}
	}
	return spec
}

// markKey is a cell of a leaderboard: its row, and the heading of its column.
type markKey struct{ system, column string }

// marks finds the cells that differ significantly from the reference, and describes the test of
// each family once.
func marks(b *reports.Board) (map[markKey]string, []string) {
	marks := map[markKey]string{}
	var notes []string
	for _, f := range b.Families {
		for _, c := range f.Contrasts {
			if c.Shown() {
				marks[markKey{c.B.Label, c.On.Heading().Flat()}] = map[bool]string{true: higherMark, false: lowerMark}[c.Difference > 0]
			}
		}
		note := fmt.Sprintf(" %s: significantly higher, %s: lower than %s (%s, Holm-corrected $p \\le %v$).",
			higherMark, lowerMark, table.LatexText(f.Reference), table.LatexText(contrast.Method), contrast.Significant)
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return marks, notes
}
