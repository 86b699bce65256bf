package terminal

import (
	"strings"

	"infbench/internal/words"
	"infbench/reports/table"
)

// cleaned returns text without control sequences and outer blanks.
func cleaned(text string) string { return strings.TrimSpace(words.Clean(text)) }

// Table formats a table as lines that fit the screen. Columns that do not fit are printed
// in further blocks, which repeat the columns that name the rows. The lines do not include
// the title, caption and notes.
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

// head returns the heading lines of a block: shared headings, then the columns' own.
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
		return s.join(bottomed(own))
	}
	return append(s.join(bottomed(shared)), s.join(bottomed(own))...)
}

// lines returns the lines of a shared heading, with a rule if it is narrower than its
// columns.
func (p span) lines() []string {
	lines := Wrap(p.text, p.width)
	first := &lines[0]
	if free := p.width - Width(*first); len(lines) == 1 && p.text != "" && p.to-p.from > 1 && free > 1 {
		*first = strings.Repeat("─", free-1) + " " + *first
	}
	return lines
}

// row returns the lines of one row in a block.
func (s Screen) row(g *grid, b block, r int) []string {
	var cells []box
	for i, j := range b.columns {
		c := box{lines: Wrap(g.cells[r][j], b.widths[i]), width: b.widths[i], right: g.t.Columns[j].Number}
		if j < len(g.t.Rows[r].Entries) {
			c.as = styleOf(g.t.Rows[r].Entries[j])
		}
		cells = append(cells, c)
	}
	return s.join(cells)
}

// box is a wrapped cell: lines of one width.
type box struct {
	lines []string
	width int
	right bool
	as    style
}

// bottomed pads headings at the top, so that they end right above their columns.
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

// join sets cells side by side, without trailing blanks.
func (s Screen) join(cells []box) []string {
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
