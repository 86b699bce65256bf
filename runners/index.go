package runners

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"infbench/datasets"
)

// posting is one entry of a sparse matrix of term counts: in a row of a
// document, other is a term; in a row of a term, a document.
type posting struct{ other, count int32 }

// matrix is a sparse matrix by rows: row r is cells[start[r]:start[r+1]].
type matrix struct {
	start []int
	cells []posting
}

func (m *matrix) row(r int32) []posting { return m.cells[m.start[r]:m.start[r+1]] }

func (m *matrix) rows() int { return len(m.start) - 1 }

// transpose turns documents by terms into terms by documents. Rows come out
// sorted by other.
func (m *matrix) transpose(rows int) *matrix {
	t := &matrix{start: make([]int, rows+1), cells: make([]posting, len(m.cells))}
	for _, c := range m.cells {
		t.start[c.other+1]++
	}
	for r := range rows {
		t.start[r+1] += t.start[r]
	}
	next := append([]int(nil), t.start...)
	for r := range m.rows() {
		for _, c := range m.row(int32(r)) {
			t.cells[next[c.other]] = posting{int32(r), c.count}
			next[c.other]++
		}
	}
	return t
}

// index holds the term counts of a corpus. Documents are numbered in corpus
// order and terms in the order of their first occurrence, so an index does not
// depend on how many goroutines built it.
type index struct {
	ids        []string
	vocabulary map[string]int32
	documents  *matrix // document -> its terms
	lengths    []int32 // document -> number of its term occurrences
	total      int64   // sum of lengths
}

// batchSize is the number of documents a goroutine analyses at a time.
const batchSize = 128

// analysed is a batch of documents in the term numbers of the worker that
// analysed it.
type analysed struct {
	worker  int
	ids     []string
	terms   []string // terms this worker had not met before, in its numbering
	ends    []int    // end of each document's cells
	cells   []posting
	lengths []int32
}

// buildIndex analyses a corpus in parallel, each goroutine with its own analyzer.
func buildIndex(ctx context.Context, task *datasets.Task, newAnalyzer func() analyzer) (*index, error) {
	ix := &index{vocabulary: map[string]int32{}, documents: &matrix{start: []int{0}}}
	workers := make([]*counter, workerCount())
	global := make([][]int32, len(workers)) // worker's term number -> index's
	for w := range workers {
		workers[w] = newCounter(newAnalyzer())
	}
	err := pipeline(ctx, len(workers), batches(task.Corpus),
		func(worker int, docs []datasets.Document) *analysed {
			return workers[worker].analyse(worker, docs)
		},
		func(b *analysed) error {
			global[b.worker] = ix.add(b, global[b.worker])
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("task %s: index corpus: %w", task.Name, err)
	}
	return ix, nil
}

// add appends a batch and returns its worker's translation of term numbers,
// grown by the terms that are new in the batch.
func (ix *index) add(b *analysed, global []int32) []int32 {
	for _, term := range b.terms {
		n, ok := ix.vocabulary[term]
		if !ok {
			n = int32(len(ix.vocabulary))
			ix.vocabulary[term] = n
		}
		global = append(global, n)
	}
	ix.ids = append(ix.ids, b.ids...)
	ix.lengths = append(ix.lengths, b.lengths...)
	base := len(ix.documents.cells)
	for _, c := range b.cells {
		ix.documents.cells = append(ix.documents.cells, posting{global[c.other], c.count})
	}
	for i, end := range b.ends {
		ix.documents.start = append(ix.documents.start, base+end)
		ix.total += int64(b.lengths[i])
	}
	return global
}

// query counts the terms of a query that occur in the index, in the order of
// their first occurrence in the query.
func (ix *index) query(c *counter, text string) []posting {
	cells, _ := c.count(text, nil)
	known := cells[:0]
	for _, cell := range cells {
		if n, ok := ix.vocabulary[c.terms[cell.other]]; ok {
			known = append(known, posting{n, cell.count})
		}
	}
	return known
}

// counter counts the terms of texts, numbering them as it meets them. It
// remembers the term of every token, so each is stemmed once.
type counter struct {
	analyzer analyzer
	terms    []string
	numbers  map[string]int32 // term -> its number
	tokens   map[string]int32 // token -> the number of its term, -1 for a token that is dropped
	counts   []int32          // term number -> occurrences in the current text
}

func newCounter(a analyzer) *counter {
	return &counter{analyzer: a, numbers: map[string]int32{}, tokens: map[string]int32{}}
}

// count appends the counted terms of text to cells, in the order of their first
// occurrence, and returns them with the number of term occurrences.
func (c *counter) count(text string, cells []posting) ([]posting, int32) {
	first, length := len(cells), int32(0)
	c.analyzer.tokens(text, func(token string) {
		n, ok := c.tokens[token]
		if !ok {
			n = c.number(token)
		}
		if n < 0 {
			return
		}
		if c.counts[n] == 0 {
			cells = append(cells, posting{other: n})
		}
		c.counts[n]++
		length++
	})
	for i := first; i < len(cells); i++ {
		n := cells[i].other
		cells[i].count, c.counts[n] = c.counts[n], 0
	}
	return cells, length
}

// number finds the term of a token not met before.
func (c *counter) number(token string) int32 {
	token = strings.Clone(token) // else it would keep the whole document in memory
	n, term := int32(-1), c.analyzer.term(token)
	if term != "" {
		var ok bool
		if n, ok = c.numbers[term]; !ok {
			n = int32(len(c.terms))
			c.numbers[term] = n
			c.terms, c.counts = append(c.terms, term), append(c.counts, 0)
		}
	}
	c.tokens[token] = n
	return n
}

// analyse counts the terms of a batch of documents.
func (c *counter) analyse(worker int, docs []datasets.Document) *analysed {
	b := &analysed{worker: worker}
	known := len(c.terms)
	for _, d := range docs {
		var length int32
		b.cells, length = c.count(d.Title+" "+d.Text, b.cells)
		b.ids = append(b.ids, d.ID)
		b.ends = append(b.ends, len(b.cells))
		b.lengths = append(b.lengths, length)
	}
	b.terms = c.terms[known:len(c.terms):len(c.terms)]
	return b
}

// batches groups the documents of a corpus.
func batches(corpus datasets.Corpus) iter.Seq2[[]datasets.Document, error] {
	return func(yield func([]datasets.Document, error) bool) {
		batch := make([]datasets.Document, 0, batchSize)
		for d, err := range corpus.Documents() {
			if err != nil {
				yield(nil, err)
				return
			}
			if batch = append(batch, d); len(batch) == batchSize {
				if !yield(batch, nil) {
					return
				}
				batch = make([]datasets.Document, 0, batchSize)
			}
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}
