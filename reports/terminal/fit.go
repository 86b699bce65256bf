package terminal

import (
	"slices"
	"strings"

	"infbench/reports/table"
)

// gap is the number of blanks between columns; margin is the number before the first.
const (
	gap    = 2
	margin = 1
)

// readable is the smallest width of a text column; below it, columns move to another
// block.
const readable = 24

// grid is a table as clean text, with the widths that its columns need.
type grid struct {
	t       *table.Table
	cells   [][]string // by row
	natural []int      // width of the longest entry
	head    []int      // width of the heading on one line
	word    []int      // width of the longest word of the heading
}

// block is a group of columns printed next to each other, with their widths.
type block struct {
	columns, widths []int
}

// total returns the width of a block with its margin and gaps.
func (b block) total() int {
	n := margin + gap*(len(b.widths)-1)
	for _, w := range b.widths {
		n += w
	}
	return n
}

func newGrid(t *table.Table) *grid {
	n := len(t.Columns)
	g := &grid{t: t, natural: make([]int, n), head: make([]int, n), word: make([]int, n)}
	for j, c := range t.Columns {
		g.head[j], g.word[j] = Width(cleaned(c.Name)), longestWord(cleaned(c.Name))
	}
	for _, r := range t.Rows {
		row := make([]string, n)
		for j := range min(n, len(r.Entries)) {
			row[j] = cleaned(r.Entries[j].Text)
			g.natural[j] = max(g.natural[j], Width(row[j]))
		}
		g.cells = append(g.cells, row)
	}
	return g
}

// names returns how many of the first columns are needed to distinguish the rows. They
// start every block.
func (g *grid) names() int {
	for n := 1; n < len(g.t.Columns) && !g.t.Columns[n-1].Number; n++ {
		seen := map[string]bool{}
		for _, row := range g.cells {
			seen[strings.Join(row[:n], "\x00")] = true
		}
		if len(seen) == len(g.cells) {
			return n
		}
	}
	return 1
}

// wide returns the width of a column with its heading on one line; least returns the width
// with a wrapped heading and, if it is long, wrapped text.
func (g *grid) wide(j int) int { return max(g.natural[j], g.head[j]) }

func (g *grid) least(j int) int {
	w := g.natural[j]
	if !g.t.Columns[j].Number {
		w = min(w, readable)
	}
	return max(w, g.word[j], 2)
}

// blocks divides the columns into blocks that fit width. All columns form one block if
// they fit, possibly with wrapped headings and texts. Otherwise there are several blocks,
// and each starts with the columns that name the rows.
func (g *grid) blocks(width int) []block {
	all := block{}
	for j := range g.t.Columns {
		all = all.and(j, g.wide(j))
	}
	if all = g.spread(all, Width); width <= 0 || all.total() <= width {
		return []block{all}
	}
	var out []block
	heads := g.heads(g.names(), width)
	for j := len(heads.columns); ; {
		b := heads
		for first := j; j < len(g.t.Columns); j++ {
			with := b.and(j, g.least(j))
			if j > first && g.spread(with, longestWord).total() > width {
				break
			}
			b = with
		}
		b = g.spread(b, longestWord)
		g.settle(b, width)
		if out = append(out, b); j >= len(g.t.Columns) {
			return out
		}
	}
}

// and returns the block with one more column.
func (b block) and(column, width int) block {
	return block{append(slices.Clip(b.columns), column), append(slices.Clip(b.widths), width)}
}

// heads returns the columns that name rows, on at most half of the width.
func (g *grid) heads(named, width int) block {
	b := block{}
	for j := range named {
		b = b.and(j, g.least(j))
	}
	for b.total() > max(width/2, width-margin-gap-readable) && shrink(b.widths) {
	}
	return b
}

// settle fits a block into the width if one column was too wide for it. It gives the
// remaining width to wrapped columns, those that lack most first, then to wrapped shared
// headings.
func (g *grid) settle(b block, width int) {
	for b.total() > width && shrink(b.widths) {
	}
	for left := width - b.total(); left > 0; left-- {
		i := g.lacking(b)
		if i < 0 {
			return
		}
		b.widths[i]++
	}
}

// lacking returns the index of the column to widen in a block, or -1 if nothing is
// wrapped.
func (g *grid) lacking(b block) int {
	at, most := -1, 0
	for i, j := range b.columns {
		if lacks := g.wide(j) - b.widths[i]; lacks > most {
			at, most = i, lacks
		}
	}
	if at >= 0 {
		return at
	}
	for _, s := range g.spans(b) {
		if Width(s.text) > s.width {
			return s.to - 1
		}
	}
	return -1
}

// shrink narrows the widest column by one. It returns false if no column is wider than 2,
// the width of one wide character.
func shrink(widths []int) bool {
	widest := 0
	for i, w := range widths {
		if w > widths[widest] {
			widest = i
		}
	}
	if len(widths) == 0 || widths[widest] <= 2 {
		return false
	}
	widths[widest]--
	return true
}

// spread returns the block with columns widened until their shared heading, as measured,
// fits above them.
func (g *grid) spread(b block, measured func(string) int) block {
	b.widths = slices.Clone(b.widths)
	for _, s := range g.spans(b) {
		lacks := measured(s.text) - s.width
		for i := range max(0, lacks) {
			b.widths[s.from+i%(s.to-s.from)]++
		}
	}
	return b
}

// span is the range [from, to) of a block's columns that share a heading.
type span struct {
	text            string
	from, to, width int
}

// spans lists the shared headings of a block.
func (g *grid) spans(b block) []span {
	var out []span
	for i, j := range b.columns {
		text := cleaned(g.t.Columns[j].Group)
		if n := len(out); n > 0 && text != "" && out[n-1].text == text {
			out[n-1].to, out[n-1].width = i+1, out[n-1].width+gap+b.widths[i]
			continue
		}
		out = append(out, span{text, i, i + 1, b.widths[i]})
	}
	return out
}

// longestWord returns the width of the longest word of a text.
func longestWord(text string) int {
	most := 0
	for word := range strings.FieldsSeq(text) {
		most = max(most, Width(word))
	}
	return most
}
