package serve

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/words"
)

// rowsAtMost limits the listed cells of a page.
const rowsAtMost = 100

// states are the states of cells, in order of interest.
var states = []string{"running", "failed", "abandoned", "stopped", "waiting", stateDone}

// filter selects and orders the listed cells.
type filter struct {
	Text, State string
	Planned     bool // in the order of the plan
	Page        int  // from 1
}

// filterOf reads the filter of an address; unknown states are ignored.
func filterOf(q url.Values) filter {
	page, _ := strconv.Atoi(q.Get("page"))
	f := filter{Text: q.Get("q"), State: q.Get("state"), Planned: q.Get("order") == "plan", Page: max(page, 1)}
	if !slices.Contains(states, f.State) {
		f.State = ""
	}
	return f
}

// at returns the address of a page of the filtered cells.
func (f filter) at(page int) string {
	q := url.Values{}
	for name, value := range map[string]string{"q": f.Text, "state": f.State} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if f.Planned {
		q.Set("order", "plan")
	}
	if page > 1 {
		q.Set("page", strconv.Itoa(page))
	}
	return "?" + q.Encode()
}

// choose lists the selected cells in the chosen order. Every word of the text must occur in the
// label, the ID or the note of a cell.
func (f filter) choose(cells []Cell) []Cell {
	wanted := strings.Fields(strings.ToLower(f.Text))
	var out []Cell
	for _, c := range cells {
		if f.State != "" && c.State != f.State {
			continue
		}
		text := ""
		if len(wanted) > 0 {
			text = strings.ToLower(c.Label + " " + c.ID + " " + c.Note)
		}
		if !slices.ContainsFunc(wanted, func(word string) bool { return !strings.Contains(text, word) }) {
			out = append(out, c)
		}
	}
	if !f.Planned {
		slices.SortStableFunc(out, func(a, b Cell) int {
			return cmp.Or(cmp.Compare(slices.Index(states, a.State), slices.Index(states, b.State)), begunFirst(a, b))
		})
	}
	return out
}

// begunFirst sorts waiting cells that were begun before those that were not.
func begunFirst(a, b Cell) int {
	if a.State != "waiting" || (a.Note == "") == (b.Note == "") {
		return 0
	}
	if a.Note != "" {
		return -1
	}
	return 1
}

// listing is a page of cells.
type listing struct {
	Filter       filter
	Rows         []Cell
	Found, All   int
	Pages        int
	Before, Next string // addresses; "" if there is none
	States       []string
}

// list returns the page that a filter asks for, or the last page if there are fewer.
func list(cells []Cell, f filter) listing {
	found := f.choose(cells)
	pages := max(1, (len(found)+rowsAtMost-1)/rowsAtMost)
	f.Page = min(f.Page, pages)
	from := (f.Page - 1) * rowsAtMost
	l := listing{Filter: f, Rows: found[from:min(from+rowsAtMost, len(found))], Found: len(found), All: len(cells), Pages: pages, States: states}
	if f.Page > 1 {
		l.Before = f.at(f.Page - 1)
	}
	if f.Page < pages {
		l.Next = f.at(f.Page + 1)
	}
	return l
}

// scored adds the numbers of done cells to the rows of a page.
func (l listing) scored(scores map[string]string) listing {
	l.Rows = slices.Clone(l.Rows)
	for i, c := range l.Rows {
		if of := scores[c.ID]; c.State == stateDone && of != "" {
			l.Rows[i].Note = strings.TrimPrefix(c.Note+"; "+of, "; ")
		}
	}
	return l
}

// From returns the number of the first row, from 1.
func (l listing) From() int { return min(l.Found, (l.Filter.Page-1)*rowsAtMost+1) }

// To returns the number of the last row.
func (l listing) To() int { return max(0, l.From()+len(l.Rows)-1) }

// share is a part of a bar.
type share struct {
	State         string
	N             int
	Start, Length float64 // of 1000
}

// bar divides the cells by their state.
func bar(cells []Cell) []share {
	count := map[string]int{}
	for _, c := range cells {
		count[c.State]++
	}
	var out []share
	at := 0.0
	for _, state := range slices.Concat(states[len(states)-1:], states[:len(states)-1]) {
		if n := count[state]; n > 0 {
			length := 1000 * float64(n) / float64(len(cells))
			out = append(out, share{state, n, at, length})
			at += length
		}
	}
	return out
}

// sentence describes a bar for readers who do not see it.
func sentence(shares []share) string {
	var parts []string
	for _, s := range shares {
		parts = append(parts, words.Group(s.N)+" "+s.State)
	}
	return strings.Join(parts, ", ")
}
