package training

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
	"infbench/training/padding"
)

// chunk is a piece of a part of a batch. Both of its passes drop the same values.
type chunk struct {
	rows      []int           // rows of the part in this chunk
	ids, mask *tensors.Tensor // [n,S]; n may exceed the number of rows
	key       *tensors.Tensor // dropout key

	columns int // columns of the full part, at least S
	shift   int // column of the full part where the chunk's first column is
}

// inputs are the arguments of both passes.
func (c chunk) inputs() []any { return []any{c.ids, c.mask, c.key} }

// split cuts the sequences of each part into chunks with little padding, without empty sequences.
// masks holds the masks of the parts that are states.
func (c *chunked) split(in arrays) (parts [][]chunk, masks []*tensors.Tensor) {
	keys := 0
	for _, p := range c.lanes[0].parts {
		from, to := p.bounds(len(in.sequences))
		sequences := in.sequences[from:to]
		groups := c.groups(p.part, padding.Lengths(sequences), in.tokens)
		columns := c.columns(groups, in.tokens)
		if p.states {
			_, mask := in.tokens.padded(sequences, columns)
			masks = append(masks, mask)
		}
		order := padding.LongestFirst(sequences)
		var chunks []chunk
		for _, shape := range groups {
			rows := slices.Clone(order[:min(shape.Rows, len(order))])
			order = order[len(rows):]
			slices.Sort(rows)
			list := make([][]int32, shape.Rows)
			for k, row := range rows {
				list[k] = sequences[row]
			}
			ids, mask := in.tokens.padded(list, shape.Length)
			chunks = append(chunks, chunk{
				rows: rows, ids: ids, mask: mask, key: in.key(keys),
				columns: columns, shift: shift(c.stepper.encoder, shape.Length, columns),
			})
			keys++
		}
		parts = append(parts, chunks)
	}
	return parts, masks
}

// groups cuts sequences of a part with these lengths, longest first.
func (c *chunked) groups(of part, lengths []int, t *tokens) []padding.Group {
	return padding.Cut(lengths, func(n int) []padding.Group { return c.fitting(of, n, t) })
}

// fitting lists the shapes that a chunk may have if its longest sequence has n tokens: the
// planned shapes, else the largest size and a quarter of it.
func (c *chunked) fitting(of part, n int, t *tokens) []padding.Group {
	if planned := c.stepper.cuts[of.graph].Fitting(n); len(planned) > 0 {
		return planned
	}
	length := padding.Coarse(n, t.length, t.bucket)
	return []padding.Group{{Rows: c.size, Length: length}, {Rows: max(1, c.size/4), Length: length}}
}

// columns is the length of the states of a part that is cut into groups. If chunks have few
// shapes, it takes few values, because the loss is compiled for each.
func (c *chunked) columns(groups []padding.Group, t *tokens) int {
	longest := t.bucket(1)
	for _, g := range groups {
		longest = max(longest, g.Length)
	}
	if c.stepper.cuts == nil {
		return longest
	}
	columns := 1
	for columns < longest {
		columns *= 2
	}
	return max(longest, min(columns, t.length))
}

// fullShape is the shape of the outputs of n sequences, given the shape of this chunk's output.
func (c chunk) fullShape(output []int, n int) []int {
	dims := slices.Clone(output)
	dims[0] = n
	if len(dims) == 3 {
		dims[1] = c.columns
	}
	return dims
}

// ownShape is the shape of this chunk's output if the full output has shape dims.
func (c chunk) ownShape(dims []int, rows int) []int {
	dims = slices.Clone(dims)
	dims[0] = rows
	if len(dims) == 3 {
		dims[1] = c.ids.Shape().Dim(1)
	}
	return dims
}

// slices returns the values of one row of full (shape dims) that the chunk computes in its row
// k, and the chunk's values of that row.
func (c chunk) slices(full, values []float32, dims []int, row, k int) (ofFull, ofChunk []float32) {
	n := product(c.ownShape(dims, 1))
	at := row * product(dims[1:])
	if len(dims) == 3 {
		at += c.shift * dims[2]
	}
	return full[at : at+n], values[k*n : (k+1)*n]
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// lane embeds chunks on one device.
type lane struct {
	encoder  *encoder.Encoder
	parts    []lanePart
	networks map[int]*network // by part.graph
}

// lanePart is a part with its network.
type lanePart struct {
	part
	*network
}

// network holds the graphs that parts of one build share.
type network struct {
	embed     *model.Exec // ids, mask, key -> vectors or states
	back      *model.Exec // ids, mask, key, gradient of the output, sums -> a scalar, gradients of variables added to the sums
	variables []*model.Variable
}

func newLane(s *stepper, enc *encoder.Encoder) (lane, error) {
	of := *s
	of.encoder = enc
	l := lane{encoder: enc, networks: map[int]*network{}}
	for _, p := range of.parts() {
		if l.networks[p.graph] == nil {
			built, err := newNetwork(&of, p)
			if err != nil {
				return l, err
			}
			l.networks[p.graph] = built
		}
		l.parts = append(l.parts, lanePart{p, l.networks[p.graph]})
	}
	return l, nil
}

func newNetwork(s *stepper, of part) (*network, error) {
	n := &network{}
	backend, store := s.encoder.Backend(), s.encoder.Store()
	var err error
	n.embed, err = model.NewExec(backend, store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
		output := of.build(in[0], in[1], s.mode(in[2]))
		n.variables = trainableOf(store, output.Graph())
		return output
	})
	if err != nil {
		return nil, err
	}
	n.back, err = model.NewExec(backend, store, func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		output := of.build(in[0], in[1], s.mode(in[2]))
		// The gradient of this product is the chain rule's second factor.
		scalar := graph.ReduceAllSum(graph.Mul(output, graph.StopGradient(in[3])))
		return append([]*graph.Node{scalar}, addTo(in[4:], gradientsOf(scalar, n.variables))...)
	})
	if err != nil {
		return nil, err
	}
	n.embed.SetMaxCache(mostGraphs)
	n.back.SetMaxCache(mostGraphs)
	return n, nil
}

func (n *network) outputs(c chunk) (*tensors.Tensor, error) {
	out, err := n.embed.Call(c.inputs()...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// gradients adds the gradients of the variables to sums, which may be nil, given the gradient of
// the chunk's outputs. It frees both arguments.
func (n *network) gradients(on compute.Backend, c chunk, of *tensors.Tensor, sums []*tensors.Tensor) ([]*tensors.Tensor, error) {
	arguments, err := given(on, sums, append(c.inputs(), of)...)
	if err != nil {
		return nil, err
	}
	out, err := n.back.Call(arguments...)
	if err != nil {
		return nil, err
	}
	release(out[:1], sums, []*tensors.Tensor{of})
	return out[1:], nil
}

func (l lane) finalize() {
	for _, n := range l.networks {
		n.embed.Finalize()
		n.back.Finalize()
	}
}
