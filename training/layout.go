package training

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"infbench/internal/parallel"
	"infbench/training/encoder"
	"infbench/training/padding"
)

// The graph of an undivided batch takes each part in this form: groups of sequences of similar
// length, each as ids int32 [n,S] and mask bool [n,S], then int32 [N], which gives for each of
// the part's N sequences its row among the rows of all groups. An empty sequence, which nothing
// refers to, has no row of its own.

// mostGraphs bounds the graphs that one function is compiled to: two sizes for each of
// encoder.Bucket's lengths, or so many levels plus, for batches that fit no level, lengths.
const mostGraphs = 128

// plan makes the plans of a run from a few hundred of its batches and adds one plan for all
// batches that fit none. It also finds the largest batch, so that a run that does not fit into
// memory fails in the first minute. The result depends only on the run, so a resumed run has the
// same plans.
func (s *stepper) plan(t *tokens, from *sampler, batches int) {
	const most = 256
	few := min(most, batches)
	spread := func(i int) int { return i * batches / few }
	seen := s.lengthsOf(t, from, few, spread)
	s.levels = padding.Levels(slices.Clone(seen), t.bucket, s.worth())
	if s.compiles && s.config.Chunk > 0 {
		s.cuts = s.fewShapes(seen, t)
	}
	compare := func(number int, lengths [][]int) {
		if n := s.program.most(lengths, t); n > s.most {
			s.largest, s.most = number, n
		}
	}
	if few == batches || s.stayUndivided(t, from) {
		for i, lengths := range seen {
			compare(spread(i), lengths)
		}
		return
	}
	var unfit []int
	var longer [][][]int // lengths of the unfit batches
	for first := 0; first < batches; first += most {
		for i, lengths := range s.lengthsOf(t, from, min(most, batches-first), func(i int) int { return first + i }) {
			if s.planned(lengths) == nil {
				unfit, longer = append(unfit, first+i), append(longer, lengths)
				continue
			}
			compare(first+i, lengths)
		}
	}
	if len(longer) > 0 {
		s.levels = append(s.levels, padding.LevelFor(longer, t.bucket)) // after the levels of other batches
	}
	for i, lengths := range longer {
		compare(unfit[i], lengths)
	}
}

// worth is the number of tokens that an additional graph must save: small on a device that compiles,
// where a graph of a dozen groups, each with the entire network, takes minutes.
func (s *stepper) worth() int {
	if s.compiles {
		return 33
	}
	return 200
}

// stayUndivided reports whether batches that fit no level are small enough for one group per part on
// processors, as they were before such batches had a level. This keeps the weights of earlier
// runs, all of them small, the same to the last bit.
func (s *stepper) stayUndivided(t *tokens, from *sampler) bool {
	const small = 16 << 10 // tokens
	sequences := len(t.encode(from.batch(0), from.mixed()).sequences)
	return !s.compiles && sequences*t.bucket(t.length) <= small
}

// lengthsOf returns the lengths of n batches, tokenised on all processors.
func (s *stepper) lengthsOf(t *tokens, from *sampler, n int, number func(i int) int) [][][]int {
	list := make([][][]int, n)
	parallel.Each(n, func(i int) { list[i] = s.lengths(t.encode(from.batch(number(i)), from.mixed()).sequences) })
	return list
}

// fewShapes returns the shapes for chunks of batches with these lengths.
func (s *stepper) fewShapes(seen [][][]int, t *tokens) map[int]padding.Shapes {
	const most = 24 // batches to look at
	batches := map[int][][]int{}
	for k := 0; k < len(seen); k += (len(seen) + most - 1) / most {
		for i, p := range s.parts() {
			batches[p.graph] = append(batches[p.graph], seen[k][i])
		}
	}
	shapes := map[int]padding.Shapes{}
	for graph, of := range batches {
		shapes[graph] = padding.ShapesOf(of, s.config.Chunk, t.bucket)
	}
	return shapes
}

// lengths are the lengths of each part's sequences, longest first, without empty ones.
func (s *stepper) lengths(sequences [][]int32) (parts [][]int) {
	for _, p := range s.parts() {
		from, to := p.bounds(len(sequences))
		parts = append(parts, padding.Lengths(sequences[from:to]))
	}
	return parts
}

// planned is the level for a batch of these lengths. It is nil if there is none, as before plan.
func (s *stepper) planned(lengths [][]int) padding.Level {
	for _, l := range s.levels {
		if l.Fits(lengths) {
			return l
		}
	}
	return nil
}

// size is the number of tokens in the graph of an undivided batch of these lengths.
func (s *stepper) size(lengths [][]int) int { return s.planned(lengths).Tokens() }

// layout chooses the plans of a batch.
func (s *stepper) layout(a arrays) padding.Level {
	lengths := s.lengths(a.sequences)
	if l := s.planned(lengths); l != nil {
		return l
	}
	one := make(padding.Level, len(lengths))
	for i, p := range s.parts() {
		from, to := p.bounds(len(a.sequences))
		one[i] = padding.Plan{{Rows: to - from, Length: a.tokens.bucket(longest(a.sequences[from:to]))}}
	}
	return one
}

// upload takes an undivided batch to the device as the arguments of a graph.
func (s *stepper) upload(a arrays) (uploaded, error) {
	u := uploaded{inputs: s.inputs(a)}
	return u, toDevice(s.encoder.Backend(), u.inputs)
}

// inputs are the arguments of the graph of an undivided batch; see stepper.batchScores.
func (s *stepper) inputs(a arrays) (list []any) {
	chosen := s.layout(a)
	for i, p := range s.parts() {
		from, to := p.bounds(len(a.sequences))
		list = append(list, a.tokens.grouped(a.sequences[from:to], chosen[i])...)
	}
	return append(append(list, a.key(0)), a.extras()...)
}

// grouped lays sequences out by a plan that they fit. A plan with one group keeps their order.
func (t *tokens) grouped(sequences [][]int32, p padding.Plan) (list []any) {
	order := padding.LongestFirst(sequences)
	if len(p) == 1 {
		order = padding.NonEmpty(sequences)
	}
	places := make([]int32, len(sequences))
	for row, i := range order {
		places[i] = int32(row)
	}
	for _, g := range p {
		rows := make([][]int32, g.Rows)
		for k, i := range order[:min(g.Rows, len(order))] {
			rows[k] = sequences[i]
		}
		order = order[min(g.Rows, len(order)):]
		ids, mask := t.padded(rows, g.Length)
		list = append(list, ids, mask)
	}
	return append(list, tensors.FromFlatDataAndDimensions(places, len(places)))
}

// laid is a part in a graph.
type laid struct {
	ids, masks []*graph.Node // one for each group
	places     *graph.Node
}

// laidOut takes the parts off inputs; a dropout key comes after the last part.
func laidOut(in []*graph.Node) (parts []laid, rest []*graph.Node) {
	var p laid
	for in[0].DType() != dtypes.Uint64 {
		if in[0].Rank() == 1 {
			p.places = in[0]
			parts, p, in = append(parts, p), laid{}, in[1:]
			continue
		}
		p.ids, p.masks, in = append(p.ids, in[0]), append(p.masks, in[1]), in[2:]
	}
	return parts, in
}

// gather puts the outputs of the groups, [n,...] each, in the order of the part's sequences.
func (l laid) gather(groups []*graph.Node) *graph.Node {
	return graph.Gather(graph.Concatenate(groups, 0), graph.InsertAxes(l.places, -1))
}

// embed builds vectors [N,Dim] of a part, or states [N,S,D] in the length of its longest group.
func (s *stepper) embed(p part, of laid, m encoder.Mode) *graph.Node {
	groups := make([]*graph.Node, len(of.ids))
	for i := range groups {
		groups[i] = p.build(of.ids[i], of.masks[i], m)
		if p.states {
			groups[i] = s.widened(groups[i], of.columns())
		}
	}
	return of.gather(groups)
}

// columns is the length of the longest group.
func (l laid) columns() int {
	most := 0
	for _, ids := range l.ids {
		most = max(most, ids.Shape().Dim(1))
	}
	return most
}

// mask builds the mask of all sequences of a part in the length of its longest group, int32
// [N,S].
func (s *stepper) mask(of laid) *graph.Node {
	groups := make([]*graph.Node, len(of.masks))
	for i, m := range of.masks {
		groups[i] = s.widened(graph.ConvertDType(m, dtypes.Int32), of.columns())
	}
	return of.gather(groups)
}

// widened appends columns of zeros to x [n,S,...] on the encoder's padding side.
func (s *stepper) widened(x *graph.Node, columns int) *graph.Node {
	dims := slices.Clone(x.Shape().Dimensions)
	short := dims[1]
	if short == columns {
		return x
	}
	dims[1] = columns - short
	zeros := graph.Zeros(x.Graph(), shapes.Make(x.DType(), dims...))
	if shift(s.encoder, short, columns) > 0 {
		return graph.Concatenate([]*graph.Node{zeros, x}, 1)
	}
	return graph.Concatenate([]*graph.Node{x, zeros}, 1)
}
