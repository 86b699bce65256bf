package datasets

import (
	"fmt"

	"infbench/datasets/format"
	"infbench/metrics/trec"
)

// queryColumns returns the columns of queries under the names of BEIR and its descendants.
func queryColumns() []format.Column {
	return []format.Column{
		{Name: "_id|id|qid", Kind: format.ID},
		{Name: "text|query", Kind: format.String},
		{Name: "instruction", Kind: format.String, Optional: true},
	}
}

// queryList collects queries in file order. A query repeated with the same content is kept once;
// two different queries with one ID are an error.
type queryList struct {
	queries  []Query
	at       map[string]int // ID -> index in queries
	repeated int
}

// add adds one query found at pos.
func (l *queryList) add(pos format.Pos, q Query) error {
	if l.at == nil {
		l.at = map[string]int{}
	}
	if err := trec.CheckQuery(q.ID); err != nil {
		return &format.Error{Pos: pos, Err: err}
	}
	i, seen := l.at[q.ID]
	switch {
	case !seen:
		l.at[q.ID] = len(l.queries)
		l.queries = append(l.queries, q)
	case l.queries[i] != q:
		return pos.Errorf("query %q differs from an earlier one of that ID", q.ID)
	default:
		l.repeated++
	}
	return nil
}

// readQueries reads queries in one of format's table syntaxes.
func readQueries(files []string) (*queryList, error) {
	var l queryList
	for r, err := range format.Rows(files, queryColumns()) {
		if err != nil {
			return nil, fmt.Errorf("queries: %w", err)
		}
		if err := l.add(r.Pos, Query{ID: r.Text(0), Text: r.Text(1), Instruction: r.Text(2)}); err != nil {
			return nil, fmt.Errorf("queries: %w", err)
		}
	}
	if len(l.queries) == 0 {
		return nil, fmt.Errorf("queries: none in %q", files)
	}
	return &l, nil
}

// setJudged gives the task the queries that have judgments, in file order, and the judgments that
// have a query. It adds notes or warnings about the others.
func (t *Task) setJudged(l *queryList, j *judgmentReader) error {
	t.Qrels = trec.Qrels{}
	for _, q := range l.queries {
		if of, judged := j.Qrels[q.ID]; judged {
			t.Queries = append(t.Queries, q)
			t.Qrels[q.ID] = of
		}
	}
	if len(t.Queries) == 0 {
		return fmt.Errorf("none of %d queries has a judgment (%d queries are judged)", len(l.queries), len(j.Qrels))
	}
	if err := j.CheckFound(t.Qrels); err != nil {
		return err
	}
	t.Warnings = append(t.Warnings, j.Warnings()...)
	if l.repeated > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d queries are given twice", l.repeated))
	}
	if n := len(j.Qrels) - len(t.Qrels); n > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d judged queries have no text and are not run", n))
	}
	if n := len(l.queries) - len(t.Queries); n > 0 {
		t.note(fmt.Sprintf("%d of %d queries have no judgments and are not run", n, len(l.queries)))
	}
	return nil
}

// note appends a remark to the task's notes.
func (t *Task) note(remark string) {
	if t.Notes != "" {
		t.Notes += "; "
	}
	t.Notes += remark
}
