package encoder

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// A decoder reads a text bit by bit when it keeps the keys and values of attention of
// what it read. They lie in a cache with room for a fixed number of tokens, since a
// graph has one shape: what is beyond the text so far is hidden from attention, and
// written over as the text grows.

// CacheShapes lists the tensors of a cache for room tokens: [1,room,K,d] for the keys
// and for the values of each layer in turn. T5 has none: its decoder is not built to
// continue.
func (m *LanguageModel) CacheShapes(room int) ([]shapes.Shape, error) {
	c := &m.model.config
	if _, ok := m.head.(causal); !ok {
		return nil, fmt.Errorf("%s is not built to write texts (known: gemma3_text, llama, mistral, qwen2, qwen3)", c.class())
	}
	dtype := dtypes.Float32
	if m.model.precision == BFloat16 {
		dtype = dtypes.BFloat16
	}
	list := make([]shapes.Shape, 2*c.NumHiddenLayers)
	for i := range list {
		list[i] = shapes.Make(dtype, 1, room, c.NumKeyValueHeads, c.HeadDim)
	}
	return list, nil
}

// MaxTokens is the longest text the network reads, in tokens; 0: it has no bound.
func (m *LanguageModel) MaxTokens() int { return m.model.config.maxTokens }

// Continue builds the model on the tokens ids int32 [T] of a text that come after from
// (int32 scalar) others, whose keys and values cache holds (CacheShapes; zeros at the
// start). It returns the logits float32 [R,V] of what follows the tokens with the
// indices rows int32 [R], and the cache with the keys and values of ids. Padding at the
// end of ids is overwritten by the next call, if that begins where the padding does;
// what has no room is not kept.
func (m *LanguageModel) Continue(ids, from, rows *graph.Node, cache []*graph.Node) (logits *graph.Node, kept []*graph.Node) {
	h := m.head.(causal)
	n := m.model.network(ids.Graph())
	r := readOn(n, ids, from, cache)
	states := h.arch.continued(n, r)
	states = graph.Gather(graph.Squeeze(states, 0), graph.InsertAxes(rows, -1))
	return h.predict(n, states, nil), r.cache
}

// reading is some tokens of a text, after others whose keys and values are kept.
type reading struct {
	ids       *graph.Node   // [1,T]
	positions *graph.Node   // int32 [T]
	room      int           // tokens that the cache holds
	cache     []*graph.Node // with those of the layers that were read
	put       func(old, rows *graph.Node) *graph.Node
}

// readOn begins to read ids [T] at the positions from and on.
func readOn(n *network, ids, from *graph.Node, cache []*graph.Node) *reading {
	length, room := ids.Shape().Dim(0), cache[0].Shape().Dim(1)
	source := sources(n.g, from, length, room)
	return &reading{
		ids: graph.InsertAxes(ids, 0), positions: graph.Add(counting(n.g, length), from), room: room, cache: slices.Clone(cache),
		put: func(old, rows *graph.Node) *graph.Node { return replaceRows(old, n.narrow(rows), source) },
	}
}

// past puts a layer's keys and values into the cache and returns all that are there.
func (r *reading) past(layer int, k, v *graph.Node) (keys, values *graph.Node) {
	at := r.cache[2*layer : 2*layer+2]
	at[0], at[1] = r.put(at[0], k), r.put(at[1], v)
	return at[0], at[1]
}

// turns are the rotations of the tokens that are read.
func (r *reading) turns(a angles) rotary {
	return newRotary(r.positions.Graph(), a, r.room).at(r.positions)
}

func (l llama) continued(n *network, r *reading) *graph.Node {
	biases := l.biases(n.config, r.room, func(window int) *graph.Node { return pastBias(r.positions, r.room, window) })
	return l.blocks(n, r.ids, r.turns(n.config.angles()), biases, r.past)
}

// counting is 0 to count-1, int32.
func counting(g *graph.Graph, count int) *graph.Node {
	return graph.Iota(g, shapes.Make(dtypes.Int32, count), 0)
}

// pastBias is 0 where a token at positions int32 [T] sees the one at j < room: itself
// and those before it, within the window; [1,1,T,room].
func pastBias(positions *graph.Node, room, window int) *graph.Node {
	square := shapes.Make(dtypes.Int32, 1, 1, positions.Shape().Dim(0), room)
	i := graph.BroadcastToShape(graph.Reshape(positions, 1, 1, -1, 1), square)
	return inBand(graph.Sub(graph.Iota(i.Graph(), square, 3), i), window-1, 0)
}

// sources says where the rows of a cache with count rows written at from come from:
// int32 [room], j for what stays and room+t for the t-th that is written.
func sources(g *graph.Graph, from *graph.Node, count, room int) *graph.Node {
	row := counting(g, room)
	written := graph.Sub(row, from)
	inside := graph.LogicalAnd(
		graph.GreaterOrEqual(written, graph.Scalar(g, dtypes.Int32, 0)),
		graph.LessThan(written, graph.Scalar(g, dtypes.Int32, count)))
	return graph.Where(inside, graph.AddScalar(written, room), row)
}

// replaceRows is old [1,L,K,d] with rows of rows [1,T,K,d] in their places. (GoMLX's Go
// backend has no DynamicUpdateSlice.)
func replaceRows(old, rows, source *graph.Node) *graph.Node {
	both := graph.Concatenate([]*graph.Node{graph.Squeeze(old, 0), graph.Squeeze(rows, 0)}, 0)
	return graph.InsertAxes(graph.Gather(both, graph.InsertAxes(source, -1)), 0)
}

// at is the rotation of tokens at positions int32 [T]; those beyond the table, which
// are padding, are turned like its last.
func (r rotary) at(positions *graph.Node) rotary {
	length, width := r.cos.Shape().Dim(1), r.cos.Shape().Dim(3)
	positions = graph.Min(positions, graph.Scalar(positions.Graph(), dtypes.Int32, length-1))
	pick := func(table *graph.Node) *graph.Node {
		rows := graph.Gather(graph.Reshape(table, length, width), graph.InsertAxes(positions, -1))
		return graph.Reshape(rows, 1, -1, 1, width)
	}
	return rotary{pick(r.cos), pick(r.sin)}
}
