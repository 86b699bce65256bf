package metrics

import (
	"sync"

	"infbench/metrics/trec"
)

// Pool is what the judgments of a task judge for any query. It is safe for concurrent
// use and gathers the documents when it is first asked.
type Pool struct {
	qrels trec.Qrels
	once  sync.Once
	docs  map[string]bool
}

// NewPool is of judgments; nil where they are not known.
func NewPool(qrels trec.Qrels) *Pool {
	if qrels == nil {
		return nil
	}
	return &Pool{qrels: qrels}
}

// Has says whether any query judges the document.
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

// CappedRecall is the relevant documents in the first K ranks, divided by the smaller of
// K and all relevant documents, so that 1 can be reached. Undefined without relevant
// documents. mteb's R_cap@k, of BEIR.
type CappedRecall struct{ K, Rel int }

var cappedRecallFamily = Family{
	Name: "R_cap", Forms: "R_cap@k, R_cap(rel=2)@k",
	Definition: "relevant documents in the first k, divided by the smaller of k and all relevant documents",
	Range:      "[0,1]", Direction: Higher, Source: "Thakur et al. 2021, BEIR; mteb recall_cap",
	make: func(a *arguments) Measure { return CappedRecall{K: a.needDepth(), Rel: a.rel()} },
}

func (m CappedRecall) String() string { return spell("R_cap", m.K, relOption(m.Rel)) }

// Score implements Measure.
func (m CappedRecall) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	level := c.level(m.Rel)
	relevant := r.relevant(level)
	if relevant == 0 {
		return 0, false
	}
	return float64(hits(r.top(m.K), level)) / float64(min(relevant, m.K)), true
}
