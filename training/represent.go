package training

import (
	"github.com/gomlx/gomlx/core/graph"

	"infbench/training/encoder"
)

// part is a run of a batch's sequences that one graph turns into the input of the loss: vectors
// [B,Dim], or hidden states [B,S,D] if a vector depends on several sequences.
type part struct {
	bounds func(n int) (from, to int) // range of its sequences among n
	states bool                       // hidden states, not vectors
	graph  int                        // number of build: parts with the same number share graphs
	build  func(ids, mask *graph.Node, m encoder.Mode) *graph.Node
}

// parts cuts a batch into sequences that are processed differently. With separate encoders
// passages and the query sequences after them have their own weights. If instructions attend to
// queries, instructions and queries, as many of each, stay states.
func (s *stepper) parts() []part {
	passages := part{func(int) (int, int) { return 0, s.documents() }, false, 0, s.vectorsOf(encoder.Documents)}
	middle := func(n int) int { return s.documents() + (n-s.documents())/2 }
	switch {
	case s.crossed():
		states := s.statesOf(encoder.Queries)
		return []part{
			passages,
			{func(n int) (int, int) { return s.documents(), middle(n) }, true, 1, states},
			{func(n int) (int, int) { return middle(n), n }, true, 1, states},
		}
	case s.encoder.Separated():
		return []part{passages, {func(n int) (int, int) { return s.documents(), n }, false, 1, s.vectorsOf(encoder.Queries)}}
	}
	return []part{{func(n int) (int, int) { return 0, n }, false, 0, s.vectorsOf(encoder.Queries)}}
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

// join builds the vectors of passages, anchors and mixed pairs from the outputs of the parts;
// masks are the masks of instructions and queries that are states.
func (s *stepper) join(parts, masks []*graph.Node, pairs *graph.Node) *graph.Node {
	if s.crossed() {
		parts = []*graph.Node{parts[0], s.cross(parts[1], parts[2], masks[0], masks[1], pairs)}
	}
	return graph.Concatenate(parts, 0)
}

// cross builds the vectors of pairs [N+mixed, 2] from the states of instructions and of queries.
// Every text runs through the network once, in however many pairs it occurs.
func (s *stepper) cross(instructions, queries, instructionMask, queryMask, pairs *graph.Node) *graph.Node {
	converted := func(mask *graph.Node) *graph.Node { return graph.ConvertDType(mask, pairs.DType()) }
	pick := func(of *graph.Node, column int) *graph.Node {
		return graph.Gather(of, graph.Slice(pairs, graph.AxisRange(), graph.AxisElem(column)))
	}
	return s.unit(s.encoder.Crossing().Vectors(
		pick(s.encoder.Crossing().Attending(instructions), 0), pick(converted(instructionMask), 0),
		pick(queries, 1), pick(converted(queryMask), 1)))
}

// vectors builds the vectors of passages and negatives, anchors and mixed pairs of an undivided
// batch.
func (s *stepper) vectors(parts []laid, key, pairs *graph.Node) *graph.Node {
	m := s.mode(key)
	var built, masks, ids []*graph.Node
	for _, of := range parts {
		ids = append(ids, of.ids...)
	}
	m.Lookups = encoder.NewLookups(ids)
	for i, p := range s.parts() {
		if s.encoder.Separated() {
			m.Lookups = encoder.NewLookups(parts[i].ids) // each side has its own tables
		}
		built = append(built, s.embed(p, parts[i], m))
		if p.states {
			masks = append(masks, s.mask(parts[i]))
		}
	}
	return s.join(built, masks, pairs)
}

// unit scales vectors to length 1 if the encoder does not and the score needs it.
func (s *stepper) unit(vectors *graph.Node) *graph.Node {
	if t := s.encoder.Config().Text; t.Normalize || t.Score == encoder.DotScore {
		return vectors
	}
	return graph.L2Normalize(vectors, -1)
}
