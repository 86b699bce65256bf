package training

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
)

// chunk is a piece of a part of a batch. Both of its passes drop the same values.
type chunk struct {
	rows      []int           // of the part
	ids, mask *tensors.Tensor // [size,S]
	key       []uint64

	columns int // of the whole batch, at least S
	shift   int // column of the whole batch in which the first of the chunk is
}

// split cuts the sequences of each part into chunks of equal size, short sequences
// first so that little is padded. The last chunk of a part is filled up with empty
// sequences. columns is the length to which the whole batch is padded.
func (c *chunked) split(in arrays, columns int) [][]chunk {
	var parts [][]chunk
	keys := 0
	for _, p := range c.lanes[0].parts {
		sequences := in.sequences[p.from:]
		if p.to > 0 {
			sequences = in.sequences[p.from:p.to]
		}
		order := make([]int, len(sequences))
		for i := range order {
			order[i] = i
		}
		if len(order) > c.size {
			slices.SortStableFunc(order, func(i, k int) int { return len(sequences[i]) - len(sequences[k]) })
		}
		var chunks []chunk
		for rows := range slices.Chunk(order, c.size) {
			list := make([][]int32, c.size)
			for k, row := range rows {
				list[k] = sequences[row]
			}
			ids, mask := in.tokens.pad(list)
			chunks = append(chunks, chunk{
				rows: rows, ids: ids, mask: mask, key: in.key(keys),
				columns: columns, shift: in.tokens.shift(ids.Shape().Dim(1), columns),
			})
			keys++
		}
		parts = append(parts, chunks)
	}
	return parts
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
func (c chunk) part(dims []int, size int) []int {
	dims = slices.Clone(dims)
	dims[0] = size
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
	back      *model.Exec // ids, mask, key, gradient of those -> a scalar, gradients of variables
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
		return append([]*graph.Node{scalar}, gradients(scalar, p.variables)...)
	})
	return p, err
}

func (p *lanePart) outputs(c chunk) (*tensors.Tensor, error) {
	out, err := p.embed.Call(c.ids, c.mask, c.key)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

func (p *lanePart) gradients(c chunk, of *tensors.Tensor) ([]*tensors.Tensor, error) {
	out, err := p.back.Call(c.ids, c.mask, c.key, of)
	if err != nil {
		return nil, err
	}
	release(out[:1])
	return out[1:], nil
}

func (l lane) finalize() {
	for _, p := range l.parts {
		p.embed.Finalize()
		p.back.Finalize()
	}
}
