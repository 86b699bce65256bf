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

	embed    *model.Exec // ids, mask, key -> vectors
	loss     *model.Exec // vectors, candidates -> outputs with norm 0, gradient of vectors
	backward *model.Exec // ids, mask, key, gradient of vectors, sums -> sums of parameter gradients
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
		return []*graph.Node{s.embed(in[0], in[1], in[2])}
	})
	build(&c.loss, func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		scores := s.scores(in[0], in[1], in[2], in[3])
		return []*graph.Node{
			s.outputs(scores, graph.ZerosLike(scores.Loss)),
			graph.Gradient(scores.Loss, in[0])[0],
		}
	})
	build(&c.backward, func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		vectors := s.embed(in[0], in[1], in[2])
		// The gradient of this product is the chain rule's second factor.
		return m.addTo(in[4:], graph.ReduceAllSum(graph.Mul(vectors, graph.StopGradient(in[3]))))
	})
	return c, err
}

func (c *chunked) finalize() {
	for _, exec := range []*model.Exec{c.embed, c.loss, c.backward} {
		exec.Finalize()
	}
}

// chunk is a part of a batch. Both of its passes drop the same values.
type chunk struct {
	ids, mask *tensors.Tensor
	key       []uint64
}

func (c *chunked) add(in arrays, sums []*tensors.Tensor) ([]float32, []*tensors.Tensor, error) {
	chunks, err := c.split(in)
	if err != nil {
		return nil, nil, err
	}
	vectors, err := c.embedAll(chunks)
	if err != nil {
		return nil, nil, err
	}
	n, dim := in.ids.Shape().Dim(0), len(vectors)/(len(chunks)*c.size)
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
	sums, err = c.gradients(chunks, gradient, sums)
	return values, sums, err
}

// embedAll returns the vectors of all chunks, those of padding included.
func (c *chunked) embedAll(chunks []chunk) ([]float32, error) {
	var vectors []float32
	for i, part := range chunks {
		out, err := c.embed.Call(part.ids, part.mask, part.key)
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
func (c *chunked) gradients(chunks []chunk, vectors []float32, sums []*tensors.Tensor) (_ []*tensors.Tensor, err error) {
	dim := len(vectors) / (len(chunks) * c.size)
	for i, part := range chunks {
		of := tensors.FromFlatDataAndDimensions(vectors[i*c.size*dim:(i+1)*c.size*dim], c.size, dim)
		sums, err = c.backward.Call(with(sums, part.ids, part.mask, part.key, of)...)
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

// split cuts a batch's sequences into chunks of equal size, the last one filled
// up with padding.
func (c *chunked) split(in arrays) ([]chunk, error) {
	ids, err := tensors.CopyFlatData[int32](in.ids)
	if err != nil {
		return nil, err
	}
	mask, err := tensors.CopyFlatData[bool](in.mask)
	if err != nil {
		return nil, err
	}
	length := in.ids.Shape().Dim(1)
	per := c.size * length
	for len(ids)%per != 0 {
		ids, mask = append(ids, 0), append(mask, false)
	}
	var chunks []chunk
	for at := 0; at < len(ids); at += per {
		chunks = append(chunks, chunk{
			ids:  tensors.FromFlatDataAndDimensions(ids[at:at+per], c.size, length),
			mask: tensors.FromFlatDataAndDimensions(mask[at:at+per], c.size, length),
			key:  in.key(len(chunks)),
		})
	}
	return chunks, nil
}
