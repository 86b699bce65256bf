package training

import (
	"math"
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
	rows      []int           // of the part
	ids, mask *tensors.Tensor // [n,S], n at least as many
	key       []uint64

	columns int // of the whole part, at least S
	shift   int // column of the whole part in which the first of the chunk is
}

// split cuts the sequences of each part into chunks so that little is padded; empty ones
// are left out. masks are those of parts that are states.
func (c *chunked) split(in arrays) (parts [][]chunk, masks []*tensors.Tensor) {
	keys := 0
	for _, p := range c.lanes[0].parts {
		from, to := p.bounds(len(in.sequences))
		sequences := in.sequences[from:to]
		columns := in.tokens.coarse(longest(sequences))
		if p.states {
			_, mask := in.tokens.padded(sequences, columns)
			masks = append(masks, mask)
		}
		order := padding.LongestFirst(sequences)
		var chunks []chunk
		for _, size := range c.sizes(padding.Lengths(sequences), in.tokens.coarse) {
			rows := slices.Clone(order[:min(size, len(order))])
			order = order[len(rows):]
			slices.Sort(rows)
			list := make([][]int32, size)
			for k, row := range rows {
				list[k] = sequences[row]
			}
			ids, mask := in.tokens.padded(list, in.tokens.coarse(longest(list)))
			chunks = append(chunks, chunk{
				rows: rows, ids: ids, mask: mask, key: in.key(keys),
				columns: columns, shift: shift(c.stepper.encoder, ids.Shape().Dim(1), columns),
			})
			keys++
		}
		parts = append(parts, chunks)
	}
	return parts, masks
}

// sizes cuts sequences of these lengths, longest first, into chunks of the largest size
// or a quarter of it, so that least is computed. The last may be filled up with empty
// sequences.
func (c *chunked) sizes(lengths []int, bucket func(int) int) []int {
	const price = 32 // tokens: a chunk's gradients are added to those of the others
	type best struct{ cost, size int }
	rest := make([]best, len(lengths)+1) // of the sequences from each on
	for k := len(lengths) - 1; k >= 0; k-- {
		rest[k].cost = math.MaxInt
		for _, size := range []int{c.size, max(1, c.size/4)} {
			if cost := size*bucket(lengths[k]) + price + rest[min(k+size, len(lengths))].cost; cost < rest[k].cost {
				rest[k] = best{cost, size}
			}
		}
	}
	var list []int
	for k := 0; k < len(lengths); k += rest[k].size {
		list = append(list, rest[k].size)
	}
	return list
}

// whole is the shape that outputs of chunks like this take on for n sequences.
func (c chunk) whole(output []int, n int) []int {
	dims := slices.Clone(output)
	dims[0] = n
	if len(dims) == 3 {
		dims[1] = c.columns
	}
	return dims
}

// part is the shape of this chunk's output where the whole has dims.
func (c chunk) part(dims []int, rows int) []int {
	dims = slices.Clone(dims)
	dims[0] = rows
	if len(dims) == 3 {
		dims[1] = c.ids.Shape().Dim(1)
	}
	return dims
}

// slices are the values of a row of the whole, of shape dims, that the chunk has in
// its row k, and the values of that row.
func (c chunk) slices(whole, values []float32, dims []int, row, k int) (ofWhole, ofChunk []float32) {
	n := product(c.part(dims, 1))
	at := row * product(dims[1:])
	if len(dims) == 3 {
		at += c.shift * dims[2]
	}
	return whole[at : at+n], values[k*n : (k+1)*n]
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
	encoder *encoder.Encoder
	parts   []*lanePart
}

// lanePart is a part with its graphs.
type lanePart struct {
	part
	embed     *model.Exec // ids, mask, key -> vectors or states
	back      *model.Exec // ids, mask, key, gradient of those, sums -> a scalar, gradients of variables added to the sums
	variables []*model.Variable
}

func newLane(s *stepper, enc *encoder.Encoder) (lane, error) {
	of := *s
	of.encoder = enc
	l := lane{encoder: enc}
	for _, p := range of.parts() {
		built, err := newLanePart(&of, p)
		if err != nil {
			return l, err
		}
		l.parts = append(l.parts, built)
	}
	return l, nil
}

func newLanePart(s *stepper, of part) (*lanePart, error) {
	p := &lanePart{part: of}
	backend, store := s.encoder.Backend(), s.encoder.Store()
	var err error
	p.embed, err = model.NewExec(backend, store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
		return p.build(in[0], in[1], s.mode(in[2]))
	})
	if err != nil {
		return nil, err
	}
	p.back, err = model.NewExec(backend, store, func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		output := p.build(in[0], in[1], s.mode(in[2]))
		// The gradient of this product is the chain rule's second factor.
		scalar := graph.ReduceAllSum(graph.Mul(output, graph.StopGradient(in[3])))
		p.variables = trainable(store, scalar.Graph())
		return append([]*graph.Node{scalar}, addTo(in[4:], gradients(scalar, p.variables))...)
	})
	if err != nil {
		return nil, err
	}
	p.embed.SetMaxCache(mostGraphs)
	p.back.SetMaxCache(mostGraphs)
	return p, nil
}

func (p *lanePart) outputs(c chunk) (*tensors.Tensor, error) {
	out, err := p.embed.Call(c.ids, c.mask, c.key)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// gradients are those of the variables, given that of the chunk's outputs, added to sums,
// which may be nil and are freed.
func (p *lanePart) gradients(on compute.Backend, c chunk, of *tensors.Tensor, sums []*tensors.Tensor) ([]*tensors.Tensor, error) {
	arguments, err := given(on, sums, c.ids, c.mask, c.key, of)
	if err != nil {
		return nil, err
	}
	out, err := p.back.Call(arguments...)
	if err != nil {
		return nil, err
	}
	release(out[:1], sums)
	return out[1:], nil
}

func (l lane) finalize() {
	for _, p := range l.parts {
		p.embed.Finalize()
		p.back.Finalize()
	}
}
