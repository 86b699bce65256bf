package datasets

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"infbench/datasets/format"
	"infbench/metrics/trec"
)

// judgments are qrels as read, with what was odd about them.
type judgments struct {
	qrels    trec.Qrels
	lines    int
	repeated int // lines that say again what an earlier one said
	unknown  int // judgments of documents the corpus lacks
	example  string
}

// qrelColumns are the columns of judgments as BEIR, mteb, InstructIR and R2MED name
// them.
func qrelColumns() []format.Column {
	return []format.Column{
		{Name: "query-id|query_id|qid|q_id", Kind: format.ID},
		{Name: "corpus-id|corpus_id|pid|docid|p_id", Kind: format.ID},
		{Name: "score", Kind: format.Int},
	}
}

// readJudgments reads qrels in one of format's table syntaxes. Two grades for
// one pair are an error, and so are no judgments at all; a judged document that
// known does not know is counted and kept.
func readJudgments(files []string, known func(doc string) bool) (*judgments, error) {
	j := &judgments{qrels: trec.Qrels{}}
	for r, err := range format.Rows(files, qrelColumns()) {
		if err != nil {
			return nil, fmt.Errorf("qrels: %w", err)
		}
		if err := j.add(r.Pos, r.Text(0), r.Text(1), r.Int(2), known); err != nil {
			return nil, fmt.Errorf("qrels: %w", err)
		}
	}
	if j.lines == 0 {
		return nil, fmt.Errorf("qrels: no judgments in %q", files)
	}
	return j, nil
}

// add takes one judgment.
func (j *judgments) add(pos format.Pos, query, doc string, grade int, known func(string) bool) error {
	j.lines++
	if query == "" || doc == "" {
		return pos.Errorf("query %q, document %q: empty ID", query, doc)
	}
	of := j.qrels[query]
	if of == nil {
		of = map[string]int{}
		j.qrels[query] = of
	}
	if old, seen := of[doc]; seen {
		if old != grade {
			return pos.Errorf("query %q, document %q: graded %d after %d", query, doc, grade, old)
		}
		j.repeated++
		return nil
	}
	of[doc] = grade
	if !known(doc) {
		if j.unknown++; j.unknown == 1 {
			pos.File = filepath.Base(pos.File) // a report must not tell folders of a machine
			j.example = fmt.Sprintf("%s: query %q, document %q", pos, query, doc)
		}
	}
	return nil
}

// warnings words what was odd.
func (j *judgments) warnings() []string {
	var w []string
	if j.repeated > 0 {
		w = append(w, fmt.Sprintf("%d of %d judgments repeat an earlier one", j.repeated, j.lines))
	}
	if j.unknown > 0 {
		w = append(w, fmt.Sprintf("%d of %d judgments are of documents the corpus lacks, first %s",
			j.unknown, j.lines, j.example))
	}
	return w
}

// Judged makes a task of judgments alone: its queries have no text and there are
// no documents, so that rankings can be scored but none made. It is scored as a
// collection that names no measure itself.
func Judged(name string, qrels trec.Qrels) Task {
	t := Task{Name: name, Qrels: qrels, Scorings: adHoc()}
	for _, id := range slices.Sorted(maps.Keys(qrels)) {
		t.Queries = append(t.Queries, Query{ID: id})
	}
	return t
}
