package runners

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// scope says which documents, by their number in the corpus, each query of a
// task may retrieve.
type scope struct {
	task       *datasets.Task
	ids        []string // document number -> ID, in corpus order
	number     map[string]int32
	restricted bool      // each query ranks its candidates only
	candidates [][]int32 // query number -> its candidates less its excluded, sorted; nil if not restricted
	excluded   [][]int32 // query number -> documents never ranked, sorted; nil if restricted
}

// checkTask finds the faults of a task that need no look at its corpus.
func checkTask(task *datasets.Task, depth int) error {
	if depth < 1 {
		return fmt.Errorf("task %s: depth %d, want at least 1", task.Name, depth)
	}
	seen := make(map[string]bool, len(task.Queries))
	for _, q := range task.Queries {
		if seen[q.ID] {
			return fmt.Errorf("task %s: duplicate query ID %q", task.Name, q.ID)
		}
		seen[q.ID] = true
	}
	return nil
}

// openScope checks a task and streams its corpus for the IDs of its documents.
func openScope(ctx context.Context, task *datasets.Task, depth int) (*scope, error) {
	if err := checkTask(task, depth); err != nil {
		return nil, err
	}
	ids := make([]string, 0, max(0, task.Corpus.Len()))
	for d, err := range task.Corpus.Documents() {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, fmt.Errorf("task %s: read corpus: %w", task.Name, err)
		}
		ids = append(ids, d.ID)
	}
	return newScope(task, ids)
}

// newScope resolves the candidates and exclusions of a task. Duplicate document
// IDs, queries without an entry in the candidates, candidates that are not in
// the corpus and candidates given twice are errors, counted and shown by the
// first of them. An excluded document need not be in the corpus: BRIGHT
// excludes some that are not.
func newScope(task *datasets.Task, ids []string) (*scope, error) {
	number := make(map[string]int32, len(ids))
	for i, id := range ids {
		if _, seen := number[id]; seen {
			return nil, fmt.Errorf("task %s: duplicate document ID %q", task.Name, id)
		}
		number[id] = int32(i)
	}
	s := &scope{task: task, ids: ids, number: number, restricted: task.Candidates != nil}
	excluded := make([][]int32, len(task.Queries))
	for i, q := range task.Queries {
		for _, id := range task.Excluded[q.ID] {
			if doc, ok := number[id]; ok {
				excluded[i] = append(excluded[i], doc)
			}
		}
		slices.Sort(excluded[i])
	}
	if !s.restricted {
		s.excluded = excluded
		return s, nil
	}
	var faults faultCount
	s.candidates = make([][]int32, len(task.Queries))
	for i, q := range task.Queries {
		s.candidates[i] = s.resolve(q.ID, excluded[i], &faults)
	}
	if err := faults.err(); err != nil {
		return nil, fmt.Errorf("task %s: %w", task.Name, err)
	}
	return s, nil
}

// resolve returns the sorted numbers of the candidates of a query that are not
// excluded.
func (s *scope) resolve(query string, excluded []int32, faults *faultCount) []int32 {
	listed, ok := s.task.Candidates[query]
	if !ok {
		faults.add("query %q has no list of candidates", query)
	}
	docs := make([]int32, 0, len(listed))
	for _, id := range listed {
		doc, ok := s.number[id]
		if !ok {
			faults.add("candidate %q of query %q is not in the corpus", id, query)
			continue
		}
		docs = append(docs, doc)
	}
	slices.Sort(docs)
	for i := 1; i < len(docs); i++ {
		if docs[i] == docs[i-1] {
			faults.add("query %q has candidate %q more than once", query, s.ids[docs[i]])
		}
	}
	return slices.DeleteFunc(docs, func(doc int32) bool {
		_, found := slices.BinarySearch(excluded, doc)
		return found
	})
}

// top returns an empty topK for query number i.
func (s *scope) top(i, depth int) *topK {
	t := newTopK(depth, s.ids)
	if !s.restricted {
		t.reset(s.excluded[i])
	}
	return t
}

// each calls visit for every document that query i may retrieve, but for the
// excluded ones of a whole corpus, which top leaves out.
func (s *scope) each(i int, visit func(doc int32)) {
	if s.restricted {
		for _, doc := range s.candidates[i] {
			visit(doc)
		}
		return
	}
	for doc := range s.ids {
		visit(int32(doc))
	}
}

// allows says whether query i may retrieve a document.
func (s *scope) allows(i int, doc int32) bool {
	if s.restricted {
		_, found := slices.BinarySearch(s.candidates[i], doc)
		return found
	}
	_, found := slices.BinarySearch(s.excluded[i], doc)
	return !found
}

// eachDocument streams the corpus again with the number of each document.
func (s *scope) eachDocument(ctx context.Context, visit func(number int32, d datasets.Document) error) error {
	number := int32(-1)
	for d, err := range s.task.Corpus.Documents() {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("read corpus: %w", err)
		}
		if number++; int(number) >= len(s.ids) || s.ids[number] != d.ID {
			return fmt.Errorf("read corpus: document %q has another place than at the first reading", d.ID)
		}
		if err := visit(number, d); err != nil {
			return err
		}
	}
	return nil
}

// wanted tells the documents that some query may retrieve, and their number.
func (s *scope) wanted() (is func(doc int32) bool, n int) {
	if !s.restricted {
		return func(int32) bool { return true }, len(s.ids)
	}
	marks := make([]bool, len(s.ids))
	for _, docs := range s.candidates {
		for _, doc := range docs {
			if !marks[doc] {
				marks[doc] = true
				n++
			}
		}
	}
	return func(doc int32) bool { return marks[doc] }, n
}

// faultCount gathers faults of one kind of data: the first in words, the rest
// by number.
type faultCount struct {
	n     int
	first string
}

func (f *faultCount) add(format string, args ...any) {
	if f.n++; f.n == 1 {
		f.first = fmt.Sprintf(format, args...)
	}
}

func (f *faultCount) err() error {
	switch f.n {
	case 0:
		return nil
	case 1:
		return errors.New(f.first)
	}
	return fmt.Errorf("%s, and %d faults more", f.first, f.n-1)
}

// run names rankings, given by query number, by their queries.
func (s *scope) run(rankings []trec.Ranking) trec.Run {
	run := make(trec.Run, len(rankings))
	for i, q := range s.task.Queries {
		run[q.ID] = rankings[i]
	}
	return run
}
