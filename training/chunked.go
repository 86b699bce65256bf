package training

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// chunked is a step in pieces, for batches whose activations do not fit into
// memory at once: GradCache (Gao et al. 2021, arXiv 2101.06983). Vectors are
// computed chunk by chunk without keeping activations; the loss on all of them
// gives the gradient with respect to each vector; then every chunk is computed
// again and its gradient added up. The result is the gradient of the whole batch
// but for rounding, unlike gradient accumulation, which would cut the in-batch
// negatives down to those of a chunk.
type chunked struct {
	size      int
	variables []*model.Variable // set when backward is built

	embed    *model.Exec // ids, mask -> vectors
	loss     *model.Exec // vectors, candidates -> outputs with norm 0, gradient of vectors
	backward *model.Exec // ids, mask, gradient of vectors, sums -> sums of parameter gradients
	update   *model.Exec // loss, factors, sums -> norm
}

func newChunked(s *stepper, size int) (*chunked, error) {
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
		c.variables = trainable(store, vectors.Graph())
		// The gradient of this product is the chain rule's second factor.
		sums := gradients(graph.ReduceAllSum(graph.Mul(vectors, graph.StopGradient(in[2]))), c.variables)
		for i, old := range in[3:] {
			sums[i] = graph.Add(old, sums[i])
		}
		return sums
	})
	build(&c.update, func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		return []*graph.Node{s.optimizer.Apply(store, c.variables, in[2:], in[0], in[1])}
	})
	return c, err
}

func (c *chunked) finalize() {
	for _, exec := range []*model.Exec{c.embed, c.loss, c.backward, c.update} {
		exec.Finalize()
	}
}

func (c *chunked) run(in arrays) ([]float32, error) {
	ids, mask, err := c.split(in)
	if err != nil {
		return nil, err
	}
	vectors, err := c.embedAll(ids, mask)
	if err != nil {
		return nil, err
	}
	n, dim := in.ids.Shape().Dim(0), len(vectors)/(len(ids)*c.size)
	out, err := c.loss.Call(tensors.FromFlatDataAndDimensions(vectors[:n*dim], n, dim), in.instructions, in.counted, in.queries)
	if err != nil {
		return nil, err
	}
	values, err := take(out[0])
	if err != nil {
		return nil, err
	}
	gradient, err := take(out[1])
	if err != nil {
		return nil, err
	}
	gradient = append(gradient, make([]float32, len(vectors)-n*dim)...) // padding moves nothing
	sums, err := c.gradients(ids, mask, gradient, dim)
	if err != nil {
		return nil, err
	}
	norm, err := c.update.Call(with(sums, values[0], in.factors)...)
	if err != nil {
		return nil, err
	}
	values[1] = tensors.ToScalar[float32](norm[0])
	return values, nil
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

// gradients sums the parameter gradients of all chunks, given those of the
// vectors.
func (c *chunked) gradients(ids, mask []*tensors.Tensor, vectors []float32, dim int) (sums []*tensors.Tensor, err error) {
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
