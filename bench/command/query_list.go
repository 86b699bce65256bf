package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"infbench/bench/output"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/queries"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// queryRecord is a row of the list as csv and json have it.
type queryRecord struct {
	Query       string   `json:"query"` // BENCHMARK/TASK/ID
	Benchmark   string   `json:"benchmark"`
	Task        string   `json:"task"`
	ID          string   `json:"id"`
	Measure     string   `json:"measure"`
	Side        string   `json:"side,omitempty"`
	A           *float64 `json:"a"` // null: undefined or missing
	B           *float64 `json:"b,omitempty"`
	Difference  *float64 `json:"difference,omitempty"` // a − b
	Text        string   `json:"text,omitempty"`
	Instruction string   `json:"instruction,omitempty"`
	Changed     string   `json:"changed,omitempty"`
}

// queryListing is the list as json has it.
type queryListing struct {
	Run     string        `json:"run"`
	A       string        `json:"a"`
	B       string        `json:"b,omitempty"`
	Of      int           `json:"of"` // number of queries that the flags select
	Queries []queryRecord `json:"queries"`
}

// list prints the queries in order.
func (o *queryOptions) list(s *querySet, all []*queries.Query, p systemPair, w io.Writer) error {
	rows, without, err := s.rows(o.measure, all, p)
	if err != nil {
		return err
	}
	queries.Sort(rows, o.order(p), o.reverse)
	shown := rows
	if o.limit > 0 {
		shown = rows[:min(len(rows), o.limit)]
	}
	if o.format == "table" {
		return o.print(s, shown, len(rows), without, p, w)
	}
	out := queryListing{Run: s.exp.Name, A: p.a.Label, Of: len(rows)}
	if p.b != nil {
		out.B = p.b.Label
	}
	cells := output.Sheet{Head: []string{"query", "benchmark", "task", "id", "measure", "side", "a", "b", "difference", "text", "instruction", "changed"}}
	for _, r := range shown {
		out.Queries = append(out.Queries, queryRecord{r.Name(), r.Benchmark, r.Task, r.ID, r.On.Measure, r.On.Side, r.A, r.B, r.Difference, r.Text, r.Instruction, r.Changed})
		cells.Rows = append(cells.Rows, []string{r.Name(), r.Benchmark, r.Task, r.ID, r.On.Measure, r.On.Side, output.Exact(r.A), output.Exact(r.B), output.Exact(r.Difference), r.Text, r.Instruction, r.Changed})
	}
	return output.Print(w, o.format, out, cells)
}

// order is the order of the flags; without a second system there is no difference to sort by.
func (o *queryOptions) order(p systemPair) string {
	if p.b == nil && o.sort == queries.ByDifference {
		return queries.ByA
	}
	return o.sort
}

// rows compares the systems on every query that has the measure (if none is asked for, on its
// main measure), and counts the other queries.
func (s *querySet) rows(measure string, all []*queries.Query, p systemPair) (rows []queries.Row, without int, err error) {
	var known []string
	for _, q := range all {
		on, ok, of := s.slot(measure, q)
		for _, at := range of {
			known = words.AddNew(known, at.Scoring())
		}
		if !ok {
			without++
			continue
		}
		rows = append(rows, queries.NewRow(q, on, p.a, p.b))
	}
	if len(rows) == 0 {
		return nil, 0, usage.Error{Err: nearest.Unknown("measure", measure, known)}
	}
	return rows, without, nil
}

// slot is the slot by which a query is compared: the requested measure, on its first side if
// none is named.
func (s *querySet) slot(measure string, q *queries.Query) (on scores.Slot, ok bool, of []scores.Slot) {
	of = queries.Slots(s.Set, q)
	if measure == "" {
		on, ok = queries.Main(s.Set, q)
		return on, ok, of
	}
	measure = metrics.Canonical(measure)
	i := slices.IndexFunc(of, func(at scores.Slot) bool { return at.Scoring() == measure })
	if i < 0 {
		i = slices.IndexFunc(of, func(at scores.Slot) bool { return at.Measure == measure })
	}
	if i < 0 {
		return on, false, of
	}
	return of[i], true, of
}

// print prints the list on a terminal.
func (o *queryOptions) print(s *querySet, rows []queries.Row, of, without int, p systemPair, w io.Writer) error {
	t := table.Table{ID: "queries", Columns: []table.Column{{Name: "query"}, {Name: "measure"}, {Name: p.a.Label, Number: true}}}
	if p.b != nil {
		t.Columns = append(t.Columns, table.Column{Name: p.b.Label, Number: true}, table.Column{Name: "difference", Number: true})
	}
	t.Columns = append(t.Columns, table.Column{Name: "text"})
	for _, r := range rows {
		t.Rows = append(t.Rows, table.Row{Entries: rowEntries(r, p)})
	}
	out := newScreen(w)
	out.lines("", fmt.Sprintf("%s: %s of %s, %s (×100)", words.Clean(s.exp.Name), words.Group(len(rows)), words.Plural(of, "query", "queries"), o.orderWords(p)))
	out.table(&t)
	if without > 0 {
		out.lines("note: ", words.Plural(without, "query has", "queries have")+" no "+words.Clean(o.measure))
	}
	if len(rows) > 0 {
		out.lines("note: ", "to see one query: infbench query "+usage.Quote(s.exp.Dir)+" "+usage.Quote(rows[0].Name())+" --systems "+usage.Quote(s.typed(p)))
	}
	return out.Err
}

// orderWords describes the order of the list.
func (o *queryOptions) orderWords(p systemPair) string {
	order := o.order(p)
	if order == queries.ByID {
		return "by ID"
	}
	label, of := p.a.Label, map[bool]string{false: "worst", true: "best"}[o.reverse]
	if order == queries.ByB && p.b != nil {
		label = p.b.Label
	}
	if order == queries.ByDifference {
		return fmt.Sprintf("starting with those where %s is furthest %s %s", label, map[bool]string{false: "behind", true: "ahead of"}[o.reverse], p.b.Label)
	}
	return fmt.Sprintf("first the %s of %s", of, label)
}

// textAtMost is the maximum length of a query's text in a list, in characters.
const textAtMost = 60

// rowEntries are the table cells of a query in the list.
func rowEntries(r queries.Row, p systemPair) []table.Entry {
	cells := []table.Entry{{Text: r.Name()}, {Text: r.On.Scoring()}, valueEntry(r.On.Measure, r.A)}
	if p.b != nil {
		cells = append(cells, valueEntry(r.On.Measure, r.B), signed(r.Difference))
	}
	return append(cells, table.Entry{Text: shortened(cmp.Or(r.Text, "–"), textAtMost)})
}

// valueEntry is the table cell of a value, ×100.
func valueEntry(measure string, v *float64) table.Entry {
	if v == nil {
		return table.Entry{Text: "–"}
	}
	return table.Number(metrics.Percent(measure, *v), *v)
}

// signed is a difference ×100.
func signed(v *float64) table.Entry {
	if v == nil {
		return table.Entry{Text: "–"}
	}
	return table.Number(words.Signed(*v), *v)
}

// shortened cuts a text after some characters, and marks the cut.
func shortened(text string, most int) string {
	if cut := words.Prefix(text, most); cut != text {
		return cut + " […]"
	}
	return text
}
