package paperview

import (
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/beside"
	"infbench/reports/published"
	"infbench/reports/table"
)

// form is the layout of a table of the paper.
type form struct {
	number string
	models bool           // models are the headings of columns; else of rows
	panel  int            // number of models in one table; further models are in the next; 0: all
	labels []table.Column // headings of the columns that name a row
	label  func(p *published.PrintedCell) []string
	class  func(p *published.PrintedCell) string // class in which the best is chosen; nil: the complete column
	counts bool                                  // no column has a best
	ranks  bool                                  // only complete benchmarks, each with its rank among models of a size
}

var (
	mainForm = form{number: "2", labels: []table.Column{{Name: "model"}, {Name: "trained"}},
		label: func(p *published.PrintedCell) []string { return []string{p.Model, p.Config} },
		class: func(p *published.PrintedCell) string { return p.Model }}
	lossForm   = form{number: "3", models: true, labels: lossLabels, label: lossLabel}
	detailForm = form{number: "6", models: true, panel: 2, labels: lossLabels, label: lossLabel}
	designForm = form{number: "4", labels: []table.Column{{Name: "share encoder"}, {Name: "pooling"}, {Name: "epochs"}, {Name: "model"}},
		label: func(p *published.PrintedCell) []string { return append(designOf(p.Config), p.Model) }}
	baselineForm = form{number: "5", labels: []table.Column{{Name: "model"}},
		label: func(p *published.PrintedCell) []string { return []string{p.Model} },
		class: func(p *published.PrintedCell) string { return p.Group }}
	sizeForm = form{number: "5", labels: baselineForm.labels, label: baselineForm.label, class: baselineForm.class, ranks: true}
	dataForm = form{number: "1", labels: []table.Column{{Name: "collection"}}, counts: true,
		label: func(p *published.PrintedCell) []string { return []string{p.Model} }}
)

// shown names the paper's element that a table of measured numbers follows: the figure of
// its view if it has ranks, else its table.
func (f form) shown(view string) string {
	if f.ranks {
		return view
	}
	return "Table " + f.number
}

var lossLabels = []table.Column{{Name: "loss"}, {Name: "printed as"}}

func lossLabel(p *published.PrintedCell) []string { return []string{LossOf(p.Config), p.Label} }

// LossOf returns this program's name for a row of the paper's tables of losses: "uni(P,I)"
// for uni:P+I, "attention, best" for attn:best, "base" unchanged.
func LossOf(config string) string {
	form, terms, ok := strings.Cut(config, ":")
	switch {
	case !ok:
		return config
	case form == "attn":
		return "attention, " + terms
	}
	return published.LossOf(form, terms)
}

// designOf parses "share_encoder=1;pooling=last;epochs=2".
func designOf(config string) []string {
	var out []string
	for choice := range strings.SplitSeq(config, ";") {
		_, value, _ := strings.Cut(choice, "=")
		out = append(out, value)
	}
	return out
}

// column is a column of numbers.
type column struct {
	block           string // its model, if models are the headings of columns
	dataset, metric string // as printed

	own  bool // not in the paper
	rank bool // the rank for the column before it
	best table.Best
}

// head returns the heading of a column.
func (c column) head(counts bool) table.Column {
	if counts {
		return table.Column{Name: words.Clean(c.metric), Best: table.NoBest, Number: true}
	}
	out := table.Column{Group: words.Clean(c.dataset), Name: words.Clean(c.metric), Number: true, Best: c.best}
	if !c.own {
		out.Best = beside.Best(c.metric)
	}
	if c.rank {
		out.Name, out.Best = out.Name+", rank", table.NoBest
	}
	if c.block != "" {
		out.Group, out.Name = words.Clean(c.block), words.Clean(c.dataset+" "+c.metric)
	}
	return out
}

// columnOf returns the column of an entry.
func (f form) columnOf(p *published.PrintedCell) column {
	c := column{dataset: p.Dataset, metric: p.Metric}
	if f.models {
		c.block = p.Model
	}
	if f.counts {
		c.dataset = ""
	}
	return c
}

// laidOut returns a table as printed.
func (f form) laidOut(p *published.Printed) grid {
	g := grid{form: f}
	for i := range p.Cells {
		cell := &p.Cells[i]
		g.columns = words.AddNew(g.columns, f.columnOf(cell))
		j := slices.IndexFunc(g.lines, func(l line) bool { return l.row == cell.Row })
		if j < 0 {
			j = len(g.lines)
			l := line{row: cell.Row, group: cell.Group, labels: words.CleanAll(f.label(cell)), of: cell, entries: map[column]table.Entry{}}
			if f.class != nil {
				l.class = f.class(cell)
			}
			g.lines = append(g.lines, l)
		}
		g.lines[j].entries[f.columnOf(cell)] = printedEntry(cell)
	}
	if f.ranks {
		return g.ranked()
	}
	return g
}

// printedEntry returns an entry as printed.
func printedEntry(p *published.PrintedCell) table.Entry {
	e := table.Entry{Text: words.Clean(p.Raw), Tone: table.Absent}
	if !p.Blank {
		e = table.Number(e.Text, p.Value)
	} else if p.Source == published.SourcePaper+", table 1" {
		e.Tone = table.Plain
	}
	e.Remark = words.Clean(strings.Join(p.Footnotes, "; "))
	return e
}
