package terminal

import (
	"strings"

	"infbench/internal/words"
	"infbench/reports/table"
)

// cleaned is text that cannot do anything to a terminal.
func cleaned(text string) string { return strings.TrimSpace(words.Clean(text)) }

// Table lays a table out as lines, none wider than the screen: columns that do not fit
// beside each other follow in further blocks, which begin with what names the rows. Its
// title, caption and notes are not among them.
func (s Screen) Table(t *table.Table) []string {
	g := newGrid(t)
	var lines []string
	for i, b := range g.blocks(s.Width) {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, s.head(g, b)...)
		lines = append(lines, strings.Repeat("─", b.total()))
		for r := range t.Rows {
			lines = append(lines, s.row(g, b, r)...)
		}
	}
	return lines
}

// head is the headings of a block: what columns share, then their own.
func (s Screen) head(g *grid, b block) []string {
	var shared, own []box
	grouped := false
	for _, p := range g.spans(b) {
		grouped = grouped || p.text != ""
		shared = append(shared, box{lines: p.lines(), width: p.width, right: g.t.Columns[b.columns[p.from]].Number})
	}
	for i, j := range b.columns {
		c := g.t.Columns[j]
		own = append(own, box{lines: Wrap(cleaned(c.Name), b.widths[i]), width: b.widths[i], right: c.Number})
	}
	if !grouped {
		return s.beside(bottomed(own))
	}
	return append(s.beside(bottomed(shared)), s.beside(bottomed(own))...)
}

// lines are a shared heading, with a rule where it is narrower than its columns.
func (p span) lines() []string {
	lines := Wrap(p.text, p.width)
	first := &lines[0]
	if free := p.width - Width(*first); len(lines) == 1 && p.text != "" && p.to-p.from > 1 && free > 1 {
		*first = strings.Repeat("─", free-1) + " " + *first
	}
	return lines
}

// row is the lines of one row in a block.
func (s Screen) row(g *grid, b block, r int) []string {
	var cells []box
	for i, j := range b.columns {
		c := box{lines: Wrap(g.cells[r][j], b.widths[i]), width: b.widths[i], right: g.t.Columns[j].Number}
		if j < len(g.t.Rows[r].Entries) {
			c.as = styleOf(g.t.Rows[r].Entries[j])
		}
		cells = append(cells, c)
	}
	return s.beside(cells)
}

// box is a cell as it is set: some lines of one width.
type box struct {
	lines []string
	width int
	right bool
	as    style
}

// bottomed lets headings of few lines stand right above their columns.
func bottomed(cells []box) []box {
	most := 0
	for _, c := range cells {
		most = max(most, len(c.lines))
	}
	for i, c := range cells {
		cells[i].lines = append(make([]string, most-len(c.lines)), c.lines...)
	}
	return cells
}

// beside sets cells beside each other, without blanks at the ends of lines.
func (s Screen) beside(cells []box) []string {
	most := 0
	for _, c := range cells {
		most = max(most, len(c.lines))
	}
	lines := make([]string, most)
	for n := range lines {
		line, blanks := "", margin
		for _, c := range cells {
			text := ""
			if n < len(c.lines) {
				text = c.lines[n]
			}
			free := max(0, c.width-Width(text))
			if c.right {
				blanks += free
			}
			if text != "" {
				line, blanks = line+strings.Repeat(" ", blanks)+s.paint(c.as, text), 0
			}
			if !c.right {
				blanks += free
			}
			blanks += gap
		}
		lines[n] = line
	}
	return lines
}
