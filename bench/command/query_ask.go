package command

import (
	"cmp"
	"fmt"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/words"
	"infbench/reports/queries"
	"infbench/reports/table"
)

// queryAsked is a page's question about the queries of a run, with the same choices as the
// flags of the verb.
type queryAsked struct {
	ID, Search, Task, Measure, Sort string
	A, B                            string // systems, by label or ID; "": default as for the verb
	Reverse                         bool
}

// queryReply is the answer: a list of queries, or one query.
type queryReply struct {
	A, B    string   // labels; B is "" if there is only one system
	Systems []string // labels of all
	Tasks   []string
	Said    string     // the order of the list, or the name of the query
	Rows    []queryRow // of a list

	Lines   [][2]string    // of one query: kind of text, text
	Tables  []*table.Table // of one query
	Lacking []string       // of one query: missing data
}

// queryRow is a query in a list.
type queryRow struct {
	Query, Measure, Text string
	A, B, Difference     string
}

// rowsAtMost is the maximum number of queries on a page.
const rowsAtMost = 100

// askQuery answers a page's question about the queries of a run folder.
func askQuery(dir string, asked queryAsked) (*queryReply, error) {
	o := queryOptions{search: asked.Search, measure: asked.Measure, sort: cmp.Or(asked.Sort, queries.ByDifference), reverse: asked.Reverse, top: 5}
	if asked.Task != "" {
		o.tasks = []string{asked.Task}
	}
	for _, name := range []string{asked.A, asked.B} {
		if name != "" {
			o.systems = append(o.systems, name)
		}
	}
	if err := nearest.OneOf("order", o.sort, queries.Orders()...); err != nil {
		return nil, err
	}
	s, err := openQueries(dir)
	if err != nil {
		return nil, err
	}
	answer := &queryReply{}
	for _, system := range s.Systems {
		answer.Systems = append(answer.Systems, system.Label)
	}
	for _, q := range queries.All(s.Set) {
		answer.Tasks = words.AddNew(answer.Tasks, q.Test())
	}
	all, err := s.chosen(&o)
	if err == nil && asked.ID != "" {
		all, err = queriesNamed(all, asked.ID, dir)
	}
	if err != nil {
		return answer, err
	}
	p, err := s.pair(o.systems, all[0])
	if err != nil {
		return answer, err
	}
	answer.A = p.a.Label
	if p.b != nil {
		answer.B = p.b.Label
	}
	if asked.ID != "" {
		return answer, answer.one(s, all[0], p, o.top)
	}
	return answer, answer.list(s, all, p, &o)
}

// list fills in a list of queries.
func (a *queryReply) list(s *querySet, all []*queries.Query, p systemPair, o *queryOptions) error {
	rows, _, err := s.rows(o.measure, all, p)
	if err != nil {
		return err
	}
	queries.Sort(rows, o.order(p), o.reverse)
	shown := rows[:min(len(rows), rowsAtMost)]
	a.Said = fmt.Sprintf("%s of %s, %s. Values ×100.", words.Group(len(shown)), words.Plural(len(rows), "query", "queries"), o.orderWords(p))
	for _, r := range shown {
		a.Rows = append(a.Rows, queryRow{r.Name(), r.On.Scoring(), shortened(cmp.Or(r.Text, "–"), 2*textAtMost),
			valueEntry(r.On.Measure, r.A).Text, valueEntry(r.On.Measure, r.B).Text, signed(r.Difference).Text})
	}
	return nil
}

// one fills in a query.
func (a *queryReply) one(s *querySet, q *queries.Query, p systemPair, top int) error {
	found, err := s.answer(q, p, top)
	if err != nil {
		return err
	}
	a.Said = found.Query
	a.Lines = append(a.Lines, [2]string{"query", textOrNone(found.Text)})
	for _, side := range found.sides {
		a.Lines = append(a.Lines, [2]string{strings.TrimSuffix(instructionLead(side.name), ": "), textOrNone(found.Instructions[side.name])})
	}
	for i, s := range found.Systems {
		a.Lines = append(a.Lines, [2]string{string(rune('A' + i)), s.Label + s.ranksOf()})
	}
	shown := found.worth(shownDocuments)
	values, documents := found.valueTable(), found.documentTable(shown)
	values.Title, values.Caption = "Values", "Values ×100."
	documents.Title, documents.Caption = "Documents", found.aboutDocuments()
	documents.Columns = append(documents.Columns, table.Column{Name: "text"})
	for i, d := range shown {
		documents.Rows[i].Entries = append(documents.Rows[i].Entries, table.Entry{Text: d.words(false)})
	}
	a.Tables, a.Lacking = []*table.Table{values, documents}, found.Lacking
	return nil
}
