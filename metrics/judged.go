package metrics

import (
	"sync"

	"infbench/metrics/trec"
)

// Judged is the share of the first K retrieved documents that are judged. If fewer than K are
// retrieved, it is the share of those; undefined if none is.
type Judged struct{ K int }

var judgedFamily = Family{
	Name: "Judged", Forms: "Judged@k, Judged",
	Definition: "documents with a judgment among the first k retrieved, divided by the smaller of k and documents retrieved",
	Range:      "[0,1]", Direction: Higher, Source: "ir_measures Judged",
	make: func(a *arguments) Measure { return Judged{K: a.depth()} },
}

func (m Judged) String() string { return spell("Judged", m.K) }

// Score implements Measure.
func (m Judged) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok || len(r.grades) == 0 {
		return 0, false
	}
	top := r.top(m.K)
	return float64(hits(top, 0)) / float64(len(top)), true
}

// Unjudged is the number of documents without a judgment in the first K ranks,
// divided by K even where fewer are retrieved. trec_eval's unj.
type Unjudged struct{ K int }

var unjudgedFamily = Family{
	Name: "Unjudged", Aliases: []string{"unj"}, Forms: "Unjudged@k",
	Definition: "documents without a judgment in the first k, divided by k, even where fewer are retrieved",
	Range:      "[0,1]", Direction: Lower, Source: "trec_eval unj", Address: trecEval,
	make: func(a *arguments) Measure { return Unjudged{K: a.needDepth()} },
}

func (m Unjudged) String() string { return spell("Unjudged", m.K) }

// Score implements Measure.
func (m Unjudged) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	top := r.top(m.K)
	return ratio(float64(len(top)-hits(top, 0)), float64(m.K)), true
}

// Pool is the set of documents that the judgments of a task contain for any query. It is safe for
// concurrent use and collects the documents on first use.
type Pool struct {
	qrels trec.Qrels
	once  sync.Once
	docs  map[string]bool
}

// NewPool returns the pool of judgments, or nil if qrels is nil.
func NewPool(qrels trec.Qrels) *Pool {
	if qrels == nil {
		return nil
	}
	return &Pool{qrels: qrels}
}

// Has reports whether any query has a judgment for the document.
func (p *Pool) Has(doc string) bool {
	p.once.Do(func() {
		p.docs = map[string]bool{}
		for _, grades := range p.qrels {
			addKeys(p.docs, grades)
		}
	})
	return p.docs[doc]
}

// Hole is the number of documents in the first K ranks that no query of the task judges,
// divided by K even where fewer are retrieved. Unlike Unjudged it knows the judgments of
// other queries. mteb's Hole@k.
type Hole struct{ K int }

var holeFamily = Family{
	Name: "Hole", Forms: "Hole@k",
	Definition: "documents in the first k that no query judges, divided by k, even where fewer are retrieved",
	Range:      "[0,1]", Direction: Lower, Source: "mteb hole_at_k",
	make: func(a *arguments) Measure { return Hole{K: a.needDepth()} },
}

func (m Hole) String() string { return spell("Hole", m.K) }

// Score implements Measure.
func (m Hole) Score(c *Case) (float64, bool) {
	if c.Pool == nil {
		return 0, false
	}
	holes := 0
	for _, doc := range retrieved(c.Ranking, m.K) {
		if !c.Pool.Has(doc) {
			holes++
		}
	}
	return float64(holes) / float64(m.K), true
}
