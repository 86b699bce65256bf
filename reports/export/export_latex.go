package export

import (
	"bytes"
	"fmt"
	"strings"

	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/contrast"
	"infbench/reports/table"
	"infbench/runners/results"
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
	t := *b.Leaderboard
	var references []string
	for _, f := range b.Families {
		references = words.AddNew(references, f.Reference)
	}
	if len(references) > 0 {
		t.Against = strings.Join(references, " or ")
		t.Caption += fmt.Sprintf(" Differences from %s: %s, Holm-corrected p ≤ %v.", t.Against, contrast.Method, contrast.Significant)
	}
	t.Latex(p)
}
