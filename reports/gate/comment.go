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

// causesShown limits the listed causes.
const causesShown = 4

// openRows limits the rows of the tables that are not folded, which share one screen; foldedRows
// limits each folded table, and namesShown a list of numbers.
const (
	openRows   = 12
	foldedRows = 25
	namesShown = 5
)

// CommentContext is what a pull-request comment shows besides the numbers.
type CommentContext struct {
	Gate   *Gate  // nil without a gate
	Report string // address of the full report, or ""
	Site   string // address of the published site, which has the definitions, or ""
}

// WriteComment prints a report as a comment on a pull request. One screen has the result of the
// gate if there is one, the differences from the baseline, and the numbers that did not pass or,
// without a gate, that changed. Other changes, the numbers that the gate does not judge, and the
// leaderboards are folded. With a gate, all results use its tests, and the counts are those of the
// numbers that it judges. The comment has at most commentAtMost characters; it counts the parts
// that are left out. The baseline may be nil.
func WriteComment(w io.Writer, run, baseline []*results.Experiment, known CommentContext, opts reports.Options) error {
	r, err := reports.Build(run, opts)
	if err != nil {
		return err
	}
	c := &comment{room: openRows}
	if g := known.Gate; g != nil {
		text := g.Summary()
		c.add("**%s%s**%s.\n", strings.ToUpper(text[:1]), g.Verdict()[1:], strings.TrimPrefix(text, g.Verdict()))
	}
	if err := c.compare(run, baseline, known.Gate); err != nil {
		return err
	}
	c.links(known)
	for _, b := range r.Boards {
		board, err := leaders(b)
		if err != nil {
			return err
		}
		c.folded = append(c.folded, board)
	}
	_, err = io.WriteString(w, bounded(CommentMark+"\n## "+table.MarkdownText(r.Title)+"\n", append(c.open, c.folded...), commentAtMost))
	return err
}

// comment is a comment in the making.
type comment struct {
	open, folded []string
	room         int // rows that open tables may still have
}

func (c *comment) add(format string, args ...any) {
	c.open = append(c.open, fmt.Sprintf(format, args...))
}

// compare adds the changes since the baseline.
func (c *comment) compare(run, baseline []*results.Experiment, g *Gate) error {
	if baseline == nil && g == nil {
		c.add("No baseline to compare with.\n")
		return nil
	}
	if g == nil {
		changes, err := diff.Compare(baseline, run, false)
		if err != nil {
			return err
		}
		return c.changed(changes.WithMeans(), nil)
	}
	if baseline == nil {
		return c.outcomes(g)
	}
	inside, outside := g.compared()
	if err := c.changed(inside, g); err != nil {
		return err
	}
	return c.ungated(outside)
}

// links adds the addresses for readers who want more.
func (c *comment) links(known CommentContext) {
	var out []string
	if known.Report != "" {
		out = append(out, "[The full report]("+known.Report+"): tests, ranks, every number and its origin")
	}
	if known.Site != "" {
		out = append(out, fmt.Sprintf("[history](%[1]s/index.html) · [what the words mean](%[1]s/%s)", strings.TrimSuffix(known.Site, "/"), DefinitionsFile))
	} else if known.Gate != nil {
		out = append(out, "`infbench help gate` defines the words")
	}
	if len(out) > 0 {
		c.add("%s\n", strings.Join(out, " · "))
	}
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

// group is checks with the same outcome for the same reason.
type group struct {
	reason string
	rules  []string
	checks []Check
}

// outcomeTitles are the outcomes that a comment lists, in order.
var outcomeTitles = []struct {
	outcome Outcome
	title   string
}{{Failed, "Failed"}, {Undecided, "Undecided"}, {Agreed, "Accepted"}, {Dropped, "No longer asked for"}}

// grouped lists the checks with an outcome by reason.
func (g *Gate) grouped(o Outcome) (all []*group) {
	for _, c := range g.with(o) {
		reason := cmp.Or(c.brief, c.Reason)
		i := slices.IndexFunc(all, func(have *group) bool { return have.reason == reason })
		if i < 0 {
			i, all = len(all), append(all, &group{reason: reason})
		}
		all[i].checks = append(all[i].checks, c)
		all[i].rules = words.AddNew(all[i].rules, c.At)
	}
	return all
}

// outcomes adds the checks that did not simply pass, each reason once.
func (c *comment) outcomes(g *Gate) error {
	for _, of := range outcomeTitles {
		for _, group := range g.grouped(of.outcome) {
			if err := c.outcome(of.title, group); err != nil {
				return err
			}
		}
	}
	return nil
}

// outcome adds the checks of a group: as a table if all have a value before and after.
func (c *comment) outcome(title string, group *group) error {
	var shifts []*diff.Shift
	var names []string
	for _, check := range group.checks {
		if check.Place != "" {
			names = append(names, check.Place)
		}
		if s := check.shift; s != nil && s.Before.State.Valued() && s.After.State.Valued() {
			shifts = append(shifts, check.tests())
		}
	}
	text := fmt.Sprintf("**%s** (%s): %s", title, table.MarkdownText(strings.Join(group.rules, ", ")), table.MarkdownText(group.reason))
	if len(names) == 0 || len(shifts) == len(names) {
		c.add("%s.\n", shortened(text))
		return c.table(shifts)
	}
	if n := len(names) - namesShown; n > 0 {
		names = append(names[:namesShown], fmt.Sprintf("and %d more", n))
	}
	c.add("%s\n", shortened(text+": "+table.MarkdownText(strings.Join(names, "; "))))
	return nil
}

// table adds a table of shifts, the largest first, as far as there is room.
func (c *comment) table(shifts []*diff.Shift) error {
	if len(shifts) == 0 {
		return nil
	}
	shown := min(len(shifts), max(c.room, 1))
	c.room -= shown
	text, err := shiftsTable(shifts, shown)
	c.add("%s", text)
	return err
}

// fold adds a folded table of shifts.
func (c *comment) fold(title string, shifts []*diff.Shift) error {
	if len(shifts) == 0 {
		return nil
	}
	text, err := shiftsTable(shifts, foldedRows)
	c.folded = append(c.folded, folded(title, text))
	return err
}

// shiftsTable prints the first shifts as a table, means over tasks first, then by size, and counts
// the others.
func shiftsTable(shifts []*diff.Shift, most int) (string, error) {
	shown := diff.ByWeight(shifts)
	slices.SortStableFunc(shown, func(a, b *diff.Shift) int { return cmp.Compare(min(1, len(a.Task)), min(1, len(b.Task))) })
	shown = shown[:min(len(shown), most)]
	t := diff.ShiftTable("", "", shown)
	t.Columns = t.Columns[:len(t.Columns)-1] // the verdict is the title of the table
	for i := range t.Rows {
		t.Rows[i].Entries = t.Rows[i].Entries[:len(t.Columns)]
	}
	text, err := table.MarkdownTable(t)
	if n := len(shifts) - len(shown); n > 0 {
		text += fmt.Sprintf("\nand %d more\n", n)
	}
	return text, err
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

// kinds are changes, sorted by the result of their tests.
type kinds struct {
	higher, lower    []*diff.Shift
	once             []*diff.Shift // real for the runs at hand, and another seed could change as much
	unreal           []*diff.Shift
	other            []*diff.Shift // not comparable
	total, unchanged int
}

// kindsOf sorts the numbers that both sides have.
func kindsOf(c *diff.Changes) (k kinds) {
	for _, s := range c.ByWeight() {
		k.total++
		switch {
		case s.Incomparable != "":
			k.other = append(k.other, s)
		case s.Real() && s.Contrast.OneRun:
			k.once = append(k.once, s)
		case s.Real() && s.Difference() > 0:
			k.higher = append(k.higher, s)
		case s.Real():
			k.lower = append(k.lower, s)
		case s.Size() > 0:
			k.unreal = append(k.unreal, s)
		default:
			k.unchanged++
		}
	}
	return k
}

// String counts the changes: "**1 higher, 0 lower**, 2 moved but not shown to be real, 3 the same".
func (k kinds) String() string {
	text := fmt.Sprintf("**%d higher, %d lower**, ", len(k.higher), len(k.lower))
	if n := len(k.once); n > 0 {
		text += fmt.Sprintf("%d undecided (trained once), ", n)
	}
	text += fmt.Sprintf("%d moved but not shown to be real, %d the same", len(k.unreal), k.unchanged)
	if n := len(k.other); n > 0 {
		text += fmt.Sprintf(", %d not comparable", n)
	}
	return text
}

// changed adds the changes of the numbers that a gate judges or, without a gate, of all numbers.
func (c *comment) changed(changes *diff.Changes, g *Gate) error {
	k := kindsOf(changes)
	numbers, corrected := "in both run and baseline", "corrected by Holm"
	if g != nil {
		numbers, corrected = "of the gate", corrected+" over the tests of the gate"
	}
	c.add("%s %s: %s. %s%s, %s.\n", words.Plural(k.total, "number", "numbers"), numbers, k, strings.ToUpper(contrast.Method[:1]), contrast.Method[1:], corrected)
	if causes := changes.Brief(nil, causesShown); len(causes) > 0 {
		c.add("%s.\n", shortened("**Differences from the baseline**, first causes first: "+table.MarkdownText(strings.Join(causes, "; "))))
	}
	if g != nil {
		if err := c.outcomes(g); err != nil {
			return err
		}
		_, fresh := changes.Gone()
		c.list("New", fresh)
		return c.passed(k, g)
	}
	dropped, lost := changes.DroppedOrLost()
	c.list("Lost", lost)
	c.list("No longer asked for", dropped)
	if len(k.other) > 0 {
		c.add("%s.\n", shortened(fmt.Sprintf("**Not comparable**: %s: %s", words.Plural(len(k.other), "number", "numbers"), table.MarkdownText(k.other[0].Incomparable))))
	}
	for _, of := range []listed{{"Lower", k.lower}, {"Higher", k.higher}, {onceTitle, k.once}} {
		if len(of.shifts) > 0 {
			c.add("### %s\n", of.title)
		}
		if err := c.table(of.shifts); err != nil {
			return err
		}
	}
	_, fresh := changes.Gone()
	c.list("New", fresh)
	return c.fold(fmt.Sprintf("Moved, not shown to be real (%d)", len(k.unreal)), k.unreal)
}

// listed are shifts with the title of their table.
type listed struct {
	title  string
	shifts []*diff.Shift
}

// passed adds the changes of numbers that passed, folded. Without a proof that they are real, only
// drops beyond a rule are listed.
func (c *comment) passed(k kinds, g *Gate) error {
	told, beyond := map[string]bool{}, map[string]bool{}
	for _, check := range g.Checks {
		if check.Outcome != Passed {
			told[check.Place] = true
		} else if check.worse {
			beyond[check.Place] = true
		}
	}
	left := func(shifts []*diff.Shift, only map[string]bool) (out []*diff.Shift) {
		for _, s := range shifts {
			if !told[s.Place()] && (only == nil || only[s.Place()]) {
				out = append(out, s)
			}
		}
		return out
	}
	for _, of := range []listed{
		{"Higher", left(k.higher, nil)},
		{"Lower, and allowed by the rules", left(k.lower, nil)},
		{onceTitle, left(k.once, nil)},
		{"Lower by more than the rules allow, not shown to be real", left(k.unreal, beyond)},
	} {
		if err := c.fold(fmt.Sprintf("%s (%d)", of.title, len(of.shifts)), of.shifts); err != nil {
			return err
		}
	}
	return nil
}

// ungated adds the changes of numbers that no rule judges, folded.
func (c *comment) ungated(changes *diff.Changes) error {
	k := kindsOf(changes)
	dropped, lost := changes.DroppedOrLost()
	c.list("Lost, and not judged by the gate", lost)
	c.list("No longer asked for, and not judged by the gate", dropped)
	if k.total == 0 {
		return nil
	}
	title := fmt.Sprintf("%s that the gate does not judge: %d higher, %d lower", words.Plural(k.total, "number", "numbers"), len(k.higher), len(k.lower))
	return c.fold(title, slices.Concat(k.higher, k.lower))
}

// list adds the names of numbers.
func (c *comment) list(title string, shifts []*diff.Shift) {
	if len(shifts) > 0 {
		text := strings.TrimPrefix(diff.ListShifts("", shifts), ": ")
		c.add("%s\n", shortened("**"+title+"**"+table.MarkdownText(text)))
	}
}

// onceTitle is the heading of differences between only the runs at hand, which other seeds may not
// show.
const onceTitle = "Undecided: trained once, and another seed could change as much"

// leaders returns the leaderboard of a board, folded, with its best rows first.
func leaders(b *reports.Board) (string, error) {
	t := *b.Leaderboard
	by := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Number && c.Best != table.NoBest })
	if by > 0 && len(t.Rows) > foldedRows {
		t.Rows = slices.Clone(t.Rows)
		t.SortBest(by)
		t.Rows = t.Rows[:foldedRows]
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
