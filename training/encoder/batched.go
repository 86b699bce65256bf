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

	mu   sync.Mutex
	exec *model.Exec // made by the first batch
}

// run writes the values of sequence i to dst[i*width:(i+1)*width]. GoMLX
// compiles a graph for every shape it meets, so sequences are padded to a few
// lengths and batches to two sizes a length. The length depends on the sequence
// alone, never on its neighbours.
func (b *batched) run(ctx context.Context, sequences []sequence, dst []float32) error {
	order := make([]int, len(sequences))
	for i := range order {
		order[i] = i
	}
	size := func(i int) int { return len(sequences[i].ids) }
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(size(i), size(k)) })
	for len(order) > 0 {
		length := bucket(size(order[0]), b.longest)
		same := 1 // sequences of this length that wait, at most a full batch
		for same < min(len(order), fullBatch(length)) && bucket(size(order[same]), b.longest) == length {
			same++
		}
		rows, batch := batchRows(length, same), order[:same]
		order = order[same:]
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.one(sequences, batch, rows, length, dst); err != nil {
			return fmt.Errorf("run %d x %d tokens: %w", rows, length, err)
		}
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

// bucket is the length a sequence of n tokens is padded to: 16, 24, 32, 48,
// 64, 96, ..., at most longest. Padding costs a sixth on average, and lengths
// up to 8192 need 20 graphs.
func bucket(n, longest int) int {
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

// batchTokens is the number of tokens in a full batch. The Go backend's fast
// matrix product needs rows*length*D*D >= 2^22, which a width of 64 then has
// by far.
const batchTokens = 4096

// fullBatch is the number of sequences in a full batch of a length.
func fullBatch(length int) int { return max(1, batchTokens/length) }

// batchRows is the number of sequences in a batch of a length: a full batch,
// or an eighth of it where no more are waiting.
func batchRows(length, waiting int) int {
	full := fullBatch(length)
	if few := max(1, full/8); waiting <= few {
		return few
	}
	return full
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
	if b.exec == nil {
		b.exec, err = model.NewExec(b.model.backend, b.model.store, func(_ *model.Scope, ids, mask, types *graph.Node) *graph.Node {
			return b.build(input{ids: ids, mask: asBool(mask), types: types})
		})
		if err != nil {
			return err
		}
		b.exec.SetMaxCache(2 * maxBuckets)
	}
	in := b.tensors(sequences, batch, rows, length)
	defer finalize(in...)
	out, err := b.exec.Call1(in[0], in[1], in[2])
	if err != nil {
		return err
	}
	defer finalize(out)
	return tensors.ConstFlatData(out, func(values []float32) {
		for row, i := range batch {
			copy(dst[i*b.width:(i+1)*b.width], values[row*b.width:(row+1)*b.width])
		}
	})
}

// tensors returns ids, mask and segments of a batch, each int32 [rows,length].
func (b *batched) tensors(sequences []sequence, batch []int, rows, length int) []*tensors.Tensor {
	ids, mask, types := make([]int32, rows*length), make([]int32, rows*length), make([]int32, rows*length)
	for i := range ids {
		ids[i] = b.model.PadID()
	}
	for row, i := range batch {
		copy(ids[row*length:], sequences[i].ids)
		copy(types[row*length:], sequences[i].types)
		for k := range sequences[i].ids {
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

// maxBuckets bounds the number of lengths: 16 to 131072 in 27 steps.
const maxBuckets = 32
