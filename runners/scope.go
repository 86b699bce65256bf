package runners

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/internal/endpoint"
	"infbench/internal/progress"
	"infbench/metrics/trec"
)

// Scope determines which documents, by number in the corpus, each query of a task may retrieve.
type Scope struct {
	Task       *datasets.Task
	IDs        []string // document number -> ID, in corpus order
	Number     map[string]int32
	From, To   int32     // the range of ranked documents: those of the task's shard
	Restricted bool      // each query ranks only its candidates
	Candidates [][]int32 // query number -> its candidates in the shard without excluded ones, sorted; nil if not restricted
	Excluded   [][]int32 // query number -> documents never ranked, sorted; nil if restricted

	pools [][]int32 // query number -> its candidates in all shards without excluded ones, sorted
}

// Pool returns all candidates of query i, including those of other shards, for statistics of
// its candidates. It is nil if the scope is not restricted.
func (s *Scope) Pool(i int) []int32 {
	if !s.Restricted {
		return nil
	}
	return s.pools[i]
}

// IsPart reports whether some documents belong to other shards.
func (s *Scope) IsPart() bool { return int(s.To-s.From) < len(s.IDs) }

// CheckTask finds the faults of a task that do not depend on its corpus.
func CheckTask(task *datasets.Task, depth int) error {
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

// OpenScope checks a task and streams its corpus for the IDs of its documents.
func OpenScope(ctx context.Context, task *datasets.Task, depth int) (*Scope, error) {
	if err := CheckTask(task, depth); err != nil {
		return nil, err
	}
	ids := make([]string, 0, max(0, task.Corpus.Len()))
	for d, err := range task.Corpus.Documents() {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, fmt.Errorf("task %s: read corpus: %w", task.Name, err)
		}
		ids = append(ids, d.ID)
	}
	return NewScope(task, ids)
}

// taskContext is the context for work on a task. If its texts are private, errors do not quote
// endpoints that receive them.
func taskContext(ctx context.Context, task *datasets.Task) context.Context {
	if task.Private {
		return endpoint.Privately(ctx)
	}
	return ctx
}

// Retrieve opens the scope of a task and calls search with it and the taskContext. Errors name
// the task and the retriever.
func Retrieve(ctx context.Context, name string, task *datasets.Task, depth int, search func(context.Context, *Scope) (trec.Run, error)) (trec.Run, error) {
	ctx = taskContext(ctx, task)
	sc, err := OpenScope(ctx, task, depth)
	if err != nil {
		return nil, err
	}
	run, err := search(ctx, sc)
	if err != nil {
		return nil, fmt.Errorf("task %s: %s: %w", task.Name, name, err)
	}
	return run, nil
}

// QueryTexts returns the texts of queries and their instructions in the form for encoders.
func QueryTexts(queries []datasets.Query) (texts, instructions []string) {
	texts, instructions = make([]string, len(queries)), make([]string, len(queries))
	for i, q := range queries {
		texts[i], instructions[i] = q.Text, q.Instruction
	}
	return texts, instructions
}

// NewScope resolves the candidates and exclusions of a task. Duplicate document IDs, queries
// without an entry in the candidates, candidates that are not in the corpus and repeated
// candidates are errors; the error shows the first fault and the number of the others. An
// excluded document need not be in the corpus: BRIGHT excludes some that are not.
func NewScope(task *datasets.Task, ids []string) (*Scope, error) {
	number := make(map[string]int32, len(ids))
	for i, id := range ids {
		if _, seen := number[id]; seen {
			return nil, fmt.Errorf("task %s: duplicate document ID %q", task.Name, id)
		}
		number[id] = int32(i)
	}
	from, to := task.Shard.Bounds(len(ids))
	s := &Scope{Task: task, IDs: ids, Number: number, From: int32(from), To: int32(to), Restricted: task.Candidates != nil}
	excluded := make([][]int32, len(task.Queries))
	for i, q := range task.Queries {
		for _, id := range task.Excluded[q.ID] {
			if doc, ok := number[id]; ok {
				excluded[i] = append(excluded[i], doc)
			}
		}
		slices.Sort(excluded[i])
	}
	if !s.Restricted {
		s.Excluded = excluded
		return s, nil
	}
	var faults Faults
	s.Candidates, s.pools = make([][]int32, len(task.Queries)), make([][]int32, len(task.Queries))
	for i, q := range task.Queries {
		s.pools[i] = s.resolve(q.ID, excluded[i], &faults)
		s.Candidates[i] = s.own(s.pools[i])
	}
	if err := faults.Err(); err != nil {
		return nil, fmt.Errorf("task %s: %w", task.Name, err)
	}
	return s, nil
}

// resolve returns the sorted numbers of the candidates of a query that are not
// excluded.
func (s *Scope) resolve(query string, excluded []int32, faults *Faults) []int32 {
	listed, ok := s.Task.Candidates[query]
	if !ok {
		faults.Add("query %q has no list of candidates", query)
	}
	docs := make([]int32, 0, len(listed))
	for _, id := range listed {
		doc, ok := s.Number[id]
		if !ok {
			faults.Add("candidate %q of query %q is not in the corpus", id, query)
			continue
		}
		docs = append(docs, doc)
	}
	slices.Sort(docs)
	for i := 1; i < len(docs); i++ {
		if docs[i] == docs[i-1] {
			faults.Add("query %q has candidate %q more than once", query, s.IDs[docs[i]])
		}
	}
	return slices.DeleteFunc(docs, func(doc int32) bool {
		_, found := slices.BinarySearch(excluded, doc)
		return found
	})
}

// own returns the part of sorted documents that is in the shard.
func (s *Scope) own(docs []int32) []int32 {
	first, _ := slices.BinarySearch(docs, s.From)
	behind, _ := slices.BinarySearch(docs, s.To)
	return docs[first:behind]
}

// Top returns an empty TopK for query number i.
func (s *Scope) Top(i, depth int) *TopK {
	t := NewTopK(depth, s.IDs)
	if !s.Restricted {
		t.Reset(s.Excluded[i])
	}
	return t
}

// Each calls visit for every document that query i may retrieve. If the scope is not
// restricted, that includes excluded documents, which Top leaves out.
func (s *Scope) Each(i int, visit func(doc int32)) {
	if s.Restricted {
		for _, doc := range s.Candidates[i] {
			visit(doc)
		}
		return
	}
	for doc := s.From; doc < s.To; doc++ {
		visit(doc)
	}
}

// Allows reports whether query i may retrieve a document.
func (s *Scope) Allows(i int, doc int32) bool {
	if s.Restricted {
		_, found := slices.BinarySearch(s.Candidates[i], doc)
		return found
	}
	_, found := slices.BinarySearch(s.Excluded[i], doc)
	return !found && s.has(doc)
}

// has reports whether a document is in the shard.
func (s *Scope) has(doc int32) bool { return s.From <= doc && doc < s.To }

// EachDocument streams the corpus again with the number of each document. It is an error if the
// corpus has changed since the first reading.
func (s *Scope) EachDocument(ctx context.Context, visit func(number int32, d datasets.Document) error) error {
	number := int32(-1)
	for d, err := range s.Task.Corpus.Documents() {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("read corpus: %w", err)
		}
		if number++; int(number) >= len(s.IDs) || s.IDs[number] != d.ID {
			return fmt.Errorf("read corpus: document %q has another position than in the first reading", d.ID)
		}
		if err := visit(number, d); err != nil {
			return err
		}
	}
	return nil
}

// Wanted returns a function that reports whether some query may retrieve a document, and the
// number of such documents.
func (s *Scope) Wanted() (wanted func(doc int32) bool, n int) {
	if !s.Restricted {
		return s.has, int(s.To - s.From)
	}
	marks := make([]bool, len(s.IDs))
	for _, docs := range s.Candidates {
		for _, doc := range docs {
			if !marks[doc] {
				marks[doc] = true
				n++
			}
		}
	}
	return func(doc int32) bool { return marks[doc] }, n
}

// Faults collects faults of one kind of data: the text of the first and the number of the
// others.
type Faults struct {
	n     int
	first string
}

func (f *Faults) Add(format string, args ...any) {
	if f.n++; f.n == 1 {
		f.first = fmt.Sprintf(format, args...)
	}
}

func (f *Faults) Err() error {
	switch f.n {
	case 0:
		return nil
	case 1:
		return errors.New(f.first)
	}
	return fmt.Errorf("%s, and %d more faults", f.first, f.n-1)
}

// Run converts rankings in the order of the queries to a run.
func (s *Scope) Run(rankings []trec.Ranking) trec.Run {
	run := make(trec.Run, len(rankings))
	for i, q := range s.Task.Queries {
		run[q.ID] = rankings[i]
	}
	return run
}

// DocumentBatch is a batch of documents of a corpus in the form for encoders.
type DocumentBatch struct {
	Numbers       []int32
	Titles, Texts []string
	Of            int // number of documents in all batches
}

// EachBatch streams the documents that some query may retrieve in batches of size; the last may
// be smaller. The memory of a batch is reused for the next. The context of a call is for the work on
// its batch.
func (s *Scope) EachBatch(ctx context.Context, size int, visit func(context.Context, *DocumentBatch) error) error {
	wanted, n := s.Wanted()
	b := DocumentBatch{Of: n}
	done := 0
	flush := func() error {
		part := progress.Part(ctx, done, done+len(b.Numbers), n)
		done += len(b.Numbers)
		err := visit(part, &b)
		progress.Report(part, 1)
		b.Numbers, b.Titles, b.Texts = b.Numbers[:0], b.Titles[:0], b.Texts[:0]
		return err
	}
	err := s.EachDocument(ctx, func(number int32, d datasets.Document) error {
		if !wanted(number) {
			return nil
		}
		b.Numbers, b.Titles, b.Texts = append(b.Numbers, number), append(b.Titles, d.Title), append(b.Texts, d.Text)
		if len(b.Numbers) < size {
			return nil
		}
		return flush()
	})
	if err != nil || len(b.Numbers) == 0 {
		return err
	}
	return flush()
}
