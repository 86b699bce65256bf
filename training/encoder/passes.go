package encoder

import "github.com/gomlx/gomlx/core/graph"

// passes are the ways of an encoder's texts through its network.
type passes struct {
	vectors batched // of documents, and of queries where weights are shared
	queries batched // where they are not
	pairs   batched // of instruction and query, where they are read apart
}

// newPasses are those of an encoder; nothing is built before the first batch.
func newPasses(e *Encoder) *passes {
	by := func(s Side) func(in input) *graph.Node {
		return func(in input) *graph.Node { return e.cut(e.network(s, in.ids.Graph()).embed(in)) }
	}
	p := &passes{
		vectors: batched{model: e, build: by(Documents)},
		queries: batched{model: e, build: by(Queries)},
		pairs:   batched{model: e, build: func(in input) *graph.Node { return e.cut(e.Crossing().pairs(in)) }},
	}
	p.setText(&e.config.Text)
	p.setWidth(e.Dim())
	return p
}

func (p *passes) all() []*batched { return []*batched{&p.vectors, &p.queries, &p.pairs} }

// of is the pass of a side's texts, each by itself.
func (p *passes) of(s Side, separate bool) *batched {
	if separate && s == Queries {
		return &p.queries
	}
	return &p.vectors
}

// reset forgets the graphs, for when the network is another.
func (p *passes) reset() {
	for _, by := range p.all() {
		by.reset()
	}
}

// setText takes over how long texts may be, and forgets the graphs.
func (p *passes) setText(t *Text) {
	p.vectors.longest = max(t.longestQuery(), t.MaxDocument)
	p.queries.longest, p.pairs.longest = p.vectors.longest, 2*t.MaxQuery
	p.reset()
}

// setWidth says how many components vectors have.
func (p *passes) setWidth(width int) {
	for _, by := range p.all() {
		by.width = width
	}
}
