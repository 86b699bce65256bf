package runners

import (
	"context"
	"errors"
	"fmt"

	"infbench/metrics/kernel"
	"infbench/metrics/trec"
)

// lateSearch keeps the best documents of each query while blocks go by.
//
// It multiplies the vectors of some documents with those of some queries at once. A row of the
// product belongs to a vector of a document, and the score is the sum of the largest elements
// over the document's rows. An element of a product depends only on its two vectors and the
// kernel set (kernel.Product), so scores do not depend on the division of the work.
type lateSearch struct {
	scope   *Scope
	dim     int
	scoring LateScoring
	groups  []lateGroup
	targets []Target
	padded  [][]paddedScore // by query, if the scoring needs the longest candidate
	workers []lateWorker
}

// lateGroup is a group of queries that are multiplied together.
type lateGroup struct {
	first   int       // number of the first query
	ends    []int     // for each query, the column after its last vector
	columns []float32 // dim rows, with a column for each vector
}

func (g *lateGroup) width() int { return g.ends[len(g.ends)-1] }

const (
	groupColumns = 512 // query vectors in a product, or all of a single query
	productRows  = 256 // document vectors in a product, so that it fits in the second-level cache
)

// lateWorker is the memory of one goroutine.
type lateWorker struct {
	product []float32 // productRows rows of a group's width
	largest []float32 // largest elements over the rows of a document
}

// errVectorsTooLong is the error if a score of finite vectors is not finite.
var errVectorsTooLong = errors.New("an inner product overflows float32: the model's vectors are too long")

func newLateSearch(sc *Scope, dim int, scoring LateScoring, queries *tokens, depth int) *lateSearch {
	n := len(sc.Task.Queries)
	s := &lateSearch{scope: sc, dim: dim, scoring: scoring, targets: make([]Target, n), workers: make([]lateWorker, Workers())}
	if scoring == PaddedMaxSim {
		s.padded = make([][]paddedScore, n)
	}
	row := 0
	for first := 0; first < n; {
		g := lateGroup{first: first}
		width := 0
		for ; first < n && (width == 0 || !sc.Restricted && width+queries.counts[first] <= groupColumns); first++ {
			width += queries.counts[first]
			g.ends = append(g.ends, width)
			sc.Target(&s.targets[first], first, depth)
		}
		g.columns = transposed(queries.values[row*dim:(row+width)*dim], dim)
		row += width
		s.groups = append(s.groups, g)
	}
	return s
}

// transposed converts rows of dim values to columns.
func transposed(rows []float32, dim int) []float32 {
	n := len(rows) / dim
	columns := make([]float32, len(rows))
	for i := range n {
		for k, x := range rows[i*dim : (i+1)*dim] {
			columns[k*n+i] = x
		}
	}
	return columns
}

// bytes is the memory of a search without documents.
func (s *lateSearch) bytes(depth int) int64 {
	const hitBytes = 16
	hits := min(topKCapacity(depth), len(s.scope.IDs))
	sum, widest := int64(len(s.targets))*int64(hits)*hitBytes, 0
	for _, g := range s.groups {
		sum += int64(len(g.columns)) * valueBytes
		widest = max(widest, g.width())
	}
	return sum + int64(len(s.workers))*(productRows+1)*int64(widest)*valueBytes
}

// add compares all queries with a block of documents.
func (s *lateSearch) add(ctx context.Context, docs []int32, block *tokens) error {
	starts := make([]int, len(docs))
	for i := 1; i < len(docs); i++ {
		starts[i] = starts[i-1] + block.counts[i-1]
	}
	stretches := s.stretches(docs, block.counts)
	return ForEach(ctx, len(s.workers), len(stretches), func(w, i int) error {
		return s.compare(&s.workers[w], stretches[i], docs, starts, block)
	})
}

// lateStretch is a unit of work for one goroutine: a group, and documents of a block by
// position.
type lateStretch struct {
	group *lateGroup
	from  int
	to    int
	only  []int // positions of some documents; nil: all
}

// stretches divides a block: a complete corpus into tiles for each group, candidates into those
// of each query.
func (s *lateSearch) stretches(docs []int32, counts []int) []lateStretch {
	var list []lateStretch
	if s.scope.Restricted {
		for g := range s.groups {
			if only := places(docs, s.scope.Candidates[s.groups[g].first]); len(only) > 0 {
				list = append(list, lateStretch{group: &s.groups[g], only: only})
			}
		}
		return list
	}
	for from := 0; from < len(docs); {
		to, rows := from, 0
		for to < len(docs) && (to == from || rows+counts[to] <= productRows) {
			rows += counts[to]
			to++
		}
		for g := range s.groups {
			list = append(list, lateStretch{group: &s.groups[g], from: from, to: to})
		}
		from = to
	}
	return list
}

// places are the positions in docs of the wanted numbers; both ascend.
func places(docs, wanted []int32) []int {
	var found []int
	i := 0
	for place, doc := range docs {
		for i < len(wanted) && wanted[i] < doc {
			i++
		}
		if i < len(wanted) && wanted[i] == doc {
			found = append(found, place)
		}
	}
	return found
}

// compare scores the documents of a stretch for the queries of its group.
func (s *lateSearch) compare(w *lateWorker, t lateStretch, docs []int32, starts []int, block *tokens) error {
	if t.only == nil {
		return s.score(w, t.group, docs[t.from:t.to], block.counts[t.from:t.to], block.values[starts[t.from]*s.dim:])
	}
	for _, place := range t.only {
		if err := s.score(w, t.group, docs[place:place+1], block.counts[place:place+1], block.values[starts[place]*s.dim:]); err != nil {
			return err
		}
	}
	return nil
}

// score multiplies documents, whose vectors follow each other in rows, with a group.
func (s *lateSearch) score(w *lateWorker, g *lateGroup, docs []int32, counts []int, rows []float32) error {
	width, total := g.width(), 0
	for _, n := range counts {
		total += n
	}
	if len(w.product) < productRows*width {
		w.product, w.largest = make([]float32, productRows*width), make([]float32, width)
	}
	largest := w.largest[:width]
	doc, begun := 0, 0 // the document of the present row, and how many of its rows are done
	for first := 0; first < total; first += productRows {
		n := min(productRows, total-first)
		product := kernel.Product{M: n, N: width, K: s.dim,
			A: kernel.View{Data: rows[first*s.dim : (first+n)*s.dim], Row: s.dim, Column: 1},
			B: kernel.View{Data: g.columns, Row: width, Column: 1},
			C: w.product, CRow: width}
		product.Run(kernel.InTurn)
		for i := range n {
			row := w.product[i*width:][:width]
			if begun == 0 {
				copy(largest, row)
			} else {
				kernel.Maximum(largest, largest, row)
			}
			if begun++; begun == counts[doc] {
				if err := s.offer(g, docs[doc], counts[doc], largest); err != nil {
					return err
				}
				doc, begun = doc+1, 0
			}
		}
	}
	return nil
}

// offer adds up a document's largest products for each query of a group.
func (s *lateSearch) offer(g *lateGroup, doc int32, count int, largest []float32) error {
	begin := 0
	for i, end := range g.ends {
		score := 0.0
		for _, x := range largest[begin:end] {
			score += float64(x)
		}
		if score-score != 0 {
			return fmt.Errorf("document %q: %w", s.scope.IDs[doc], errVectorsTooLong)
		}
		if s.scoring == PaddedMaxSim {
			s.pad(g.first+i, doc, count, score, largest[begin:end])
		} else {
			s.targets[g.first+i].Offer(score, doc)
		}
		begin = end
	}
	return nil
}

// rankings returns the rankings of the queries, in order.
func (s *lateSearch) rankings() []trec.Ranking {
	if s.scoring == PaddedMaxSim {
		s.offerPadded()
	}
	all := make([]trec.Ranking, len(s.targets))
	for i := range s.targets {
		all[i] = s.targets[i].Ranking()
	}
	return all
}
