package encoder

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/internal/progress"
)

// sequence is the network's input for one text or one pair of texts.
type sequence struct {
	ids   []int32
	types []int32 // segments; nil: all zero

	attended []bool // ids that are attended to; nil: all
}

// batched computes width values for each of many sequences. One batch runs at a time; batched is
// safe for concurrent use.
type batched struct {
	model   *Encoder // provides store and backend
	width   int
	longest int                        // most tokens of a sequence
	head    int                        // values that its head computes for each token, such as a logit for each token of the vocabulary
	build   func(in input) *graph.Node // float32 [B,width]

	batching Batching
	execute  func(ids, mask, types *tensors.Tensor, use func(values []float32)) error // nil: the network

	mu     sync.Mutex
	exec   *model.Exec // made by the first batch
	failed map[int]int // by length, the fewest rows that did not fit into memory
}

// run writes the values of sequence i to dst[i*width:(i+1)*width].
func (b *batched) run(ctx context.Context, sequences []sequence, dst []float32) error {
	return b.each(ctx, sequences, func(i int, values []float32) { copy(dst[i*b.width:(i+1)*b.width], values) })
}

// texts writes the vectors of n texts, calling tokens for one text after the other.
func (b *batched) texts(ctx context.Context, n int, dst []float32, tokens func(int) sequence) error {
	if b.model.tokens.tokenizer == nil {
		return errNoTokenizer
	}
	if len(dst) != n*b.width {
		return fmt.Errorf("dst has %d values, %d vectors of %d need %d", len(dst), n, b.width, n*b.width)
	}
	sequences := make([]sequence, n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		sequences[i] = tokens(i)
	}
	return b.run(ctx, sequences, dst)
}

// each calls use with the values of each sequence; they are valid until use returns. GoMLX
// compiles a graph for every new shape, so sequences are padded to a few lengths, and all batches
// of a length have one of two sizes. The length depends only on the sequence, never on its
// neighbours. A batch that does not fit into memory is halved and tried again, down to one
// sequence.
func (b *batched) each(ctx context.Context, sequences []sequence, use func(i int, values []float32)) error {
	order := make([]int, len(sequences))
	for i := range order {
		order[i] = i
	}
	size := func(i int) int { return len(sequences[i].ids) }
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(size(i), size(k)) })
	tokens, done := 0, 0
	for i := range sequences {
		tokens += size(i)
	}
	for len(order) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		length := b.length(size(order[0]))
		waiting := 1
		for waiting < len(order) && b.length(size(order[waiting])) == length {
			waiting++
		}
		rows, err := b.rows(length, waiting)
		if err != nil {
			return err
		}
		batch := order[:min(rows, waiting)]
		if err := b.one(sequences, batch, rows, length, use); OutOfMemory(err) {
			if rows == 1 {
				return fmt.Errorf("a sequence of %d tokens does not fit into memory by itself: %w", length, err)
			}
			b.refused(rows, length)
			continue
		} else if err != nil {
			return fmt.Errorf("run %d x %d tokens: %w", rows, length, err)
		}
		for _, i := range batch {
			done += size(i)
		}
		order = order[len(batch):]
		progress.Report(ctx, float64(done)/float64(max(tokens, 1)))
	}
	return nil
}

// reset drops the graphs, for when build changes.
func (b *batched) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.exec != nil {
		b.exec.Finalize()
		b.exec = nil
	}
}

// Bucket is the length that a sequence of n tokens is padded to, at most longest: 16, multiples
// of 8 up to 64, then four lengths in each doubling (80, 96, 112, 128, 160, ...). This pads texts
// of the paper's lengths by 7 %, and lengths up to 8192 need 35 graphs.
func Bucket(n, longest int) int {
	step := 8
	for 8*step < n {
		step *= 2
	}
	return max(n, min(max(2, (n+step-1)/step)*step, longest))
}

// length is the length that a sequence of n tokens is padded to.
func (b *batched) length(n int) int { return lengthOn(b.model.backend, n, b.longest) }

// lengthOn is the length that a sequence of n tokens is padded to on a backend: backends that
// compile get fewer lengths.
func lengthOn(backend compute.Backend, n, longest int) int {
	if backend != nil && Compiles(backend) {
		return FewLengths(n, longest)
	}
	return Bucket(n, longest)
}

// FewLengths is Bucket with fewer lengths: 16, 32, 64, then two lengths in each doubling (96, 128,
// 192, ...). Lengths up to 8192 need 17 graphs. On SciFact this computes 1 % more tokens than
// Bucket.
func FewLengths(n, longest int) int {
	length := 16
	for length < n {
		switch {
		case length < 64:
			length *= 2
		case length&(length-1) == 0:
			length += length / 2
		default:
			length += length / 3
		}
	}
	return max(n, min(length, longest))
}

// one runs the sequences listed in batch, padded to rows x length, and calls use with the values
// of each. It is the only place where panics of graph building become errors.
func (b *batched) one(sequences []sequence, batch []int, rows, length int, use func(i int, values []float32)) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		err = OfBackend(err)
	}()
	execute := b.execute
	if execute == nil {
		execute = b.network
	}
	in := b.tensors(sequences, batch, rows, length)
	defer finalize(in...)
	return execute(in[0], in[1], in[2], func(values []float32) {
		width := len(values) / rows
		for row, i := range batch {
			use(i, values[row*width:(row+1)*width])
		}
	})
}

// network runs the graph of build and calls use with its values.
func (b *batched) network(ids, mask, types *tensors.Tensor, use func(values []float32)) (err error) {
	if b.exec == nil {
		b.exec, err = model.NewExec(b.model.backend, b.model.params.store, func(_ *model.Scope, ids, mask, types *graph.Node) *graph.Node {
			return b.pieces(input{ids: ids, mask: asBool(mask), types: types})
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

// pieces builds the network once for each piece of a batch. The Go backend runs independent
// operations at the same time, but each except matrix products on one core, so pieces keep
// several cores busy. On that backend the bits of a vector depend on its piece only, not on the
// number of pieces in the batch.
func (b *batched) pieces(in input) *graph.Node {
	rows, length := in.ids.Shape().Dim(0), in.ids.Shape().Dim(1)
	piece := b.sizes().piece(length)
	if !onGo(in.ids) || rows <= piece {
		return b.build(in)
	}
	var list []*graph.Node
	for from := 0; from < rows; from += piece {
		of := func(x *graph.Node) *graph.Node { return graph.Slice(x, graph.AxisRange(from, min(from+piece, rows))) }
		list = append(list, b.build(input{ids: of(in.ids), mask: of(in.mask), types: of(in.types)}))
	}
	return graph.Concatenate(list, 0)
}

// tensors returns ids, mask and segments of a batch, each int32 [rows,length].
func (b *batched) tensors(sequences []sequence, batch []int, rows, length int) []*tensors.Tensor {
	ids, mask, types := make([]int32, rows*length), make([]int32, rows*length), make([]int32, rows*length)
	for i := range ids {
		ids[i] = b.model.tokens.PadID()
	}
	for row, i := range batch {
		from, to := b.model.tokens.Place(sequences[i].ids, length)
		at := row*length + to - len(sequences[i].ids)
		copy(ids[at:], sequences[i].ids)
		copy(types[at:], sequences[i].types)
		for k := from; k < to; k++ {
			if seen := sequences[i].attended; seen == nil || seen[row*length+k-at] {
				mask[row*length+k] = 1
			}
		}
	}
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(ids, rows, length),
		tensors.FromFlatDataAndDimensions(mask, rows, length),
		tensors.FromFlatDataAndDimensions(types, rows, length),
	}
}

// finalize frees the memory of tensors at once: the garbage collector does not see device memory.
// If this fails, the tensor is left to the garbage collector.
func finalize(list ...*tensors.Tensor) {
	for _, t := range list {
		_ = t.FinalizeAll()
	}
}

// maxBuckets bounds the number of lengths: 16 to 131072 in 51 steps. maxSizes bounds the batches
// of a length, full and small ones, each halved a few times.
const (
	maxBuckets = 64
	maxSizes   = 8
)
