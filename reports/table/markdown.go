package table

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"infbench/internal/words"
)

// MarkdownEntry returns an entry's text, in bold if it is the best of its column.
func MarkdownEntry(e Entry) string {
	if e.Best {
		return "**" + MarkdownText(e.Text) + "**"
	}
	return MarkdownText(e.Text)
}

// MarkdownText escapes every character that Markdown or HTML could read as markup;
// tablewriter escapes none. GitHub adds some links, mentions and emoji after it parsed the
// Markdown, where escapes have no effect. Like Dependabot, MarkdownText breaks these with
// a zero-width space. It writes a dollar sign as a character reference, because an escaped
// one may begin a formula. A commit hash stays intact, so that it can be copied, unless it
// follows a name and an @.
func MarkdownText(s string) string {
	s = words.Clean(s)
	var b strings.Builder
	for i, r := range s {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '$':
			b.WriteString("&#36;")
		case '|', '*', '_', '`', '[', ']', '\\', '~', '#', '!':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		if r < utf8.RuneSelf && isReference(s[:i], s[i:]) {
			b.WriteString(zeroWidthSpace)
		}
	}
	return b.String()
}

const zeroWidthSpace = "\u200b"

// isReference reports whether text, preceded by before, starts with a character from which
// GitHub makes a mention, an e-mail address, a web address, an emoji or an issue
// reference. The measure nDCG@10 is not a reference.
func isReference(before, text string) bool {
	switch text[0] {
	case '@':
		return !afterWord.MatchString(before) || !cutoff.MatchString(text)
	case ':':
		return colon.MatchString(text)
	case '#':
		return issue.MatchString(text)
	case 'w', 'W':
		return www.MatchString(before[max(0, len(before)-2):] + text[:min(2, len(text))])
	case 'h', 'H':
		return gh.MatchString(before[max(0, len(before)-1):] + text[:min(3, len(text))])
	}
	return false
}

var (
	afterWord = regexp.MustCompile(`[A-Za-z0-9]$`)
	cutoff    = regexp.MustCompile(`^@[0-9]{1,6}(?:[^A-Za-z0-9._-]|$)`)
	colon     = regexp.MustCompile(`^:(?://|(?:[0-9_+-]*[a-z][a-z0-9_+-]*|[+-]1|100|1234):)`)
	issue     = regexp.MustCompile(`^#[0-9]`)
	www       = regexp.MustCompile(`^(?i:www)\.$`)
	gh        = regexp.MustCompile(`^(?i:gh)-[0-9]$`)
)

// MarkdownTable returns a table in Markdown.
func MarkdownTable(t *Table) (string, error) {
	var b strings.Builder
	err := t.Markdown(&b)
	return b.String(), err
}

// Markdown prints the table in GitHub's Markdown through tablewriter. A shared heading is
// joined with the column's own. Automatic formatting is off: it would print nDCG@5 as
// NDCG@5 and merge equal neighbours.
func (t *Table) Markdown(w io.Writer) error {
	align := make([]tw.Align, len(t.Columns))
	head := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		align[j] = tw.AlignLeft
		if c.Number {
			align[j] = tw.AlignRight
		}
		head[j] = MarkdownText(c.Name)
		if c.Group != "" {
			head[j] = MarkdownText(c.Group) + " " + head[j]
		}
	}
	plain := tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone}
	columns := tw.CellAlignment{PerColumn: align}
	table := tablewriter.NewTable(w,
		tablewriter.WithRenderer(renderer.NewMarkdown()),
		tablewriter.WithConfig(tablewriter.Config{
			Header: tw.CellConfig{Formatting: plain, Alignment: columns},
			Row:    tw.CellConfig{Formatting: plain, Alignment: columns},
		}))
	table.Header(head)
	for _, r := range t.Rows {
		cells := make([]string, len(r.Entries))
		for j, e := range r.Entries {
			cells[j] = MarkdownEntry(e)
		}
		if err := table.Append(cells); err != nil {
			return fmt.Errorf("table %s: %w", t.ID, err)
		}
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("table %s: %w", t.ID, err)
	}
	return nil
}
