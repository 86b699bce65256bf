package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/queries"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// querySections shows single queries for browsing.
func querySections(r *Report) ([]section.Section, error) {
	s := section.Section{ID: "queries", Title: "Queries", Nav: "Queries", Source: section.OfRuns()}
	if r.Queries != nil {
		s.Intro, s.Live = r.Queries.Note, "query-browser"
		s.Parts = []section.Section{{ID: "queries-movers", Title: "Largest movers", Folded: true, Tables: section.Listed(r.Queries.Movers), Source: s.Source}}
	}
	return []section.Section{s}, nil
}

// QueryPages is the data on single queries, as JSON from which the page's script draws one
// query at a time.
type QueryPages struct {
	Systems   []AskedSystem `json:"systems"`
	Documents []ShownText   `json:"documents"`
	Queries   []AskedQuery  `json:"queries"`
	Left      int           `json:"left"` // number of queries that did not fit
	A         int           `json:"a"`    // indexes in Systems of the two compared first; equal if there is only one
	B         int           `json:"b"`
	Lower     []string      `json:"lower,omitempty"` // measures where lower is better

	Note   string       `json:"-"`
	Movers *table.Table `json:"-"` // for readers without scripts; nil if no instruction changed
}

// AskedSystem is a system whose rankings are shown.
type AskedSystem struct {
	Label  string     `json:"label"`
	Kind   table.Kind `json:"kind"`
	Trials []int      `json:"trials"` // indexes in Data.Trials, for its values
	Shown  string     `json:"shown"`  // ID of the trial whose ranks are shown
}

// ShownText is a document.
type ShownText struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
}

// AskedQuery is a query or a pair of instructions.
type AskedQuery struct {
	Benchmark   string `json:"benchmark"` // as in slots
	Task        string `json:"task"`
	Query       string `json:"query"`
	ID          string `json:"id"` // as in Data.Queries
	Text        string `json:"text"`
	Instruction string `json:"instruction,omitempty"`
	Changed     string `json:"changed,omitempty"`
	Documents   []int  `json:"documents,omitempty"` // indexes in QueryPages.Documents
	Left        int    `json:"left,omitempty"`      // number of changed documents that are not shown
	// Ranks by system: before, after, before, after, ... in the order of Documents; 0 if a
	// rank was not kept, null for a system without a record.
	Ranks [][]int `json:"ranks,omitempty"`
	// Shares of p-MRR by system, in the order of Documents.
	Shares [][]float64 `json:"shares,omitempty"`
}

// pagesAtMost limits the JSON of all queries, in bytes, estimated.
const pagesAtMost = 3 << 20

// moversShown is the number of pairs in the table for readers without scripts.
const moversShown = 20

// newQueryPages collects the trials' records of single queries; nil if there are none.
func newQueryPages(v *scores.Set) *QueryPages {
	p := &QueryPages{}
	var shown []*scores.System
	for _, s := range v.Systems {
		if t := queries.Shown(s); t != nil {
			shown = append(shown, s)
			p.Systems = append(p.Systems, AskedSystem{Label: s.Label, Kind: s.Kind, Trials: v.Link("", s.Trials, nil).Trials, Shown: t.ID})
		}
	}
	all := queries.Recorded(shown)
	if len(all) == 0 {
		return nil
	}
	p.fill(shown, all)
	for _, at := range v.Slots {
		if at.Column().Direction() == metrics.Lower {
			p.Lower = words.AddNew(p.Lower, at.Measure)
		}
	}
	if a := queries.First(v, all[0]); a != nil {
		p.A = max(0, slices.Index(shown, a))
		p.B = max(0, slices.Index(shown, queries.Against(v, shown[p.A], all[0])))
	}
	p.Note = p.note(len(all))
	p.Movers = movers(shown, all)
	return p
}

// fill adds as many queries as fit: first pairs, starting with those that systems treat
// most differently, then single queries.
func (p *QueryPages) fill(systems []*scores.System, all []*queries.Query) {
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b *queries.Query) int { return cmp.Compare(spreadOf(b), spreadOf(a)) })
	room, texts := pagesAtMost, map[string]int{}
	kept := map[*queries.Query]AskedQuery{}
	for _, q := range order {
		size := sizeOf(q, texts)
		if size > room {
			p.Left++
			continue
		}
		room -= size
		kept[q] = p.lay(systems, q, texts)
	}
	for _, q := range all { // in the order of the trial
		if asked, ok := kept[q]; ok {
			p.Queries = append(p.Queries, asked)
		}
	}
}

// spreadOf returns the range of p-MRR over the systems, −1 for a single query.
func spreadOf(q *queries.Query) float64 {
	if q.Changed == "" {
		return -1
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range q.Records {
		sum := 0.0
		for _, d := range r.Documents {
			sum += d.Share
		}
		low, high = min(low, sum), max(high, sum)
	}
	return high - low
}

// sizeOf estimates the JSON bytes of a query, including documents that no earlier query
// shows.
func sizeOf(q *queries.Query, texts map[string]int) int {
	n := 200 + len(q.Text) + len(q.Instruction) + len(q.Changed)
	seen := map[string]bool{}
	for _, r := range q.Records {
		n += 22 * len(r.Documents)
		for _, d := range r.Documents {
			if _, known := texts[textKey(d)]; !known && !seen[textKey(d)] {
				seen[textKey(d)] = true
				n += 40 + len(d.ID) + len(d.Title) + len(d.Text)
			}
		}
	}
	return n
}

func textKey(d results.MovedDocument) string { return d.ID + "\x00" + d.Title + "\x00" + d.Text }

// lay returns a query with its documents, in the order of the first system that has them,
// and their ranks by system.
func (p *QueryPages) lay(systems []*scores.System, of *queries.Query, texts map[string]int) AskedQuery {
	q := AskedQuery{Benchmark: of.Benchmark, Task: of.Task, Query: words.Clean(of.ID), ID: of.ID, Text: of.Text, Instruction: of.Instruction, Changed: of.Changed}
	place := map[string]int{} // document ID -> index among the documents of the query
	for _, s := range systems {
		r := of.Records[s]
		if r == nil {
			continue
		}
		q.Left = max(q.Left, r.Left)
		for _, d := range r.Documents {
			if _, ok := place[d.ID]; ok {
				continue
			}
			i, known := texts[textKey(d)]
			if !known {
				i = len(p.Documents)
				texts[textKey(d)] = i
				p.Documents = append(p.Documents, ShownText{ID: words.Clean(d.ID), Title: words.Clean(d.Title), Text: words.Clean(d.Text)})
			}
			place[d.ID] = len(q.Documents)
			q.Documents = append(q.Documents, i)
		}
	}
	if len(q.Documents) == 0 {
		return q
	}
	for _, s := range systems {
		r := of.Records[s]
		if r == nil {
			q.Ranks, q.Shares = append(q.Ranks, nil), append(q.Shares, nil)
			continue
		}
		ranks, shares := make([]int, 2*len(q.Documents)), make([]float64, len(q.Documents))
		for _, d := range r.Documents {
			at := place[d.ID]
			ranks[2*at], ranks[2*at+1], shares[at] = d.Before, d.After, words.Round4(d.Share)
		}
		q.Ranks, q.Shares = append(q.Ranks, ranks), append(q.Shares, shares)
	}
	return q
}

// note describes which queries are shown and which are not.
func (p *QueryPages) note(all int) string {
	parts := fmt.Sprintf("%s of %s, as %s ranked them.", words.Plural(len(p.Queries), "query or pair", "queries and pairs"), words.Group(all), words.Plural(len(p.Systems), "system", "systems"))
	if p.Left > 0 {
		parts += fmt.Sprintf(" %s left out for lack of room; pairs that the systems treat most differently are kept.", words.Plural(p.Left, "query is", "queries are"))
	}
	return parts + " Ranks are from one training run. Texts are cut at 500 characters and marked […]. For a pair, the 40 documents with the largest effect on p-MRR are kept."
}

// movers lists the pairs on which one system moved documents most, for readers without
// scripts.
func movers(systems []*scores.System, all []*queries.Query) *table.Table {
	t := &table.Table{ID: "queries-movers-table", Title: "Largest movers",
		Caption: "The changed documents with the largest effect on p-MRR, one per pair: the rank under the original and under the changed instruction, and the share of the pair's p-MRR ×100.",
		Columns: []table.Column{{Name: "pair"}, {Name: "system"}, {Name: "original instruction"}, {Name: "changed instruction"}, {Name: "document"},
			{Name: "before", Number: true}, {Name: "after", Number: true}, {Name: "share", Number: true}}}
	type mover struct {
		q *queries.Query
		s *scores.System
		d results.MovedDocument
	}
	var found []mover
	for _, q := range all {
		var most *mover
		for _, s := range systems {
			if s.Kind == table.Null {
				continue // it moves documents at random
			}
			if r := q.Records[s]; r != nil && len(r.Documents) > 0 { // the first has the largest share
				if d := r.Documents[0]; most == nil || math.Abs(d.Share) > math.Abs(most.d.Share) {
					most = &mover{q, s, d}
				}
			}
		}
		if most != nil {
			found = append(found, *most)
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(a, b mover) int { return cmp.Compare(math.Abs(b.d.Share), math.Abs(a.d.Share)) })
	for _, m := range found[:min(moversShown, len(found))] {
		t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{
			{Text: m.q.Name()}, {Text: m.s.Label}, {Text: m.q.Instruction}, {Text: m.q.Changed},
			{Text: words.Clean(m.d.ID)}, table.Number(words.Group(m.d.Before), float64(m.d.Before)), table.Number(words.Group(m.d.After), float64(m.d.After)), table.Number(words.Signed(m.d.Share), m.d.Share),
		}})
	}
	return t
}
