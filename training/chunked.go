package training

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
)

// chunked computes the gradient of a batch in pieces, for batches whose activations do not fit
// into memory at once: GradCache (Gao et al. 2021, arXiv 2101.06983). It computes vectors chunk
// by chunk without keeping activations. The loss on all vectors gives the gradient with respect
// to each of them. Then it computes every chunk again and adds up its gradient. The result is the
// gradient of the full batch except for rounding. Gradient accumulation, in contrast, would
// restrict in-batch negatives to one chunk.
//
// If instructions attend to queries, the loss takes hidden states instead of vectors. These are
// then kept, and cross-attention has gradients of its own.
//
// Several devices share the chunks. Separate graphs add their gradients in the order of the
// chunks, so the sum has the same bits whichever device computed which chunk.
type chunked struct {
	size    int // largest number of sequences in a chunk
	stepper *stepper
	sum     *summed
	lanes   []lane // the encoder's own device first

	// loss takes the outputs of all parts, the masks of parts that are states, pairs and
	// candidates. It returns outputs with norm 0, the gradients of the parts' outputs, and the
	// gradients of the variables that the loss itself uses.
	loss      *model.Exec
	variables []*model.Variable
	plus      *model.Exec // two lists of gradients -> their sums
}

// newChunked prepares the gradient on the encoder's device and on the devices of its replicas.
func newChunked(s *stepper, m *summed, size int, replicas []*encoder.Encoder) (*chunked, error) {
	c := &chunked{size: size, stepper: s, sum: m}
	for _, enc := range append([]*encoder.Encoder{s.encoder}, replicas...) {
		l, err := newLane(s, enc)
		if err != nil {
			return nil, err
		}
		c.lanes = append(c.lanes, l)
	}
	backend, store := s.encoder.Backend(), s.encoder.Store()
	var err error
	c.loss, err = model.NewExec(backend, store, func(_ *model.Scope, in []*graph.Node) []*graph.Node { return c.lossGraph(in) })
	if err != nil {
		return nil, err
	}
	c.loss.SetMaxCache(mostGraphs)
	c.plus, err = model.NewExec(backend, store, func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		sums := make([]*graph.Node, len(in)/2)
		for i := range sums {
			sums[i] = graph.Add(in[i], in[len(sums)+i])
		}
		return sums
	})
	return c, err
}

// most is the number of tokens in the largest chunk.
func (c *chunked) most(lengths [][]int, t *tokens) (tokens int) {
	for i, of := range lengths {
		for _, shape := range c.groups(c.lanes[0].parts[i].part, of, t) {
			tokens = max(tokens, shape.Rows*shape.Length)
		}
	}
	return tokens
}

// lossGraph builds the loss of a batch; see loss.
func (c *chunked) lossGraph(in []*graph.Node) []*graph.Node {
	s, n := c.stepper, len(c.lanes[0].parts)
	parts, rest := in[:n], in[n:]
	masks, rest := rest[:len(rest)-extraArrays], rest[len(rest)-extraArrays:]
	scores := s.scores(s.join(parts, masks, rest[0]), rest)
	c.variables = trainableOf(s.encoder.Store(), scores.Loss.Graph())
	targets := slices.Clone(parts)
	for _, v := range c.variables {
		targets = append(targets, v.NodeValue(scores.Loss.Graph()))
	}
	out := []*graph.Node{s.outputs(scores, graph.ZerosLike(scores.Loss))}
	return append(out, graph.Gradient(scores.Loss, targets...)...)
}

func (c *chunked) finalize() {
	for _, l := range c.lanes {
		l.finalize()
	}
	c.loss.Finalize()
	c.plus.Finalize()
}

// upload takes each chunk to the device of its lane; see share.
func (c *chunked) upload(in arrays) (u uploaded, err error) {
	u = uploaded{sequences: len(in.sequences), extras: in.extras()}
	u.chunks, u.states = c.split(in)
	for _, chunks := range u.chunks {
		for i, of := range chunks {
			if err := toDevice(c.lanes[i%len(c.lanes)].encoder.Backend(), of.inputs()); err != nil {
				return u, err
			}
		}
	}
	return u, toDevice(c.lanes[0].encoder.Backend(), append(with(u.states), u.extras...))
}

// add takes and returns the sums of each part's variables, then those of the loss's own
// variables.
func (c *chunked) add(in uploaded, sums []*tensors.Tensor) ([]float32, []*tensors.Tensor, error) {
	chunks := in.chunks
	out, err := c.lossOf(in)
	if err != nil {
		return nil, nil, err
	}
	values, err := take(out[0])
	if err != nil {
		return nil, nil, err
	}
	if sums == nil { // now the variables are known
		c.sum.variables = c.summed()
		if sums, err = c.sum.begin(); err != nil {
			return nil, nil, err
		}
	}
	next, variables := []*tensors.Tensor{}, []*model.Variable{}
	for i, p := range c.lanes[0].parts {
		old, rest := cut(sums, p.variables)
		added, err := c.backward(chunks[i], i, out[1+i], old)
		if err != nil {
			return nil, nil, err
		}
		sums = rest
		if added != nil {
			next, variables = append(next, added...), append(variables, p.variables...)
		}
	}
	own, err := c.total(sums, out[1+len(chunks):])
	c.sum.variables = append(variables, c.variables...)
	return values, append(next, own...), err
}

// lossOf computes the outputs of all parts, then returns the outputs of loss.
func (c *chunked) lossOf(in uploaded) ([]*tensors.Tensor, error) {
	var outputs []*tensors.Tensor
	for i, chunks := range in.chunks {
		from, to := c.lanes[0].parts[i].bounds(in.sequences)
		of, err := c.embed(chunks, i, to-from)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, of)
	}
	out, err := c.loss.Call(append(append(with(outputs), with(in.states)...), in.extras...)...)
	release(outputs)
	return out, err
}

// summed lists the variables of each part, then the loss's own.
func (c *chunked) summed() (variables []*model.Variable) {
	for _, p := range c.lanes[0].parts {
		variables = append(variables, p.variables...)
	}
	return append(variables, c.variables...)
}

// cut splits sums after the sums of variables; both parts of a nil list are nil.
func cut(sums []*tensors.Tensor, variables []*model.Variable) (of, rest []*tensors.Tensor) {
	if sums == nil {
		return nil, nil
	}
	return sums[:len(variables)], sums[len(variables):]
}

// embed returns the outputs of the chunks of a part of n sequences, in their order: vectors
// [n,Dim], or hidden states [n,S,D] with the columns of the full part. Empty sequences become
// zeros.
func (c *chunked) embed(chunks []chunk, part, n int) (*tensors.Tensor, error) {
	var flat []float32
	var dims []int
	err := share(c.lanes, len(chunks), func(l lane, i int) (*tensors.Tensor, error) {
		return l.parts[part].outputs(chunks[i])
	}, func(i int, output *tensors.Tensor) error {
		if dims == nil {
			dims = chunks[i].fullShape(output.Shape().Dimensions, n)
			flat = make([]float32, product(dims))
		}
		values, err := take(output)
		for k, row := range chunks[i].rows {
			to, from := chunks[i].slices(flat, values, dims, row, k)
			copy(to, from)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	return tensors.FromFlatDataAndDimensions(flat, dims...), nil
}

// backward adds the gradients of a part's variables over all chunks to sums, given the gradients
// of the outputs of embed. A single lane adds them in the graph that computes them, in the same
// order.
func (c *chunked) backward(chunks []chunk, part int, of *tensors.Tensor, sums []*tensors.Tensor) ([]*tensors.Tensor, error) {
	dims := of.Shape().Dimensions
	flat, err := take(of)
	if err != nil {
		return nil, err
	}
	err = share(c.lanes, len(chunks), func(l lane, i int) ([]*tensors.Tensor, error) {
		small := chunks[i].ownShape(dims, chunks[i].ids.Shape().Dim(0))
		values := make([]float32, product(small)) // stays zero for padding
		for k, row := range chunks[i].rows {
			from, to := chunks[i].slices(flat, values, dims, row, k)
			copy(to, from)
		}
		var before []*tensors.Tensor
		if len(c.lanes) == 1 {
			before = sums
		}
		list, err := l.parts[part].gradients(l.encoder.Backend(), chunks[i], tensors.FromFlatDataAndDimensions(values, small...), before)
		if err == nil && l.encoder != c.lanes[0].encoder {
			err = moveToHost(list)
		}
		return list, err
	}, func(_ int, list []*tensors.Tensor) (err error) {
		if len(c.lanes) == 1 {
			sums = list
		} else {
			sums, err = c.total(sums, list)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("gradient: %w", err)
	}
	return sums, nil
}

// total adds a list of gradients to sums, which may be nil, and frees both.
func (c *chunked) total(sums, list []*tensors.Tensor) ([]*tensors.Tensor, error) {
	if sums == nil || len(list) == 0 {
		return list, nil
	}
	both, err := given(c.stepper.encoder.Backend(), slices.Concat(sums, list))
	if err != nil {
		return nil, err
	}
	next, err := c.plus.Call(both...)
	if err != nil {
		return nil, err
	}
	release(sums, list)
	return next, nil
}

// with appends tensors to the first arguments of a call.
func with(list []*tensors.Tensor, first ...any) []any {
	for _, t := range list {
		first = append(first, t)
	}
	return first
}

// given appends tensors that are not needed afterwards to the first arguments of a call, so that
// a device can write results in their place.
func given(backend compute.Backend, list []*tensors.Tensor, first ...any) ([]any, error) {
	if backend.HasSharedBuffers() {
		return with(list, first...), nil
	}
	for _, t := range list {
		buffer, err := graph.DonateTensorBuffer(t, backend, 0)
		if err != nil {
			return nil, err
		}
		first = append(first, buffer)
	}
	return first, nil
}

// release frees the memory of tensors at once: the garbage collector does not see device memory.
// If this fails, the tensor is left to the garbage collector.
func release(lists ...[]*tensors.Tensor) {
	for _, list := range lists {
		for _, t := range list {
			_ = t.FinalizeAll()
		}
	}
}
