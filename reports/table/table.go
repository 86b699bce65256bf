// Package table is a table of finished texts, with writers for Markdown and LaTeX. It
// does not know what the numbers are. Package terminal prints tables on terminals.
package table

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
)

// Table is a finished table of texts, which every format prints. Its strings
// are clean but not escaped.
type Table struct {
	ID      string // unique within a report, fit for an HTML id
	Title   string
	Caption string // what the table shows, and how its numbers were made
	Bold    string // what bold means, said where there is any
	Colours string // what colours mean, said where there are any
	Against string // what colours hold better and worse to, in place of Colours
	Columns []Column
	Rows    []Row
	Left    int      // further rows, for which there is no room
	Notes   []string // what a reader must know before quoting a number
	Board   bool     // a leaderboard, which is shown whole
}

// Add appends the row that make makes; it only counts it where there is room for so many
// rows and they are there. Without room, 0, all are made.
func (t *Table) Add(room int, make func() Row) {
	if room > 0 && len(t.Rows) >= room {
		t.Left++
		return
	}
	t.Rows = append(t.Rows, make())
}

// Cut drops rows that there is no room for, as Add does where they need not be made to
// know what is the best or what all have in common.
func (t *Table) Cut(room int) {
	if over := len(t.Rows) - room; room > 0 && over > 0 {
		t.Rows, t.Left = slices.Clone(t.Rows[:room]), t.Left+over
	}
}

// Explained is the caption with what else of its look a format has: bold, and the colour
// of what is better, "" where there are none.
func (t *Table) Explained(bold bool, better string) string {
	said := t.Caption
	if bold && t.Bold != "" {
		said += " " + t.Bold
	}
	if better != "" && t.Colours != "" {
		said += " " + t.Colours
	}
	if better != "" && t.Against != "" {
		said += fmt.Sprintf(" %s is better than %s, orange worse, as far as the tests show it.", better, t.Against)
	}
	return strings.TrimSpace(said)
}

// Column heads one column. Neighbouring columns of one Group share a heading.
type Column struct {
	Group  string
	Name   string
	Number bool // right-aligned
	Best   Best // which number is marked, where any is
	Code   bool // to be typed as it stands
}

// Best says which number of a column is the best one.
type Best int

// Highest is the usual one; NoBest is for counts and for what does not compare.
const (
	Highest Best = iota
	Lowest
	NoBest
)

// Better reports whether a is better than b.
func (w Best) Better(a, b float64) bool { return w == Highest && a > b || w == Lowest && a < b }

// Word names the best of several numbers.
func (w Best) Word() string { return [...]string{"highest", "lowest", ""}[w] }

// BestWord names what is marked in the columns of numbers: "highest", "lowest",
// "best" where they differ, "" where nothing is.
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

// Flat is the heading for formats without shared headings.
func (c Column) Flat() string { return strings.TrimSpace(c.Group + " " + c.Name) }

// Row is one line of a table; the first entry heads it.
type Row struct {
	Kind    Kind   // empty where rows are no systems
	Class   string // the best of a column is sought within a class
	Entries []Entry
}

// Entry is one cell.
type Entry struct {
	Text    string
	Sort    *float64 // nil where there is no number
	Best    bool     // the best of its column and class
	Remark  string   // why the number is partial or absent
	Under   string   // said below the number on the page: its rank, its spread
	Tone    Tone
	From    *Link  // what the number is computed from; nil where it is no statistic
	Claimed bool   // somebody says so, and nobody checked it: never the best of its column
	To      string // ID of what the page shows of it, of the first entry of a row; "" for none
}

// Tone colours an entry by what a test says of it, never by its size alone.
type Tone string

// The tones.
const (
	Plain  Tone = ""
	Better Tone = "better"
	Worse  Tone = "worse"
	Absent Tone = "absent"

	// Of verdicts that are said of one training run.
	BetterOnce Tone = "better once"
	WorseOnce  Tone = "worse once"
)

// Number is an entry that sorts by v.
func Number(text string, v float64) Entry { return Entry{Text: text, Sort: &v} }

// MarkBest marks the best number of each column and class of rows, all of them
// where several print alike. A single number is not the best of anything.
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

// Unmarked is the text of a number without what it may be marked by.
func Unmarked(text string) string {
	return strings.TrimRight(text, words.PartialMark+words.AggregateMark+words.TopMark)
}

// AggregateNote explains the mark of means without queries.
const AggregateNote = words.AggregateMark + " A mean taken over from elsewhere: the values of its queries are not known, so it is neither tested nor ranked."

// Remarks lists the remarks of all entries, one note for each row and distinct
// remark, with the columns it holds for.
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

// Kind sorts systems into what was trained, what it is compared with, and what
// shows that a measure can tell something from nothing.
type Kind string

// The kinds, in the order in which tables list them.
const (
	Trained  Kind = "trained"
	Baseline Kind = "baseline"
	Null     Kind = "null"

	Submitted Kind = "submitted" // of rows only: its system is a baseline like others
)
