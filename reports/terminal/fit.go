package terminal

import (
	"slices"
	"strings"

	"infbench/reports/table"
)

// gap is how many columns stand between those of a table, and margin before the first.
const (
	gap    = 2
	margin = 1
)

// readable is how narrow a column of text may become, before columns move to another
// block.
const readable = 24

// grid is a table as clean text, with what each of its columns needs.
type grid struct {
	t       *table.Table
	cells   [][]string // by row
	natural []int      // columns that the longest entry takes
	head    []int      // that the heading takes in one line
	word    []int      // that the longest word of the heading takes
}

// block is some columns of a table that stand beside each other, with their widths.
type block struct {
	columns, widths []int
}

// total is the width of a block with its margin and gaps.
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

// names counts the first columns that tell the rows apart: they head every block.
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

// wide is the width of a column whose heading is in one line, least that of one whose
// heading, and whose text where it is long, is wrapped.
func (g *grid) wide(j int) int { return max(g.natural[j], g.head[j]) }

func (g *grid) least(j int) int {
	w := g.natural[j]
	if !g.t.Columns[j].Number {
		w = min(w, readable)
	}
	return max(w, g.word[j], 2)
}

// blocks lays the columns out within width: side by side if they fit, with wrapped
// headings and texts if that is enough, else in several blocks, each headed by the
// columns that name the rows.
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

// and is a block with one more column.
func (b block) and(column, width int) block {
	return block{append(slices.Clip(b.columns), column), append(slices.Clip(b.widths), width)}
}

// heads are the columns that name rows, on at most half of the width.
func (g *grid) heads(named, width int) block {
	b := block{}
	for j := range named {
		b = b.and(j, g.least(j))
	}
	for b.total() > max(width/2, width-margin-gap-readable) && shrink(b.widths) {
	}
	return b
}

// settle brings a block into the width, where one column was too wide for it, and gives
// what is left to what is wrapped: columns, the ones that lack most first, then headings
// in common.
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

// lacking is the place in a block of the column to widen; -1 where none is wrapped.
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

// shrink narrows the widest by one; false where none holds more than one wide character.
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

// spread is a block with the columns of a group so wide that its heading, as measured,
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

// span is columns of a block, from one to before another, with a heading in common.
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

// longestWord is the width of the longest word of a text.
func longestWord(text string) int {
	most := 0
	for word := range strings.FieldsSeq(text) {
		most = max(most, Width(word))
	}
	return most
}
