package datasets

import (
	"fmt"
	"slices"

	"infbench/datasets/format"
	"infbench/metrics"
	"infbench/metrics/trec"
)

// pairBySuffix joins the queries of the task to pairs by the endings of their IDs, in the order of
// the original ones. moved has each pair's documents by its ID without ending.
func (t *Task) pairBySuffix(moved map[string][]string) error {
	has := map[string]bool{}
	for _, q := range t.Queries {
		has[q.ID] = true
	}
	for _, q := range t.Queries {
		id, on := metrics.CutSide(q.ID)
		p := NewPair(id)
		p.Moved = moved[id]
		switch {
		case on == Original && has[p.Changed]:
			t.Pairs = append(t.Pairs, p)
		case on == Original:
			return fmt.Errorf("query %q has no %q", q.ID, p.Changed)
		case on != Changed || !has[p.Original]:
			return fmt.Errorf("query %q is not part of a pair: want IDs ending in %s and %s", q.ID, Original.Query(""), Changed.Query(""))
		}
	}
	empty, differ := 0, 0
	for _, p := range t.Pairs {
		if len(p.Moved) == 0 {
			empty++
		}
		computed := movedDocuments(t.Qrels[p.Original], t.Qrels[p.Changed])
		if !slices.Equal(slices.Sorted(slices.Values(p.Moved)), computed) {
			differ++
		}
	}
	if empty > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%d of %d pairs have no moved documents and no p-MRR", empty, len(t.Pairs)))
	}
	if differ > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("the moved documents of %d of %d pairs are not those whose grades differ", differ, len(t.Pairs)))
	}
	return nil
}

// movedDocuments returns the documents whose grade differs between two judgments of one query,
// sorted. An unjudged document has grade 0.
func movedDocuments(original, changed map[string]int) []string {
	var moved []string
	for doc, grade := range original {
		if changed[doc] != grade {
			moved = append(moved, doc)
		}
	}
	for doc, grade := range changed {
		if _, both := original[doc]; !both && grade != 0 {
			moved = append(moved, doc)
		}
	}
	slices.Sort(moved)
	return moved
}

// pairedQuery is a query of the older layouts: one row with all its instructions.
type pairedQuery struct {
	id, text                    string
	original, changed, reversed string
}

// readPairedQueries reads the queries of FollowIR in mteb 1's format, or with reversed those of
// InfoSearch.
func readPairedQueries(files []string, reversed bool) ([]pairedQuery, error) {
	cols := []format.Column{
		{Name: "_id|id", Kind: format.ID}, {Name: "text"},
		{Name: "instruction_og"}, {Name: "instruction_changed"},
		{Name: "instruction_reversed", Optional: !reversed},
	}
	var all []pairedQuery
	seen := map[string]bool{}
	for r, err := range format.Rows(files, cols) {
		if err != nil {
			return nil, fmt.Errorf("queries: %w", err)
		}
		q := pairedQuery{r.Text(0), r.Text(1), r.Text(2), r.Text(3), r.Text(4)}
		err := trec.CheckQuery(q.id)
		if seen[q.id] {
			err = fmt.Errorf("repeated query ID %q", q.id)
		}
		if err != nil {
			return nil, fmt.Errorf("queries: %w", &format.Error{Pos: r.Pos, Err: err})
		}
		seen[q.id] = true
		all = append(all, q)
	}
	return all, nil
}

// openPaired reads a task of the older layout: queries with two or three instructions, judgments
// for each in separate configs, and candidates if the repository has them. Queries without original
// judgments are left out.
func (r *Repository) openPaired(name string, reversed bool) (*Task, error) {
	files, err := r.Files("corpus", "corpus", "test", "train")
	if err != nil {
		return nil, err
	}
	docs, err := OpenCorpus(files)
	if err != nil {
		return nil, err
	}
	if files, err = r.Files("queries", "queries", "test", "train"); err != nil {
		return nil, err
	}
	queries, err := readPairedQueries(files, reversed)
	if err != nil {
		return nil, err
	}
	task := &Task{Name: name, Corpus: docs, Qrels: trec.Qrels{}}
	task.warnDocuments(docs)
	configs := []string{"qrels_og", "qrels_changed", "qrels_reversed"}
	if !reversed {
		configs = configs[:2]
	}
	var sides []*judgmentReader
	for _, config := range configs {
		files, err := r.Files(config, "test")
		if err != nil {
			return nil, err
		}
		j, err := readJudgments(files, docs.Has)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", config, err)
		}
		for _, w := range j.Warnings() {
			task.Warnings = append(task.Warnings, config+": "+w)
		}
		sides = append(sides, j)
	}
	for _, q := range queries {
		if err := task.addPaired(q, sides); err != nil {
			return nil, err
		}
	}
	if len(task.Pairs) == 0 {
		return nil, fmt.Errorf("none of %d queries has judgments", len(queries))
	}
	if err := sides[0].CheckFound(sides[0].Qrels); err != nil {
		return nil, err
	}
	if n := len(queries) - len(task.Pairs); n > 0 {
		task.note(fmt.Sprintf("%d of %d queries have no judgments and are not run", n, len(queries)))
	}
	return task, r.readPairedCandidates(task, docs.Has)
}

// addPaired adds the queries of one pair and their judgments, in the order
// original, changed, reversed.
func (t *Task) addPaired(q pairedQuery, sides []*judgmentReader) error {
	if sides[0].Qrels[q.id] == nil {
		return nil
	}
	p := NewPair(q.id)
	texts := []string{q.original, q.changed, q.reversed}
	for i, j := range sides {
		on := metrics.Sides()[i]
		of := j.Qrels[q.id]
		if of == nil {
			return fmt.Errorf("query %q has original judgments and no %s ones", q.id, on)
		}
		t.Queries = append(t.Queries, Query{ID: on.Query(q.id), Text: q.text, Instruction: texts[i]})
		t.Qrels[on.Query(q.id)] = of
	}
	p.Moved = movedDocuments(sides[0].Qrels[q.id], sides[1].Qrels[q.id])
	if len(sides) > 2 {
		p.Reversed = Reversed.Query(q.id)
	}
	t.Pairs = append(t.Pairs, p)
	return nil
}

// readPairedCandidates gives all queries of a pair the list with the pair's ID.
func (r *Repository) readPairedCandidates(task *Task, known func(string) bool) error {
	if !r.Has("top_ranked") {
		return nil
	}
	files, err := r.Files("top_ranked", "top_ranked", "test", "train")
	if err != nil {
		return err
	}
	byID, err := readCandidateLists(files)
	if err != nil {
		return err
	}
	lists := map[string][]string{}
	for _, p := range task.Pairs {
		for _, id := range []string{p.Original, p.Changed, p.Reversed} {
			lists[id] = slices.Clone(byID[p.ID])
		}
	}
	return task.setCandidates(lists, known)
}
