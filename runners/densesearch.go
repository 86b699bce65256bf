package runners

import (
	"context"
	"errors"
	"math"
	"sort"

	"infbench/metrics/kernel"
	"infbench/metrics/trec"
	"infbench/runners/codes"
)

// denseSearch keeps the best documents of each query while blocks go by.
//
// It multiplies a tile of documents with all queries at once, which estimates their scores. It
// then computes the exact score (see score) of each document whose estimate is high enough,
// within its error, to reach the query's k-th best score; no other document can enter the
// ranking. So rankings and scores are the same as if every pair were scored, for any order of
// additions in a product and any division of the work.
type denseSearch struct {
	dim     int
	scope   *Scope
	cosine  bool
	queries []float32
	lengths []float64 // lengths of the queries
	targets []Target
	workers []tileWorker
	tile    int        // documents in a tile
	form    codes.Form // format of the multiplied vectors
}

// tileWorker is the memory of one goroutine.
type tileWorker struct {
	copied  []float32 // copies of vectors without a regular stride
	widened []float32 // codes converted to values
	inverse []float32
	factors []float32
	scores  []float32 // scores of the tile, by query
}

// errOverflow is the error if an inner product of finite vectors is not finite.
var errOverflow = errors.New("an inner product overflows float32: use cosine similarity")

const (
	tileBytes  = 256 << 10 // documents compared with all queries while they are in the L2 cache
	tileRows   = 32        // rows that a product takes at a time: tiles are a multiple of it
	groupLimit = 256       // queries in a product: limits the memory of its result
	groupLeast = 4         // fewer queries are compared one by one, since a product first copies the documents
)

func newDenseSearch(sc *Scope, dim int, similarity Similarity, form codes.Form, queries []float32, depth int) *denseSearch {
	n := len(sc.Task.Queries)
	s := &denseSearch{dim: dim, scope: sc, cosine: similarity != Dot, queries: queries, lengths: make([]float64, n), targets: make([]Target, n), form: form}
	for i := range s.targets {
		s.lengths[i] = length(s.query(i))
		sc.Target(&s.targets[i], i, depth)
	}
	s.tile = max(1, tileBytes/(4*dim)/tileRows) * tileRows
	return s
}

func (s *denseSearch) query(i int) []float32 { return s.queries[i*s.dim : (i+1)*s.dim] }

// rankings returns the rankings of the queries, in order.
func (s *denseSearch) rankings() []trec.Ranking {
	all := make([]trec.Ranking, len(s.targets))
	for i := range s.targets {
		all[i] = s.targets[i].Ranking()
	}
	return all
}

// inverse is the factor for inner products with a document of some length.
func (s *denseSearch) inverse(length float64) float32 {
	switch {
	case !s.cosine:
		return 1
	case length == 0:
		return 0
	}
	return float32(1 / length)
}

// add compares all queries with a block.
func (s *denseSearch) add(ctx context.Context, b *block) error {
	if s.scope.Restricted {
		return ForEach(ctx, Workers(), len(s.targets), func(_, i int) error {
			return guarded(func() error { return s.addCandidates(b, i) })
		})
	}
	if missing := Workers() - len(s.workers); missing > 0 {
		s.workers = append(s.workers, make([]tileWorker, missing)...)
	}
	if err := s.code(ctx, b); err != nil {
		return err
	}
	return ForSpans(ctx, len(b.docs), s.tile, func(worker, lo, hi int) error {
		return guarded(func() error { return s.addTile(b, lo, hi, &s.workers[worker]) })
	})
}

// code makes the codes of a block, if they are needed and missing.
func (s *denseSearch) code(ctx context.Context, b *block) error {
	if s.form == codes.Float32 || b.codes != nil {
		return nil
	}
	b.codes = codes.New(s.form, len(b.docs), s.dim)
	return ForSpans(ctx, len(b.docs), 1024, func(_, lo, hi int) error {
		return guarded(func() error {
			for i := lo; i < hi; i++ {
				b.codes.Set(i, b.vectors.row(i))
			}
			return nil
		})
	})
}

// addCandidates compares query i with its candidates in a block.
func (s *denseSearch) addCandidates(b *block, i int) error {
	d := 0
	for _, doc := range s.scope.Candidates[i] {
		d += sort.Search(len(b.docs)-d, func(k int) bool { return b.docs[d+k] >= doc })
		if d == len(b.docs) {
			return nil
		}
		if b.docs[d] != doc {
			continue
		}
		if err := s.compare(i, b.vectors.row(d), s.inverse(b.lengths[d]), doc); err != nil {
			return err
		}
	}
	return nil
}

// compare scores a document for query i and offers it.
func (s *denseSearch) compare(i int, document []float32, inverse float32, doc int32) error {
	score := score(s.query(i), document, inverse)
	if score-score != 0 {
		return errOverflow
	}
	s.targets[i].Offer(score, doc)
	return nil
}

// tile is a group of documents of a block that are compared together. The estimate of a
// document for a query is the inner product with its row of multiplied, times its factor.
type tile struct {
	rows
	docs       []int32
	inverse    []float32
	multiplied rows
	factors    []float32
	longest    float64 // largest product of a document's inverse and its length, or the length of its codes
	widest     float64 // largest length of the multiplied vectors
	factor     float64 // largest factor
	lost       float64 // largest product of a document's inverse and the error of its codes
}

// addTile compares all queries with documents lo to hi of a block.
func (s *denseSearch) addTile(b *block, lo, hi int, w *tileWorker) error {
	if w.scores == nil {
		w.copied = make([]float32, s.tile*s.dim)
		w.inverse, w.factors = make([]float32, s.tile), make([]float32, s.tile)
		w.scores = make([]float32, s.tile*min(len(s.targets), groupLimit))
	}
	t := &tile{rows: b.vectors.slice(lo, hi, w.copied), docs: b.docs[lo:hi], inverse: w.inverse[:hi-lo]}
	for i, length := range b.lengths[lo:hi] {
		t.inverse[i] = s.inverse(length)
		t.longest = max(t.longest, length*float64(t.inverse[i]))
		t.widest = max(t.widest, length)
		t.factor = max(t.factor, float64(t.inverse[i]))
	}
	t.multiplied, t.factors = t.rows, t.inverse
	if b.codes != nil {
		t.code(b.codes, lo, s.dim, w)
	}
	for from := 0; from < len(s.targets); from += groupLimit {
		if err := s.addGroup(t, from, min(from+groupLimit, len(s.targets)), w); err != nil {
			return err
		}
	}
	return nil
}

// code makes the tile multiply the codes of its documents, of dim values each; lo is the first
// document.
func (t *tile) code(c *codes.Codes, lo, dim int, w *tileWorker) {
	if w.widened == nil {
		w.widened = make([]float32, len(w.copied))
	}
	c.Widen(lo, lo+t.n, w.widened)
	t.multiplied, t.factors = rows{w.widened, dim, t.n}, w.factors[:t.n]
	t.widest, t.factor = c.Longest(), 0
	for i, inverse := range t.inverse {
		t.factors[i] = c.Scales[lo+i] * inverse
		t.factor = max(t.factor, float64(t.factors[i]))
		t.lost = max(t.lost, c.Lost[lo+i]*float64(inverse))
	}
	t.longest += t.lost
}

// addGroup compares queries from to to with a tile.
func (s *denseSearch) addGroup(t *tile, from, to int, w *tileWorker) error {
	if to-from < groupLeast && s.form == codes.Float32 {
		for i := from; i < to; i++ {
			if err := s.compareAll(t, i); err != nil {
				return err
			}
		}
		return nil
	}
	s.estimate(t, from, to, w.scores)
	for i := from; i < to; i++ {
		if err := s.addReaching(t, i, w.scores[(i-from)*t.n:][:t.n]); err != nil {
			return err
		}
	}
	return nil
}

// estimate computes the inner products of queries from to to with the multiplied vectors.
func (s *denseSearch) estimate(t *tile, from, to int, dst []float32) {
	if to-from < groupLeast {
		for i := from; i < to; i++ {
			for k := range t.n {
				dst[(i-from)*t.n+k] = kernel.Dot(s.query(i), t.multiplied.row(k, s.dim))
			}
		}
		return
	}
	product := kernel.Product{M: to - from, N: t.n, K: s.dim,
		A: kernel.View{Data: s.queries[from*s.dim : to*s.dim], Row: s.dim, Column: 1},
		B: kernel.View{Data: t.multiplied.values, Row: 1, Column: t.multiplied.stride},
		C: dst, CRow: t.n}
	product.Run(kernel.InTurn)
}

// compareAll compares query i with every document of a tile.
func (s *denseSearch) compareAll(t *tile, i int) error {
	for k, doc := range t.docs {
		if err := s.compare(i, t.row(k, s.dim), t.inverse[k], doc); err != nil {
			return err
		}
	}
	return nil
}

// addReaching compares query i with the documents of a tile that may enter its ranking by their
// estimated inner products.
func (s *denseSearch) addReaching(t *tile, i int, estimates []float32) error {
	apart := t.apart(s.dim, s.lengths[i])
	if math.IsInf(apart, 1) {
		return s.compareAll(t, i)
	}
	if s.cosine || s.form != codes.Float32 {
		kernel.Multiply(estimates, estimates, t.factors)
	}
	reach := below(s.targets[i].Least() - apart)
	for k, estimate := range estimates {
		if estimate < reach {
			continue
		}
		if err := s.compare(i, t.row(k, s.dim), t.inverse[k], t.docs[k]); err != nil {
			return err
		}
		reach = below(s.targets[i].Least() - apart)
	}
	return nil
}

// apart is an upper bound of the difference between estimate and score, for a query of some
// length and any document of the tile. It covers the error of the codes, the rounding of both
// inner products, and the rounding of their multiplications. It is +Inf if an inner product, or
// a part of one, could exceed float32.
func (t *tile) apart(dim int, query float64) float64 {
	if query*max(t.longest, t.widest) > math.MaxFloat32/4 {
		return math.Inf(1)
	}
	return query*t.lost*(1+0x1p-20) + rounding(dim, query, t.longest)*(1+0x1p-20) + query*t.longest*0x1p-21 + rounding(dim, 0, 0)*t.factor
}

// below is the largest float32 under x, or -Inf.
func below(x float64) float32 { return math.Nextafter32(float32(x), float32(math.Inf(-1))) }
