package encoder

import "github.com/gomlx/gomlx/core/graph"

// passes are the batched runs of an encoder's texts through its network.
type passes struct {
	vectors batched // of documents, and of queries if they share weights
	queries batched // of queries if they do not share weights
	pairs   batched // of instruction and query, if they are encoded separately
}

// newPasses returns the passes of an encoder; nothing is built before the first batch.
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

// of is the pass for a side's single texts.
func (p *passes) of(s Side, separate bool) *batched {
	if separate && s == Queries {
		return &p.queries
	}
	return &p.vectors
}

// reset drops the graphs, for when the network changes.
func (p *passes) reset() {
	for _, by := range p.all() {
		by.reset()
	}
}

// setText takes over the lengths of texts and drops the graphs.
func (p *passes) setText(t *Text) {
	p.vectors.longest = max(t.longestQuery(), t.MaxDocument)
	p.queries.longest, p.pairs.longest = p.vectors.longest, 2*t.MaxQuery
	p.reset()
}

// setWidth sets the number of components of vectors.
func (p *passes) setWidth(width int) {
	for _, by := range p.all() {
		by.width = width
	}
}
