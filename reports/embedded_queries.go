package reports

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/reports/section"
	"infbench/runners/results"
)

// QueriesStart precedes the data of a page on single queries.
const QueriesStart = `<script type="application/json" id="query-data">`

// AddQueries gives the trials of Experiments the records of queries that the page shows. They
// hold less than those of a run folder: a page may leave out queries, and it rounds shares.
func (d *Data) AddQueries(page []byte, exps []*results.Experiment) error {
	_, rest, found := bytes.Cut(page, []byte(QueriesStart))
	text, _, closed := bytes.Cut(rest, []byte("</script>"))
	if !found || !closed {
		return nil
	}
	var p QueryPages
	if err := json.Unmarshal(text, &p); err != nil {
		return fmt.Errorf("read queries of the report: %w", err)
	}
	raw := map[string]string{}
	for _, b := range d.Benchmarks {
		raw[words.Clean(b.Display)] = b.Benchmark.Name
	}
	for _, e := range exps {
		for i := range e.Trials {
			t := &e.Trials[i]
			at := slices.IndexFunc(p.Systems, func(s AskedSystem) bool { return s.Shown == t.ID })
			if at < 0 {
				continue
			}
			for _, q := range p.Queries {
				r, ok, err := p.record(q, at)
				if err != nil {
					return fmt.Errorf("read queries of the report: %s: %w", q.ID, err)
				}
				if r.Benchmark, r.Task = cmp.Or(raw[q.Benchmark], q.Benchmark), q.Task; ok {
					t.Queries = append(t.Queries, r)
				}
			}
		}
	}
	return nil
}

// record is the record that a system has of a query; ok is false if it has none.
func (p *QueryPages) record(q AskedQuery, system int) (r results.QueryRecord, ok bool, err error) {
	r = results.QueryRecord{Query: q.ID, Text: q.Text, Instruction: q.Instruction, Changed: q.Changed, Left: q.Left}
	if len(q.Documents) == 0 {
		return r, true, nil
	}
	if system >= len(q.Ranks) || system >= len(q.Shares) || q.Ranks[system] == nil {
		return r, false, nil
	}
	ranks, shares := q.Ranks[system], q.Shares[system]
	if len(ranks) != 2*len(q.Documents) || len(shares) != len(q.Documents) {
		return r, false, fmt.Errorf("%d ranks and %d shares of %d documents", len(ranks), len(shares), len(q.Documents))
	}
	for j, at := range q.Documents {
		if at < 0 || at >= len(p.Documents) {
			return r, false, fmt.Errorf("document %d of %d", at, len(p.Documents))
		}
		if ranks[2*j] == 0 {
			continue // another system's record has it
		}
		d := p.Documents[at]
		r.Documents = append(r.Documents, results.MovedDocument{ID: d.ID, Title: d.Title, Text: d.Text, Before: ranks[2*j], After: ranks[2*j+1], Share: shares[j]})
	}
	slices.SortStableFunc(r.Documents, func(a, b results.MovedDocument) int { return cmp.Compare(math.Abs(b.Share), math.Abs(a.Share)) })
	return r, true, nil
}

// ErrNeedsRuns is returned if a requested section or picture cannot be made from a page.
var ErrNeedsRuns = errors.New("a page carries no times, memory, training curves, machines and experiment files")

// DropRuns empties the sections that only run folders can fill, such as costs and machines, for a
// report on pages: the little that a page has of them would look complete. Single queries stay.
// It returns ErrNeedsRuns if the requested section is one of them.
func (r *Report) DropRuns() error {
	section.Each(r.Sections, func(s *section.Section, _ int) {
		if s.Source.From == section.FromRuns && s.ID != "queries" && s.ID != "queries-movers" {
			*s = section.Section{ID: s.ID, Title: s.Title, Nav: s.Nav, Parts: s.Parts}
		}
	})
	if r.Asked && r.Sections[0].Empty() {
		return ErrNeedsRuns
	}
	return nil
}
