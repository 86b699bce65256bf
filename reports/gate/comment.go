package gate

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/contrast"
	"infbench/reports/diff"
	"infbench/reports/table"
	"infbench/runners/results"
)

// commentAtMost is GitHub's limit on the length of a comment, in characters.
const commentAtMost = 65536

// CommentMark starts every comment, so that the next one can replace it.
const CommentMark = "<!-- infbench:leaderboard -->"

// causesShown limits the listed causes, and whyShown the text on causes of one number.
const (
	causesShown = 4
	whyShown    = 200
)

// commentRows limits each table of a comment.
const commentRows = 25

// CommentContext is what a pull-request comment shows besides the numbers.
type CommentContext struct {
	Gate   *Gate  // nil without a gate
	Report string // address of the full report, or ""
}

// WriteComment prints a report as a comment on a pull request: the changes against a baseline and
// whether they are real, other differences, missing numbers, the result of the gate if there is
// one, and the leaderboards, folded. With a gate, all results use the tests of the gate. The
// comment has at most commentAtMost characters; it counts the parts that are left out. The baseline
// may be nil.
func WriteComment(w io.Writer, run, baseline []*results.Experiment, known CommentContext, opts reports.Options) error {
	r, err := reports.Build(run, opts)
	if err != nil {
		return err
	}
	head := CommentMark + "\n## " + table.MarkdownText(r.Title) + "\n"
	var changes []string
	var why map[string][]string
	if baseline == nil {
		changes = []string{"No baseline to compare with.\n"}
	} else {
		c, corrected := (*diff.Changes)(nil), "corrected by Holm"
		if known.Gate != nil {
			c, corrected = known.Gate.Changes(), corrected+" over the tests of the gate (for numbers that it does not test: over all numbers)"
		} else if c, err = diff.Compare(baseline, run, false); err != nil {
			return err
		}
		why = c.BriefOf(nil, causesShown)
		if changes, err = changed(c, why, corrected); err != nil {
			return err
		}
	}
	var parts []string
	if known.Gate != nil {
		parts = append(parts, judged(known.Gate, why))
	}
	if known.Report != "" {
		parts = append(parts, "[The full report]("+known.Report+"): tests, ranks, every number and its origin.\n")
	}
	parts = append(parts, changes...)
	for _, b := range r.Boards {
		board, err := leaders(b)
		if err != nil {
			return err
		}
		parts = append(parts, board)
	}
	if known.Gate != nil {
		parts = append(parts, folded(DefinitionsTitle, Markdown()))
	}
	_, err = io.WriteString(w, bounded(head, parts, commentAtMost))
	return err
}

// bounded joins parts, in order of importance, while they fit, and counts the others. Like GitHub
// it counts UTF-16 units; bytes are never fewer.
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
		text += fmt.Sprintf("\n%s left out to limit the length.\n", words.Plural(left, "part was", "parts were"))
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

// judged describes the result of a gate, with the differences of the system of each number.
func judged(g *Gate, why map[string][]string) string {
	text := g.Summary()
	verdict := strings.ToUpper(g.Verdict()[:1]) + g.Verdict()[1:]
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**%s.\n", verdict, strings.TrimPrefix(text, g.Verdict()))
	for _, of := range []struct {
		title  string
		checks []Check
	}{{"Failed", g.Failed()}, {"Undecided", g.Undecided()}, {"Accepted", g.Accepted()}, {"No longer asked for", g.Dropped()}} {
		for i, c := range of.checks {
			switch {
			case i == commentRows:
				fmt.Fprintf(&b, "- and %d more\n", len(of.checks)-i)
			case i == 0:
				fmt.Fprintf(&b, "\n%s:\n\n- %s\n", of.title, checked(c, why))
			case i < commentRows:
				fmt.Fprintf(&b, "- %s\n", checked(c, why))
			}
		}
	}
	return b.String()
}

// checked describes a check with the differences of its system.
func checked(c Check, why map[string][]string) string {
	text, system := c.Sentence(), ""
	for label := range why {
		if strings.HasPrefix(c.Place, label+", ") && len(label) > len(system) {
			system = label
		}
	}
	if causes := why[system]; len(causes) > 0 {
		text += "; differences: " + strings.Join(causes, "; ")
	}
	return shortened(table.MarkdownText(text))
}

// shortened keeps one line from filling a comment. Cutting may leave half an escape, which is shown
// literally.
func shortened(s string) string {
	const most = 600
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:most]), `\`) + " …"
}

// changed describes the changes, with one part for each table; corrected describes the correction
// of the tests.
func changed(c *diff.Changes, why map[string][]string, corrected string) ([]string, error) {
	var higher, lower, once, unreal, other []*diff.Shift
	for _, s := range c.ByWeight() {
		switch {
		case s.Incomparable != "":
			other = append(other, s)
		case s.Real() && s.Contrast.OneRun: // another seed could change as much
			once = append(once, s)
		case s.Real() && s.Difference() > 0:
			higher = append(higher, s)
		case s.Real():
			lower = append(lower, s)
		case s.Size() > 0:
			unreal = append(unreal, s)
		}
	}
	dropped, lost := c.DroppedOrLost()
	_, fresh := c.Gone()
	total := len(c.ByWeight())
	parts := []string{fmt.Sprintf("%s in both run and baseline: **%d higher, %d lower**, %s%d moved but not shown to be real, %d the same. %s.\n",
		words.Plural(total, "number", "numbers"), len(higher), len(lower), onceWords(len(once)), len(unreal), total-len(higher)-len(lower)-len(once)-len(unreal)-len(other),
		strings.ToUpper(contrast.Method[:1])+contrast.Method[1:]+", "+corrected)}
	if causes := c.Brief(nil, causesShown); len(causes) > 0 {
		parts = append(parts, shortened("**Differences from the baseline**, first causes first: "+table.MarkdownText(strings.Join(causes, "; ")))+".\n")
	}
	if len(lost) > 0 {
		parts = append(parts, shortened("**Lost**: "+table.MarkdownText(diff.ListShifts("only in the baseline", lost)))+"\n")
	}
	if len(dropped) > 0 {
		parts = append(parts, shortened("**No longer asked for**: "+table.MarkdownText(diff.ListShifts("only in the baseline", dropped)))+"\n")
	}
	if len(other) > 0 {
		parts = append(parts, shortened(fmt.Sprintf("**Not comparable**: %s: %s.", words.Plural(len(other), "number", "numbers"), table.MarkdownText(other[0].Incomparable)))+"\n")
	}
	for _, group := range []struct {
		title  string
		shifts []*diff.Shift
		open   bool
	}{{"Lower", lower, true}, {"Higher", higher, true}, {onceTitle, once, true}, {"Moved, not shown to be real", unreal, false}} {
		part, err := commentTable(group.title, group.shifts, group.open, why)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part...)
	}
	if len(fresh) > 0 {
		parts = append(parts, shortened(table.MarkdownText(diff.ListShifts("New", fresh)))+"\n")
	}
	return parts, nil
}

// onceTitle is the heading of differences between only the runs at hand, which other seeds may not
// show.
const onceTitle = "Undecided: trained once, and another seed could change as much"

// onceWords counts such differences; "" for 0.
func onceWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d undecided (trained once), ", n)
}

// commentTable returns a table of shifts with the differences of their systems, folded unless open;
// nil without shifts.
func commentTable(title string, shifts []*diff.Shift, open bool, why map[string][]string) ([]string, error) {
	if len(shifts) == 0 {
		return nil, nil
	}
	shown := shifts[:min(len(shifts), commentRows)]
	t := diff.ShiftTable("", title, shown)
	t.Columns = append(t.Columns, table.Column{Name: "differences"})
	for i, s := range shown {
		text := cmp.Or(strings.Join(why[s.System], "; "), "no recorded difference")
		t.Rows[i].Entries = append(t.Rows[i].Entries, table.Entry{Text: words.Prefix(text, whyShown)})
	}
	table, err := table.MarkdownTable(t)
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

// leaders returns the leaderboard of a board, folded, with its best rows first.
func leaders(b *reports.Board) (string, error) {
	t := *b.Leaderboard
	by := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Number && c.Best != table.NoBest })
	if by > 0 && len(t.Rows) > commentRows {
		t.Rows = slices.Clone(t.Rows)
		t.SortBest(by)
		t.Rows = t.Rows[:commentRows]
	}
	text, err := table.MarkdownTable(&t)
	if err != nil {
		return "", err
	}
	if n := len(b.Leaderboard.Rows) - len(t.Rows); n > 0 {
		text += fmt.Sprintf("\nand %s below\n", words.Plural(n, "system", "systems"))
	}
	return folded(table.MarkdownText(t.Title), text), nil
}

// folded hides a table behind its title. The title must be escaped.
func folded(title, body string) string {
	return "<details><summary>" + title + "</summary>\n\n" + body + "\n</details>\n"
}
