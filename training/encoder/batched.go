package encoder

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// sequence is what the network reads of one text or one pair of texts.
type sequence struct {
	ids   []int32
	types []int32 // segments; nil: all zero
}

// batched computes width values for each of many sequences. One batch runs at
// a time; it is safe for concurrent use.
type batched struct {
	model   *Encoder // whose store and backend are used
	width   int
	longest int                        // no sequence has more tokens
	build   func(in input) *graph.Node // float32 [B,width]

	batching Batching
	execute  func(ids, mask, types *tensors.Tensor, use func(values []float32)) error // nil: the network

	mu     sync.Mutex
	exec   *model.Exec // made by the first batch
	failed map[int]int // by length, the fewest rows that did not fit into memory
}

// run writes the values of sequence i to dst[i*width:(i+1)*width]. GoMLX
// compiles a graph for every shape it meets, so sequences are padded to a few
// lengths, and all batches of a length have one or two sizes. The length depends
// on the sequence alone, never on its neighbours. A batch that does not fit into
// memory is halved and tried again, down to one sequence.
func (b *batched) run(ctx context.Context, sequences []sequence, dst []float32) error {
	order := make([]int, len(sequences))
	for i := range order {
		order[i] = i
	}
	size := func(i int) int { return len(sequences[i].ids) }
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(size(i), size(k)) })
	for len(order) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		length := Bucket(size(order[0]), b.longest)
		waiting := 1
		for waiting < len(order) && Bucket(size(order[waiting]), b.longest) == length {
			waiting++
		}
		rows, err := b.rows(length, waiting)
		if err != nil {
			return err
		}
		batch := order[:min(rows, waiting)]
		if err := b.one(sequences, batch, rows, length, dst); outOfMemory(err) {
			if rows == 1 {
				return fmt.Errorf("a sequence of %d tokens does not fit into memory by itself: %w", length, err)
			}
			b.refused(rows, length)
			continue
		} else if err != nil {
			return fmt.Errorf("run %d x %d tokens: %w", rows, length, err)
		}
		order = order[len(batch):]
	}
	return nil
}

// reset forgets the graphs, for when build builds others.
func (b *batched) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.exec != nil {
		b.exec.Finalize()
		b.exec = nil
	}
}

// Bucket is the length a sequence of n tokens is padded to: 16, 24, 32, 48,
// 64, 96, ..., at most longest. Padding costs a sixth on average, and lengths
// up to 8192 need 20 graphs.
func Bucket(n, longest int) int {
	length := 16
	for length < n {
		if length&(length-1) == 0 {
			length += length / 2
		} else {
			length += length / 3
		}
	}
	return max(n, min(length, longest))
}

// one runs the sequences that batch lists, padded to rows x length, and writes
// their values to their places in dst. It is the one place where panics of
// graph building become errors.
func (b *batched) one(sequences []sequence, batch []int, rows, length int, dst []float32) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	execute := b.execute
	if execute == nil {
		execute = b.network
	}
	in := b.tensors(sequences, batch, rows, length)
	defer finalize(in...)
	return execute(in[0], in[1], in[2], func(values []float32) {
		for row, i := range batch {
			copy(dst[i*b.width:(i+1)*b.width], values[row*b.width:(row+1)*b.width])
		}
	})
}

// network runs the graph that build makes, and calls use with its values.
func (b *batched) network(ids, mask, types *tensors.Tensor, use func(values []float32)) (err error) {
	if b.exec == nil {
		b.exec, err = model.NewExec(b.model.backend, b.model.store, func(_ *model.Scope, ids, mask, types *graph.Node) *graph.Node {
			return b.halves(input{ids: ids, mask: asBool(mask), types: types})
		})
		if err != nil {
			return err
		}
		b.exec.SetMaxCache(maxBuckets * maxSizes)
	}
	out, err := b.exec.Call1(ids, mask, types)
	if err != nil {
		return err
	}
	defer finalize(out)
	return tensors.ConstFlatData(out, use)
}

// halves builds the network. The Go backend runs operations that do not wait for
// each other at the same time, but all except matrix products on one core each;
// two halves of a batch keep two cores busy.
func (b *batched) halves(in input) *graph.Node {
	rows := in.ids.Shape().Dim(0)
	if !onGo(in.ids) || rows%2 != 0 {
		return b.build(in)
	}
	half := func(from graph.SliceAxisSpec) *graph.Node {
		return b.build(input{ids: graph.Slice(in.ids, from), mask: graph.Slice(in.mask, from), types: graph.Slice(in.types, from)})
	}
	first, second := graph.AxisRangeFromStart(rows/2), graph.AxisRangeToEnd(rows/2)
	return graph.Concatenate([]*graph.Node{half(first), half(second)}, 0)
}

// tensors returns ids, mask and segments of a batch, each int32 [rows,length].
func (b *batched) tensors(sequences []sequence, batch []int, rows, length int) []*tensors.Tensor {
	ids, mask, types := make([]int32, rows*length), make([]int32, rows*length), make([]int32, rows*length)
	for i := range ids {
		ids[i] = b.model.PadID()
	}
	for row, i := range batch {
		from, to := b.model.Place(sequences[i].ids, length)
		at := row*length + to - len(sequences[i].ids)
		copy(ids[at:], sequences[i].ids)
		copy(types[at:], sequences[i].types)
		for k := from; k < to; k++ {
			mask[row*length+k] = 1
		}
	}
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(ids, rows, length),
		tensors.FromFlatDataAndDimensions(mask, rows, length),
		tensors.FromFlatDataAndDimensions(types, rows, length),
	}
}

// finalize frees the memory of tensors at once: the garbage collector does not
// see what a device holds. What fails is left to it.
func finalize(list ...*tensors.Tensor) {
	for _, t := range list {
		_ = t.FinalizeAll()
	}
}

// maxBuckets bounds the number of lengths: 16 to 131072 in 27 steps; maxSizes
// that of a length's batches, full and small ones, each halved a few times.
const (
	maxBuckets = 32
	maxSizes   = 8
)
