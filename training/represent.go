package training

import (
	"github.com/gomlx/gomlx/core/graph"

	"infbench/training/encoder"
)

// part is a run of a batch's sequences that one graph turns into what the loss is
// taken of: vectors [B,Dim], or hidden states [B,S,D] where vectors are made of
// several sequences.
type part struct {
	from, to int // sequences; to 0: all that follow
	build    func(ids, mask *graph.Node, m encoder.Mode) *graph.Node
}

// parts cuts a batch where its sequences go different ways: passages and the
// sequences of queries after them have weights of their own where encoders are
// separate, and queries stay states where instructions attend to them.
func (s *stepper) parts() []part {
	switch {
	case s.crossed():
		return []part{{0, s.anchors, s.vectorsOf(encoder.Documents)}, {s.anchors, 0, s.statesOf(encoder.Queries)}}
	case s.encoder.Separated():
		return []part{{0, s.anchors, s.vectorsOf(encoder.Documents)}, {s.anchors, 0, s.vectorsOf(encoder.Queries)}}
	}
	return []part{{0, 0, s.vectorsOf(encoder.Queries)}}
}

// bounds are the first sequence of a part and the one after its last, of n.
func (p part) bounds(n int) (from, to int) {
	if p.to == 0 {
		return p.from, n
	}
	return p.from, p.to
}

// vectorsOf builds vectors with the weights of a side.
func (s *stepper) vectorsOf(side encoder.Side) func(ids, mask *graph.Node, m encoder.Mode) *graph.Node {
	return func(ids, mask *graph.Node, m encoder.Mode) *graph.Node {
		return s.unit(s.encoder.VectorsOf(side, s.encoder.StatesOf(side, ids, mask, m), mask))
	}
}

// statesOf builds hidden states with the weights of a side.
func (s *stepper) statesOf(side encoder.Side) func(ids, mask *graph.Node, m encoder.Mode) *graph.Node {
	return func(ids, mask *graph.Node, m encoder.Mode) *graph.Node { return s.encoder.StatesOf(side, ids, mask, m) }
}

// join builds the vectors of passages, anchors and mixed pairs of what parts were
// turned into. mask is that of the whole batch.
func (s *stepper) join(parts []*graph.Node, mask, pairs *graph.Node) *graph.Node {
	if s.crossed() {
		queries := graph.Slice(mask, graph.AxisRangeToEnd(s.anchors))
		parts = []*graph.Node{parts[0], s.cross(parts[1], queries, pairs)}
	}
	return graph.Concatenate(parts, 0)
}

// cross builds the vectors of pairs [N+mixed, 2] from the states of instructions
// and, in the second half, of queries. Every text has run through the network once,
// however many pairs it stands in.
func (s *stepper) cross(states, mask, pairs *graph.Node) *graph.Node {
	mask = graph.ConvertDType(mask, pairs.DType())
	most := states.Shape().Dim(0) / 2
	instructions, queries := graph.AxisRangeFromStart(most), graph.AxisRangeToEnd(most)
	pick := func(of *graph.Node, column int) *graph.Node {
		return graph.Gather(of, graph.Slice(pairs, graph.AxisRange(), graph.AxisElem(column)))
	}
	return s.unit(s.encoder.Cross(
		pick(s.encoder.Attending(graph.Slice(states, instructions)), 0), pick(graph.Slice(mask, instructions), 0),
		pick(graph.Slice(states, queries), 1), pick(graph.Slice(mask, queries), 1)))
}

// vectors builds the vectors of passages, anchors and mixed pairs of a whole batch.
func (s *stepper) vectors(ids, mask, key, pairs *graph.Node) *graph.Node {
	m := s.mode(key)
	rows := func(x *graph.Node, p part) *graph.Node {
		return graph.Slice(x, graph.AxisRange(p.bounds(x.Shape().Dim(0))))
	}
	parts := s.parts()
	var built []*graph.Node
	if s.crossed() && !s.encoder.Separated() { // one pass for all
		states := s.encoder.StatesOf(encoder.Queries, ids, mask, m)
		passages := s.unit(s.encoder.VectorsOf(encoder.Documents, rows(states, parts[0]), rows(mask, parts[0])))
		built = []*graph.Node{passages, rows(states, parts[1])}
	} else {
		for _, p := range parts {
			built = append(built, p.build(rows(ids, p), rows(mask, p), m))
		}
	}
	return s.join(built, mask, pairs)
}

// unit gives vectors length 1 where the encoder does not.
func (s *stepper) unit(vectors *graph.Node) *graph.Node {
	if s.encoder.Config().Text.Normalize {
		return vectors
	}
	return graph.L2Normalize(vectors, -1)
}
