// Package table holds tables of finished texts, with writers for Markdown and LaTeX. It
// does not know the meaning of the numbers. Package terminal prints tables on terminals.
package table

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
)

// Table is a finished table of texts for all formats. Its strings are clean but not
// escaped.
type Table struct {
	ID      string // unique within a report, fit for an HTML id
	Title   string
	Caption string // the content of the table, and how its numbers were computed
	Bold    string // the meaning of bold, shown if any entry is bold
	Colours string // the meaning of colours, shown if any entry is coloured
	Against string // the reference for colours; used instead of Colours
	Columns []Column
	Rows    []Row
	Left    int      // number of rows left out for lack of room
	Notes   []string // warnings to read before quoting a number
	Board   bool     // a leaderboard, which is shown in full
}

// Add appends the row that make returns. If the table already has room rows, Add only
// counts the row in Left. A room of 0 means no limit.
func (t *Table) Add(room int, make func() Row) {
	if room > 0 && len(t.Rows) >= room {
		t.Left++
		return
	}
	t.Rows = append(t.Rows, make())
}

// Cut drops the rows beyond room and counts them in Left. Use it instead of Add if all
// rows are needed to find the best ones or the values they share.
func (t *Table) Cut(room int) {
	if over := len(t.Rows) - room; room > 0 && over > 0 {
		t.Rows, t.Left = slices.Clone(t.Rows[:room]), t.Left+over
	}
}

// Explained returns the caption, followed by the meaning of bold if bold is set, and of
// colours if better is not empty; better names the colour of better values.
func (t *Table) Explained(bold bool, better string) string {
	said := t.Caption
	if bold && t.Bold != "" {
		said += " " + t.Bold
	}
	if better != "" && t.Colours != "" {
		said += " " + t.Colours
	}
	if better != "" && t.Against != "" {
		said += fmt.Sprintf(" %s: significantly better than %s; orange: significantly worse.", better, t.Against)
	}
	return strings.TrimSpace(said)
}

// Column heads one column. Neighbouring columns of one Group share a heading.
type Column struct {
	Group  string
	Name   string
	Number bool   // right-aligned
	Best   Best   // which number is marked
	Code   bool   // a command or name to type verbatim
	Help   string // what the column shows, for readers who point at its heading
}

// Best selects the best number of a column.
type Best int

// Highest is the default. NoBest is for counts and other numbers that are not ranked.
const (
	Highest Best = iota
	Lowest
	NoBest
)

// Better reports whether a is better than b.
func (w Best) Better(a, b float64) bool { return w == Highest && a > b || w == Lowest && a < b }

// Word returns the word for the best of several numbers.
func (w Best) Word() string { return [...]string{"highest", "lowest", ""}[w] }

// BestWord returns the word for the marked numbers: "highest", "lowest", "best" if columns
// differ, "" if none are marked.
func (t *Table) BestWord() string {
	word := ""
	for _, c := range t.Columns {
		if own := c.Best.Word(); c.Number && own != "" {
			if word != "" && word != own {
				return "best"
			}
			word = own
		}
	}
	return word
}

// Flat returns the heading for formats without shared headings.
func (c Column) Flat() string { return strings.TrimSpace(c.Group + " " + c.Name) }

// Row is one line of a table; the first entry heads it.
type Row struct {
	Kind    Kind   // empty if the rows are not systems
	Class   string // the best of a column is chosen within a class
	Entries []Entry
}

// Entry is one cell.
type Entry struct {
	Text    string
	Sort    *float64 // nil if there is no number
	Best    bool     // the best of its column and class
	Remark  string   // why the number is partial or absent
	Under   string   // shown below the number on the page, for example its rank or spread
	Tone    Tone
	From    *Link  // source of the number; nil if it is not a statistic
	Claimed bool   // a published claim that nobody checked: never the best of its column
	Page    string // on the first entry of a row: address of a page that describes it; "" for none
	Full    string // complete name of the system that Text names; "" if Text is complete
	To      string // on the first entry of a row: ID of the element on the page that describes it; "" for none
}

// Tone is the colour of an entry. It follows from a test, never from the size of the value
// alone.
type Tone string

// The tones.
const (
	Plain  Tone = ""
	Better Tone = "better"
	Worse  Tone = "worse"
	Absent Tone = "absent"

	// Tones of verdicts that rest on one training run.
	BetterOnce Tone = "better once"
	WorseOnce  Tone = "worse once"
)

// Number returns an entry that is sorted by v.
func Number(text string, v float64) Entry { return Entry{Text: text, Sort: &v} }

// MarkBest marks the best number of each column and class of rows. Numbers that print
// alike are all marked. A single number is not marked.
func (t *Table) MarkBest() {
	classes := map[string][]int{}
	for i, r := range t.Rows {
		classes[r.Class] = append(classes[r.Class], i)
	}
	for j, col := range t.Columns {
		if !col.Number || col.Best == NoBest {
			continue
		}
		for _, rows := range classes {
			t.markBestOf(rows, j)
		}
	}
}

// markBestOf marks the best number of some rows in column j.
func (t *Table) markBestOf(rows []int, j int) {
	var top *Entry
	count := 0
	for _, i := range rows {
		e := &t.Rows[i].Entries[j]
		if e.Sort == nil || e.Claimed {
			continue
		}
		if top == nil || t.Columns[j].Best.Better(*e.Sort, *top.Sort) {
			top = e
		}
		count++
	}
	if count < 2 {
		return
	}
	best := Unmarked(top.Text)
	for _, i := range rows {
		e := &t.Rows[i].Entries[j]
		e.Best = e.Sort != nil && !e.Claimed && Unmarked(e.Text) == best
	}
}

// SortBest orders rows by column j, the best number first and rows without one last.
func (t *Table) SortBest(j int) {
	slices.SortStableFunc(t.Rows, func(x, y Row) int {
		a, b := x.Entries[j].Sort, y.Entries[j].Sort
		switch {
		case a != nil && (b == nil || t.Columns[j].Best.Better(*a, *b)):
			return -1
		case b != nil && (a == nil || t.Columns[j].Best.Better(*b, *a)):
			return 1
		}
		return 0
	})
}

// Unmarked returns the text of a number without its marks.
func Unmarked(text string) string {
	return strings.TrimRight(text, words.PartialMark+words.AggregateMark+words.TopMark)
}

// AggregateNote explains the mark of means whose per-query values are not known.
const AggregateNote = words.AggregateMark + " A mean from another source: its per-query values are not known, so it is neither tested nor ranked."

// Remarks lists the remarks of all entries: one note per row and distinct remark, with the
// columns it applies to.
func (t *Table) Remarks() []string {
	var notes []string
	if slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Entries, func(e Entry) bool { return e.Sort != nil && strings.Contains(e.Text, words.AggregateMark) })
	}) {
		notes = append(notes, AggregateNote)
	}
	for _, r := range t.Rows {
		columns := map[string][]string{}
		var order []string
		for j, e := range r.Entries {
			if e.Remark == "" {
				continue
			}
			if columns[e.Remark] == nil {
				order = append(order, e.Remark)
			}
			columns[e.Remark] = append(columns[e.Remark], t.Columns[j].Flat())
		}
		for _, remark := range order {
			where := strings.Join(columns[remark], ", ")
			if n := len(columns[remark]); n > 2 {
				where = fmt.Sprintf("%d columns", n)
			}
			notes = append(notes, fmt.Sprintf("%s (%s): %s.", r.Entries[0].Text, where, remark))
		}
	}
	return notes
}

// Kind distinguishes trained systems, baselines, and controls, which test that a measure
// detects a null result.
type Kind string

// The kinds, in the order in which tables list them.
const (
	Trained  Kind = "trained"
	Baseline Kind = "baseline"
	Null     Kind = "null"

	Submitted Kind = "submitted" // for rows only: the system counts as a baseline
)
