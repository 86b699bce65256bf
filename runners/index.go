package runners

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"

	"infbench/datasets"
)

// index holds the term counts of a corpus. Documents are numbered in corpus order and terms in
// the order of their first occurrence, so an index does not depend on the number of goroutines
// that built it.
type index struct {
	ids        []string
	vocabulary map[string]int32
	terms      *postingCounts // term -> the documents that have it; nil if by documents
	documents  *postingCounts // document -> its terms in the order of their first occurrence; nil if by terms
	lengths    []int32        // document -> number of its term occurrences
	total      int64          // sum of lengths
	text       int64          // bytes of IDs
	words      int64          // bytes of terms

	// The range of documents whose terms are indexed: those of a shard. For the other documents
	// the index has only statistics, such as the number of them that have each term
	// (elsewhere). An index by documents has all documents, since the statistics may be those
	// of a query's candidates.
	from, to  int
	elsewhere []int32
}

// newIndex returns an empty index of a shard, by terms or by documents.
func newIndex(byDocuments bool, from, to int) *index {
	ix := &index{vocabulary: map[string]int32{}, from: from, to: to}
	if byDocuments {
		ix.documents = newPostingCounts(false)
	} else {
		ix.terms = newPostingCounts(true)
	}
	return ix
}

// batchSize is the number of documents a goroutine analyses at a time.
const batchSize = 128

// analysed is a batch of documents in the term numbers of its worker.
type analysed struct {
	worker  int
	ids     []string
	terms   []string // terms that are new to this worker, in its numbering
	ends    []int    // end of each document's cells
	cells   []posting
	lengths []int32
}

// buildIndex analyses a corpus in parallel, each goroutine with its own analyzer. If the first
// documents show that the index will not fit into memory, it returns an error.
func buildIndex(ctx context.Context, task *datasets.Task, v bm25Variant) (*index, error) {
	from, to, err := shardOf(ctx, task)
	if err != nil {
		return nil, err
	}
	ix, newAnalyzer := newIndex(v.byDocuments, from, to), v.analyzer
	workers := make([]*counter, Workers())
	global := make([][]int32, len(workers)) // worker's term number -> index's
	for w := range workers {
		workers[w] = newCounter(newAnalyzer())
	}
	err = Pipeline(ctx, len(workers), batches(task.Corpus),
		func(worker int, docs []datasets.Document) *analysed {
			return workers[worker].analyse(worker, docs)
		},
		func(b *analysed) error {
			before := len(ix.ids)
			global[b.worker] = ix.add(b, global[b.worker])
			return ix.fits(before, task.Corpus.Len())
		})
	if err != nil {
		return nil, fmt.Errorf("task %s: index corpus: %w", task.Name, err)
	}
	return ix, nil
}

// shardOf returns the bounds of a task's shard. If the size of the corpus is unknown, it
// streams the corpus.
func shardOf(ctx context.Context, task *datasets.Task) (from, to int, err error) {
	n := task.Corpus.Len()
	if task.Shard == (datasets.Shard{}) {
		return 0, math.MaxInt, nil
	}
	if n < 0 {
		sc, err := OpenScope(ctx, task, 1)
		if err != nil {
			return 0, 0, err
		}
		n = len(sc.IDs)
	}
	from, to = task.Shard.Bounds(n)
	return from, to, nil
}

// frequency is the number of documents of the corpus that have a term.
func (ix *index) frequency(term int32) int { return ix.terms.Len(term) + int(ix.elsewhere[term]) }

// add appends a batch and returns the translation of its worker's term numbers, extended by the
// new terms of the batch.
func (ix *index) add(b *analysed, global []int32) []int32 {
	for _, term := range b.terms {
		n, ok := ix.vocabulary[term]
		if !ok {
			n = int32(len(ix.vocabulary))
			ix.vocabulary[term] = n
			ix.words += int64(len(term))
		}
		global = append(global, n)
	}
	first := len(ix.ids)
	ix.ids = append(ix.ids, b.ids...)
	ix.lengths = append(ix.lengths, b.lengths...)
	if ix.terms != nil {
		ix.terms.Grow(len(ix.vocabulary))
		ix.elsewhere = append(ix.elsewhere, make([]int32, len(ix.vocabulary)-len(ix.elsewhere))...)
	} else {
		ix.documents.Grow(len(ix.ids))
	}
	start := 0
	for i, end := range b.ends {
		doc := int32(first + i)
		for _, c := range b.cells[start:end] {
			switch own := ix.from <= first+i && first+i < ix.to; {
			case ix.terms == nil:
				ix.documents.Add(doc, posting{Other: global[c.Other], Count: c.Count})
			case own:
				ix.terms.Add(global[c.Other], posting{Other: doc, Count: c.Count})
			default:
				ix.elsewhere[global[c.Other]]++
			}
		}
		start = end
		ix.total += int64(b.lengths[i])
		ix.text += int64(len(b.ids[i]))
	}
	return global
}

// fits returns an error if the index of a corpus of so many documents will not fit into memory.
// before is the number of documents before the last batch.
func (ix *index) fits(before, documents int) error {
	sums := int64(Workers()) * int64(documents) * 8 // memory of a search
	if !ix.isPart() {
		return indexForecast{Before: before, Now: len(ix.ids), Documents: documents}.Fits(ix.packedBytes()+ix.keptBytes(), ix.termBytes(), sums)
	}
	own := func(documents int) int { return max(0, min(documents, ix.to)-ix.from) }
	return indexForecast{Before: own(before), Now: own(len(ix.ids)), Documents: own(documents)}.Fits(ix.packedBytes(), ix.keptBytes()+ix.termBytes(), sums)
}

// isPart reports whether the index has only the terms of a shard's documents.
func (ix *index) isPart() bool { return ix.terms != nil && ix.to < math.MaxInt }

// Measured bytes of an index in addition to its text: for each document its ID, length and
// place in a scope, for each term its rows and map entries, and the unused capacity of growing
// slices as a factor.
const (
	documentKept = 80
	termKept     = 160
	slack        = 1.5
)

// packedBytes is the approximate size of the documents' terms in bytes.
func (ix *index) packedBytes() int64 {
	packed := int64(0)
	for _, m := range []*postingCounts{ix.terms, ix.documents} {
		if m != nil {
			packed += m.Bytes()
		}
	}
	return int64(slack * float64(packed))
}

// keptBytes is the approximate size of the other data of documents in bytes, for all shards.
func (ix *index) keptBytes() int64 { return ix.text + int64(len(ix.ids))*documentKept }

// termBytes is the approximate size of the index's terms in bytes.
func (ix *index) termBytes() int64 { return ix.words + int64(len(ix.vocabulary))*termKept }

// query counts the terms of a query that occur in the index, in the order of
// their first occurrence in the query.
func (ix *index) query(c *counter, text string) []posting {
	cells, _ := c.count(text, nil)
	known := cells[:0]
	for _, cell := range cells {
		if n, ok := ix.vocabulary[c.terms[cell.Other]]; ok {
			known = append(known, posting{Other: n, Count: cell.Count})
		}
	}
	return known
}

// counter counts the terms of texts and numbers them in the order in which they occur. It
// remembers the term of every token, so each token is stemmed once.
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
			cells = append(cells, posting{Other: n})
		}
		c.counts[n]++
		length++
	})
	for i := first; i < len(cells); i++ {
		n := cells[i].Other
		cells[i].Count, c.counts[n] = c.counts[n], 0
	}
	return cells, length
}

// number finds the term of a new token.
func (c *counter) number(token string) int32 {
	token = strings.Clone(token) // otherwise the token would keep the complete document in memory
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
