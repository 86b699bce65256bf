package training

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// chunked is the gradient of a batch in pieces, for batches whose activations do
// not fit into memory at once: GradCache (Gao et al. 2021, arXiv 2101.06983).
// Vectors are computed chunk by chunk without keeping activations; the loss on all
// of them gives the gradient with respect to each vector; then every chunk is
// computed again and its gradient added up. The result is the gradient of the
// whole batch but for rounding, unlike gradient accumulation, which would cut the
// in-batch negatives down to those of a chunk.
type chunked struct {
	size int

	embed    *model.Exec // ids, mask -> vectors
	loss     *model.Exec // vectors, candidates -> outputs with norm 0, gradient of vectors
	backward *model.Exec // ids, mask, gradient of vectors, sums -> sums of parameter gradients
}

func newChunked(s *stepper, m *summed, size int) (*chunked, error) {
	c := &chunked{size: size}
	backend, store := s.encoder.Backend(), s.encoder.Store()
	var err error
	build := func(into **model.Exec, fn func(*model.Scope, []*graph.Node) []*graph.Node) {
		if err == nil {
			*into, err = model.NewExec(backend, store, fn)
		}
	}
	build(&c.embed, func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		return []*graph.Node{s.embed(in[0], in[1])}
	})
	build(&c.loss, func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		scores := s.scores(in[0], in[1], in[2], in[3])
		return []*graph.Node{
			s.outputs(scores, graph.ZerosLike(scores.Loss)),
			graph.Gradient(scores.Loss, in[0])[0],
		}
	})
	build(&c.backward, func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		vectors := s.embed(in[0], in[1])
		// The gradient of this product is the chain rule's second factor.
		return m.addTo(in[3:], graph.ReduceAllSum(graph.Mul(vectors, graph.StopGradient(in[2]))))
	})
	return c, err
}

func (c *chunked) finalize() {
	for _, exec := range []*model.Exec{c.embed, c.loss, c.backward} {
		exec.Finalize()
	}
}

func (c *chunked) add(in arrays, sums []*tensors.Tensor) ([]float32, []*tensors.Tensor, error) {
	ids, mask, err := c.split(in)
	if err != nil {
		return nil, nil, err
	}
	vectors, err := c.embedAll(ids, mask)
	if err != nil {
		return nil, nil, err
	}
	n, dim := in.ids.Shape().Dim(0), len(vectors)/(len(ids)*c.size)
	out, err := c.loss.Call(tensors.FromFlatDataAndDimensions(vectors[:n*dim], n, dim), in.instructions, in.counted, in.queries)
	if err != nil {
		return nil, nil, err
	}
	values, err := take(out[0])
	if err != nil {
		return nil, nil, err
	}
	gradient, err := take(out[1])
	if err != nil {
		return nil, nil, err
	}
	gradient = append(gradient, make([]float32, len(vectors)-n*dim)...) // padding moves nothing
	sums, err = c.gradients(ids, mask, gradient, sums)
	return values, sums, err
}

// embedAll returns the vectors of all chunks, those of padding included.
func (c *chunked) embedAll(ids, mask []*tensors.Tensor) ([]float32, error) {
	var vectors []float32
	for i := range ids {
		out, err := c.embed.Call(ids[i], mask[i])
		if err != nil {
			return nil, fmt.Errorf("embed chunk %d: %w", i, err)
		}
		values, err := take(out[0])
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, values...)
	}
	return vectors, nil
}

// gradients adds the parameter gradients of all chunks to sums, given those of
// the vectors.
func (c *chunked) gradients(ids, mask []*tensors.Tensor, vectors []float32, sums []*tensors.Tensor) (_ []*tensors.Tensor, err error) {
	dim := len(vectors) / (len(ids) * c.size)
	for i := range ids {
		part := vectors[i*c.size*dim : (i+1)*c.size*dim]
		sums, err = c.backward.Call(with(sums, ids[i], mask[i], tensors.FromFlatDataAndDimensions(part, c.size, dim))...)
		if err != nil {
			return nil, fmt.Errorf("gradient of chunk %d: %w", i, err)
		}
	}
	return sums, nil
}

// with appends tensors to the first arguments of a call.
func with(list []*tensors.Tensor, first ...any) []any {
	for _, t := range list {
		first = append(first, t)
	}
	return first
}

// split cuts ids and mask into chunks of equal size, the last one filled up with
// padding.
func (c *chunked) split(in arrays) (ids, mask []*tensors.Tensor, err error) {
	flatIDs, err := tensors.CopyFlatData[int32](in.ids)
	if err != nil {
		return nil, nil, err
	}
	flatMask, err := tensors.CopyFlatData[bool](in.mask)
	if err != nil {
		return nil, nil, err
	}
	length := in.ids.Shape().Dim(1)
	per := c.size * length
	for len(flatIDs)%per != 0 {
		flatIDs, flatMask = append(flatIDs, 0), append(flatMask, false)
	}
	for at := 0; at < len(flatIDs); at += per {
		ids = append(ids, tensors.FromFlatDataAndDimensions(flatIDs[at:at+per], c.size, length))
		mask = append(mask, tensors.FromFlatDataAndDimensions(flatMask[at:at+per], c.size, length))
	}
	return ids, mask, nil
}
