package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter/renderer"

	"infbench/bench/results"
)

// CommentAtMost is the longest comment that GitHub takes, in characters.
const CommentAtMost = 65536

// CommentMark starts every comment, so that the next one can take its place.
const CommentMark = "<!-- infbench:leaderboard -->"

// commentRows bounds each table of a comment.
const commentRows = 25

// WriteComment prints a report as a comment on a pull request: what changed
// against a baseline and whether it is real, what is missing, the gate where
// there is one, and the leaderboards, folded. It never has more than
// CommentAtMost characters; what is left out is counted. Baseline and gate may be
// nil.
func WriteComment(w io.Writer, run, baseline []*results.Experiment, g *Gate, opts Options) error {
	r, err := Build(run, opts)
	if err != nil {
		return err
	}
	var parts []string
	head := CommentMark + "\n## " + markdownText(r.Title) + "\n"
	if g != nil {
		parts = append(parts, g.comment())
	}
	if baseline == nil {
		parts = append(parts, "No baseline to compare with.\n")
	} else {
		c, err := Compare(baseline, run, false, opts)
		if err != nil {
			return err
		}
		changes, err := c.comment()
		if err != nil {
			return err
		}
		parts = append(parts, changes...)
	}
	for _, b := range r.Boards {
		board, err := b.comment()
		if err != nil {
			return err
		}
		parts = append(parts, board)
	}
	_, err = io.WriteString(w, bounded(head, parts, CommentAtMost))
	return err
}

// bounded joins parts while they fit and counts those that do not, in order of
// their weight. Characters are what GitHub counts: UTF-16 units, which are at
// most as many as bytes, would let through no more.
func bounded(head string, parts []string, limit int) string {
	const reserve = 100 // for the last line
	if utf8.RuneCountInString(head) > limit-reserve {
		head = string([]rune(head)[:limit-reserve]) + "\n"
	}
	text, left := head, 0
	for _, p := range parts {
		if len16(text)+len16(p)+1 > limit-reserve {
			left++
			continue
		}
		text += "\n" + p
	}
	if left > 0 {
		text += fmt.Sprintf("\n%s left out, for room.\n", plural(left, "part was", "parts were"))
	}
	return text
}

// len16 counts UTF-16 units.
func len16(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// comment words a gate.
func (g *Gate) comment() string {
	failed := g.Failed()
	if len(failed) == 0 {
		return fmt.Sprintf("**Gate met**: %s.\n", plural(len(g.Checks), "check", "checks"))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**Gate not met**: %d of %s failed.\n\n", len(failed), plural(len(g.Checks), "check", "checks"))
	for i, c := range failed {
		if i == commentRows {
			fmt.Fprintf(&b, "- and %d more\n", len(failed)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", shortened(markdownText(c.sentence())))
	}
	return b.String()
}

// shortened keeps one line from filling a comment; cutting may leave half an
// escape, which shows as what it is.
func shortened(s string) string {
	const most = 600
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:most]), `\`) + " …"
}

// comment words what changed, one part a table.
func (c *Changes) comment() ([]string, error) {
	var higher, lower, unreal, other []*Shift
	for _, s := range c.byWeight() {
		switch {
		case s.Incomparable != "":
			other = append(other, s)
		case s.Real() && s.difference() > 0:
			higher = append(higher, s)
		case s.Real():
			lower = append(lower, s)
		case s.size() > 0:
			unreal = append(unreal, s)
		}
	}
	lost, fresh := c.gone()
	total := len(c.byWeight())
	parts := []string{fmt.Sprintf("Of %s that the baseline has too: **%d higher, %d lower**, %d moved by no more than chance explains, %d the same. %s.\n",
		plural(total, "number", "numbers"), len(higher), len(lower), len(unreal), total-len(higher)-len(lower)-len(unreal)-len(other),
		strings.ToUpper(c.Method[:1])+c.Method[1:]+", corrected by Holm")}
	if len(lost) > 0 {
		parts = append(parts, shortened("**Missing**: "+markdownText(listShifts("the baseline has it", lost)))+"\n")
	}
	if len(other) > 0 {
		parts = append(parts, shortened(fmt.Sprintf("**Not comparable**: %s: %s.", plural(len(other), "number", "numbers"), markdownText(other[0].Incomparable)))+"\n")
	}
	for _, group := range []struct {
		title  string
		shifts []*Shift
		open   bool
	}{{"Lower", lower, true}, {"Higher", higher, true}, {"Moved, but not shown to differ", unreal, false}} {
		part, err := commentTable(group.title, group.shifts, group.open)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part...)
	}
	if len(fresh) > 0 {
		parts = append(parts, shortened(markdownText(listShifts("New", fresh)))+"\n")
	}
	return parts, nil
}

// commentTable is a table of shifts, folded unless open; none for no shift.
func commentTable(title string, shifts []*Shift, open bool) ([]string, error) {
	if len(shifts) == 0 {
		return nil, nil
	}
	shown := shifts[:min(len(shifts), commentRows)]
	table, err := markdownTable(shiftTable("", title, shown))
	if err != nil {
		return nil, err
	}
	if n := len(shifts) - len(shown); n > 0 {
		table += fmt.Sprintf("\nand %d more\n", n)
	}
	if open {
		return []string{"### " + title + "\n\n" + table}, nil
	}
	return []string{folded(fmt.Sprintf("%s (%d)", title, len(shifts)), table)}, nil
}

// comment is the leaderboard of a board, folded, its best rows first.
func (b *Board) comment() (string, error) {
	t := *b.Leaderboard
	by := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Number })
	if by > 0 && len(t.Rows) > commentRows {
		t.Rows = slices.Clone(t.Rows)
		slices.SortStableFunc(t.Rows, func(x, y Row) int { return compareSort(y.Entries[by].Sort, x.Entries[by].Sort) })
		t.Rows = t.Rows[:commentRows]
	}
	table, err := markdownTable(&t)
	if err != nil {
		return "", err
	}
	if n := len(b.Leaderboard.Rows) - len(t.Rows); n > 0 {
		table += fmt.Sprintf("\nand %s below\n", plural(n, "system", "systems"))
	}
	return folded(markdownText(t.Title), table), nil
}

// compareSort orders numbers, those that are missing first.
func compareSort(a, b *float64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	case *a < *b:
		return -1
	case *a > *b:
		return 1
	}
	return 0
}

// folded hides a table behind its title, which must be escaped already.
func folded(title, body string) string {
	return "<details><summary>" + title + "</summary>\n\n" + body + "\n</details>\n"
}

func markdownTable(t *Table) (string, error) {
	var b strings.Builder
	err := t.text(&b, renderer.NewMarkdown(), markdownEntry, " ")
	return b.String(), err
}
