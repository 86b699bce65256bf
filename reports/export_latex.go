package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"infbench/bench/results"
)

// Marks of significance in LaTeX.
const (
	higherMark = `$^{\blacktriangle}$`
	lowerMark  = `$^{\triangledown}$`
)

// exportLaTeX writes the leaderboards as booktabs tables, with a mark at each
// number that differs significantly from the reference.
func exportLaTeX(exps []*results.Experiment, opts Options) ([]File, []string, error) {
	r, err := Build(exps, opts)
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	p := &printer{w: &b}
	p.line("% " + latexText(r.Title) + "; needs \\usepackage{booktabs,amssymb}")
	for _, board := range r.Boards {
		p.line("")
		board.latex(p)
	}
	return []File{{"leaderboard.tex", b.Bytes()}}, nil, p.err
}

// latex prints the leaderboard of a board.
func (b *Board) latex(p *printer) {
	marks, notes := b.marks()
	t := b.Leaderboard
	p.line(`\begin{table}`)
	p.line(`\centering`)
	p.line(`\caption{` + latexText(t.Title+". "+t.Caption) + strings.Join(notes, "") + `}`)
	p.line(`\label{tab:` + t.ID + `}`)
	p.line(`\begin{tabular}{@{}` + latexColumns(t) + `@{}}`)
	p.line(`\toprule`)
	if groups, rules := t.latexGroups(); groups != "" {
		p.line(groups)
		p.line(rules)
	}
	p.line(joinLaTeX(t.Columns, func(c Column) string { return latexText(c.Name) }))
	p.line(`\midrule`)
	for i, r := range t.Rows {
		if i > 0 && r.Kind != t.Rows[i-1].Kind {
			p.line(`\addlinespace`)
		}
		cells := make([]string, len(r.Entries))
		for j, e := range r.Entries {
			cells[j] = latexText(e.Text)
			if e.Best {
				cells[j] = `\textbf{` + cells[j] + `}`
			}
			cells[j] += marks[markKey{r.Entries[0].Text, t.Columns[j].flat()}]
		}
		p.line(strings.Join(cells, " & ") + ` \\`)
	}
	p.line(`\bottomrule`)
	p.line(`\end{tabular}`)
	p.line(`\end{table}`)
}

func latexColumns(t *Table) string {
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

// marks finds the cells that differ significantly from the reference, and says
// once for each family how that was tested.
func (b *Board) marks() (map[markKey]string, []string) {
	marks := map[markKey]string{}
	var notes []string
	for _, f := range b.Families {
		for _, c := range f.Comparisons {
			key := markKey{c.System, c.of.heading().flat()}
			switch c.Verdict() {
			case "higher":
				marks[key] = higherMark
			case "lower":
				marks[key] = lowerMark
			}
		}
		note := fmt.Sprintf(" %s: significantly higher, %s: lower than %s (%s, Holm-corrected $p \\le %v$).",
			higherMark, lowerMark, latexText(f.Reference), latexText(f.Method), significant)
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return marks, notes
}
