package runners

import (
	"context"
	"fmt"
	"math"

	"infbench/datasets"
	"infbench/internal/nearest"
	"infbench/metrics/trec"
)

// BM25Options selects a BM25. The zero value is Lucene's with Anserini's analysis and
// parameters.
type BM25Options struct {
	// Variant is one of BM25Variants; "" is "bm25".
	Variant string
	// Params replaces the variant's own k1 and b; nil keeps them.
	Params *BM25Params
	// Join makes one text from a query and its instruction; nil means the variant's own way.
	// The instruction may be "".
	Join func(query, instruction string) string
}

// BM25Params are the parameters of BM25: k1 >= 0 and 0 <= b <= 1.
type BM25Params struct{ K1, B float64 }

// BM25 ranks by the words that queries and documents share. It searches the corpus
// exhaustively, or only the candidates of a query. It ranks all candidates, with score 0 if
// they share no word.
type BM25 struct {
	name    string
	variant bm25Variant
	params  BM25Params
	join    func(query, instruction string) string
}

var _ Retriever = (*BM25)(nil)

// bm25Variant is one definition of BM25 in use.
type bm25Variant struct {
	name        string
	params      BM25Params
	join        func(query, instruction string) string
	analyzer    func() analyzer
	scorer      func(ix *index, p BM25Params, restricted bool) bm25Scorer
	single      bool // scores are rounded to float32
	byDocuments bool // the scorer reads the terms of each document instead of the documents of each term
	ranksAll    bool // documents that share no word with the query are ranked too, with score 0
}

// bm25Scorer scores with the statistics of an index.
type bm25Scorer interface {
	// score adds the scores of a query, given as counted terms, to sums, by document number.
	// docs are the requested documents, nil for all; others may or may not be scored.
	score(query []posting, docs []int32, sums []float64)
}

// knownBM25 lists the variants that the harness distinguishes. Their scores and their ranks on
// a board are not comparable.
func knownBM25() []bm25Variant {
	return []bm25Variant{
		// Lucene 8.7 as Anserini runs it: the BM25 of BEIR's published tables.
		{name: "bm25", params: BM25Params{0.9, 0.4}, join: queryFirst, analyzer: newLuceneEnglish,
			scorer: newLuceneScorer, single: true},
		// FollowIR's: rank_bm25's BM25Okapi, with statistics only from the candidates of each
		// query.
		{name: "bm25-okapi-candidates", params: BM25Params{1.5, 0.75}, join: queryFirst, analyzer: newNLTKEnglish,
			scorer: newOkapiScorer, byDocuments: true, ranksAll: true},
		// BRIGHT's: gensim's LuceneBM25Model over Lucene's analysis, with weights on the query
		// side as well. Its script gives instructions only to dense models.
		{name: "bm25-bright", params: BM25Params{0.9, 0.4}, join: queryOnly, analyzer: newLuceneEnglish,
			scorer: newGensimScorer, single: true, ranksAll: true},
		// MAIR's: bm25s with its defaults, the instruction before the query.
		{name: "bm25-mair", params: BM25Params{1.5, 0.75}, join: instructionFirst, analyzer: newWordPattern,
			scorer: newBM25SScorer, single: true, ranksAll: true},
	}
}

// BM25Variants names the known variants, the default first.
func BM25Variants() []string {
	var names []string
	for _, v := range knownBM25() {
		names = append(names, v.name)
	}
	return names
}

func queryOnly(query, _ string) string { return query }

func queryFirst(query, instruction string) string { return joinTexts(query, instruction) }

func instructionFirst(query, instruction string) string { return joinTexts(instruction, query) }

// joinTexts puts a space between two texts unless one is empty.
func joinTexts(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// NewBM25 returns the BM25 for opts. An unknown variant or parameters out of range are errors.
func NewBM25(opts BM25Options) (*BM25, error) {
	if opts.Variant == "" {
		opts.Variant = BM25Variants()[0]
	}
	for _, v := range knownBM25() {
		if v.name != opts.Variant {
			continue
		}
		r := &BM25{name: v.name, variant: v, params: v.params, join: v.join}
		if opts.Params != nil && *opts.Params != v.params {
			r.params = *opts.Params
			r.name = fmt.Sprintf("%s(k1=%g,b=%g)", v.name, r.params.K1, r.params.B)
		}
		if opts.Join != nil {
			r.join = opts.Join
		}
		if k1, b := r.params.K1, r.params.B; !(k1 >= 0) || math.IsInf(k1, 1) || !(b >= 0 && b <= 1) {
			return nil, fmt.Errorf("BM25 with k1=%g and b=%g: want a finite k1 >= 0 and 0 <= b <= 1", k1, b)
		}
		return r, nil
	}
	return nil, nearest.Unknown("BM25 variant", opts.Variant, BM25Variants())
}

// Name returns the variant, with k1 and b if they differ from the variant's own.
func (r *BM25) Name() string { return r.name }

// Retrieve indexes the corpus in memory and ranks it for each query.
func (r *BM25) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	if err := CheckTask(task, depth); err != nil {
		return nil, err
	}
	ix, err := r.Index(ctx, task)
	if err != nil {
		return nil, err
	}
	return ix.Retrieve(ctx, task, depth)
}

// BM25Index is a corpus that BM25 has indexed in memory.
type BM25Index struct {
	of *BM25
	ix *index
}

// Index indexes the corpus of a task.
func (r *BM25) Index(ctx context.Context, task *datasets.Task) (*BM25Index, error) {
	ix, err := buildIndex(ctx, task, r.variant)
	if err != nil {
		return nil, err
	}
	return &BM25Index{r, ix}, nil
}

// Retrieve ranks the corpus for each query of a task with the same corpus.
func (x *BM25Index) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	if err := CheckTask(task, depth); err != nil {
		return nil, err
	}
	sc, err := NewScope(task, x.ix.ids)
	if err != nil {
		return nil, err
	}
	return x.of.search(ctx, task, sc, x.ix, depth)
}

// search ranks the documents of an index for each query of a task.
func (r *BM25) search(ctx context.Context, task *datasets.Task, sc *Scope, ix *index, depth int) (trec.Run, error) {
	scorer := r.variant.scorer(ix, r.params, sc.Restricted)
	searchers := make([]bm25Searcher, Workers())
	rankings := make([]trec.Ranking, len(task.Queries))
	err := ForEach(ctx, len(searchers), len(task.Queries), func(worker, i int) error {
		s := &searchers[worker]
		if s.sums == nil {
			*s = bm25Searcher{newCounter(r.variant.analyzer()), newScoreSums(depth, ix.ids)}
		}
		query := ix.query(s.counter, r.join(task.Queries[i].Text, task.Queries[i].Instruction))
		rankings[i] = s.sums.Rank(sc, i, r.variant.ranksAll, r.variant.value, func(docs []int32, sums []float64) {
			scorer.score(query, docs, sums)
		})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("task %s: %s: %w", task.Name, r.name, err)
	}
	return sc.Run(rankings), nil
}

// bm25Searcher is the state of one goroutine that answers queries.
type bm25Searcher struct {
	counter *counter
	sums    *scoreSums
}

// value converts a sum to a score.
func (v *bm25Variant) value(sum float64) float64 {
	if v.single {
		return float64(float32(sum))
	}
	return sum
}
