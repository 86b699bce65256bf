package encoder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// errNoTokenizer is returned where texts meet a model without a tokenizer.
var errNoTokenizer = errors.New("the model folder has neither tokenizer.json nor vocab.txt")

// PadID is the id that fills short sequences.
func (e *Encoder) PadID() int32 {
	if e.tokenizer != nil {
		if id, ok := e.tokenizer.PadID(); ok {
			return id
		}
	}
	return e.config.PadTokenID
}

// QueryTokens returns the ids of a query joined with its instruction (which
// may be empty), with special tokens, at most Text.MaxQuery of them; nil where
// the model has no tokenizer.
func (e *Encoder) QueryTokens(query, instruction string) []int32 {
	if e.tokenizer == nil {
		return nil
	}
	return e.tokenizer.Encode(e.config.Text.query(query, instruction), e.config.Text.MaxQuery)
}

// DocumentTokens returns the ids of a document (its title may be empty), with
// special tokens, at most Text.MaxDocument of them; nil where the model has no
// tokenizer.
func (e *Encoder) DocumentTokens(title, text string) []int32 {
	if e.tokenizer == nil {
		return nil
	}
	return e.tokenizer.Encode(e.config.Text.document(title, text), e.config.Text.MaxDocument)
}

// EncodeQueries writes the vector of query i under instruction i to
// dst[i*Dim:(i+1)*Dim]. A vector does not depend on the others encoded with it
// beyond 1e-6.
func (e *Encoder) EncodeQueries(ctx context.Context, queries, instructions []string, dst []float32) error {
	if len(queries) != len(instructions) {
		return fmt.Errorf("encode queries: %d queries, %d instructions", len(queries), len(instructions))
	}
	err := e.encode(ctx, len(queries), dst, func(i int) []int32 { return e.QueryTokens(queries[i], instructions[i]) })
	if err != nil {
		return fmt.Errorf("encode queries: %w", err)
	}
	return nil
}

// EncodeDocuments is EncodeQueries for documents.
func (e *Encoder) EncodeDocuments(ctx context.Context, titles, texts []string, dst []float32) error {
	if len(titles) != len(texts) {
		return fmt.Errorf("encode documents: %d titles, %d texts", len(titles), len(texts))
	}
	err := e.encode(ctx, len(texts), dst, func(i int) []int32 { return e.DocumentTokens(titles[i], texts[i]) })
	if err != nil {
		return fmt.Errorf("encode documents: %w", err)
	}
	return nil
}

// encode embeds n token sequences. GoMLX compiles a graph for every shape it
// meets, so sequences are padded to a few lengths and batches to two sizes a
// length. The length depends on the sequence alone, never on its neighbours.
func (e *Encoder) encode(ctx context.Context, n int, dst []float32, tokens func(int) []int32) error {
	if e.tokenizer == nil {
		return errNoTokenizer
	}
	if len(dst) != n*e.Dim() {
		return fmt.Errorf("dst has %d values, %d vectors of %d need %d", len(dst), n, e.Dim(), n*e.Dim())
	}
	sequences, order := make([][]int32, n), make([]int, n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		sequences[i], order[i] = tokens(i), i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(len(sequences[a]), len(sequences[b]))
	})
	longest := max(e.config.Text.MaxQuery, e.config.Text.MaxDocument)
	for len(order) > 0 {
		length := bucket(len(sequences[order[0]]), longest)
		same := 1 // sequences of this length that wait, at most a full batch
		for same < min(len(order), fullBatch(length)) && bucket(len(sequences[order[same]]), longest) == length {
			same++
		}
		rows, batch := batchRows(length, same), order[:same]
		order = order[same:]
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.embedBatch(sequences, batch, rows, length, dst); err != nil {
			return err
		}
	}
	return nil
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

// embedBatch embeds the sequences that batch lists, padded to rows x length,
// and writes their vectors to their places in dst. It is the one place where
// panics of graph building become errors.
func (e *Encoder) embedBatch(sequences [][]int32, batch []int, rows, length int, dst []float32) (err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("embed %d x %d tokens: %v", rows, length, p)
		}
	}()
	if e.exec == nil {
		e.exec, err = model.NewExec(e.backend, e.store, func(_ *model.Scope, ids, mask *graph.Node) *graph.Node {
			return e.Embed(ids.Graph(), ids, mask)
		})
		if err != nil {
			return err
		}
		e.exec.SetMaxCache(2 * maxBuckets)
	}
	ids, mask := make([]int32, rows*length), make([]int32, rows*length)
	for i := range ids {
		ids[i] = e.PadID()
	}
	for row, i := range batch {
		copy(ids[row*length:], sequences[i])
		for k := range sequences[i] {
			mask[row*length+k] = 1
		}
	}
	in := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(ids, rows, length),
		tensors.FromFlatDataAndDimensions(mask, rows, length),
	}
	defer finalize(in...)
	out, err := e.exec.Call1(in[0], in[1])
	if err != nil {
		return fmt.Errorf("embed %d x %d tokens: %w", rows, length, err)
	}
	defer finalize(out)
	dim := e.Dim()
	return tensors.ConstFlatData(out, func(vectors []float32) {
		for row, i := range batch {
			copy(dst[i*dim:(i+1)*dim], vectors[row*dim:(row+1)*dim])
		}
	})
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
