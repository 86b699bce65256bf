package encoder

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Batching sets the number of sequences that a network reads at a time. Batches of a length have
// one of two sizes: full ones, and small ones if no more sequences wait. On the Go backend a
// vector has the same bits in both, whatever other sequences are in the batch: a full batch is
// several small ones in one graph, so vectors are a function of text, length, network and Memory.
// On other backends they agree to float32 rounding.
type Batching struct {
	Tokens int   // tokens of a full batch, padding included; 0: a size that suits the Go backend
	Small  int   // tokens of a batch if no more wait; 0: Tokens, so that there is one size, or half of Tokens if that is 0
	Memory int64 // bytes that a batch's intermediate values may take; 0: no limit
}

// sizes returns the batching with its numbers of tokens filled in.
func (b *batched) sizes() Batching {
	of := b.batching
	if of.Tokens == 0 {
		of.Tokens = goTokens(b.model.config.HiddenSize)
		of.Small = of.Tokens / 2
	}
	if of.Small == 0 {
		of.Small = of.Tokens
	}
	return of
}

// piece is the number of sequences of a length in a small batch.
func (b Batching) piece(length int) int { return max(1, min(b.Small, b.Tokens)/length) }

// rows is the number of sequences in a batch of a length if so many wait. Full batches consist of
// full pieces. A remainder takes one piece if that computes less.
func (b Batching) rows(length, waiting int) int {
	piece := b.piece(length)
	full := max(1, b.Tokens/length/piece) * piece
	if pieces := (waiting + piece - 1) / piece; pieces*piece < full {
		return piece
	}
	return full
}

// SetBatching changes how texts are batched. Call it before encoding.
func (e *Encoder) SetBatching(b Batching) {
	for _, by := range e.passes.all() {
		by.batching = b
	}
}

// SetBatching is like Encoder.SetBatching.
func (c *CrossEncoder) SetBatching(b Batching) { c.logits.batching = b }

// ErrMemory reports that a text needs more memory than there is.
var ErrMemory = errors.New("out of memory")

// rows is the number of sequences in a batch of a length if so many wait, limited by memory.
func (b *batched) rows(length, waiting int) (int, error) {
	rows := b.sizes().rows(length, waiting)
	b.mu.Lock()
	defer b.mu.Unlock()
	for failed := b.failed[length]; failed > 0 && rows >= failed && rows > 1; {
		rows /= 2
	}
	for b.batching.Memory > 0 && b.intermediate(rows, length) > b.batching.Memory {
		if rows == 1 {
			return 0, fmt.Errorf("a sequence of %d tokens takes about %d bytes, of %d that may be used: %w",
				length, b.intermediate(1, length), b.batching.Memory, ErrMemory)
		}
		rows /= 2
	}
	return rows, nil
}

// refused records that a batch did not fit into memory.
func (b *batched) refused(rows, length int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed == nil {
		b.failed = map[int]int{}
	}
	b.failed[length] = rows
}

// goTokens is the size of a batch on the Go backend for a network of that width. The backend's
// fast matrix product needs tokens*width*width >= 2^22. Batches beyond twice that and beyond 512
// tokens gained nothing (measured at widths 64 and 384, 64 to 4096 tokens), and padding costs
// more. Networks too narrow to reach that size with a batch of reasonable size do not use the
// fast product.
func goTokens(width int) int {
	const usual, most = 512, 2048
	tokens := (2 << 22) / max(1, width*width)
	if tokens > most {
		return usual
	}
	return max(usual, tokens)
}

// intermediate estimates the bytes of a layer's values, from above: for each token the states
// around attention and the feed-forward network, for each pair of tokens and head the scores.
// Measured on the Go backend with one layer of width 384, 4096 tokens: 136 MB at length 24, 152
// MB at 64; estimated: 165 MB and 188 MB.
func (c *Config) intermediate(rows, length int) int64 {
	const float32Bytes, states, inner, scores = 4, 8, 4, 3
	token := states*c.HiddenSize + inner*c.IntermediateSize + scores*c.NumAttentionHeads*length
	return int64(rows) * int64(length) * int64(token) * float32Bytes
}

// intermediate is that of the network's layers, or of its head if that takes more.
func (b *batched) intermediate(rows, length int) int64 {
	return max(b.model.config.intermediate(rows, length), headBytes(b.head, rows*length))
}

// headBytes estimates the bytes of a head's values for so many tokens, from above, with room for
// three copies: the values, a copy without padding or with the activation applied, and the mask of
// that copy, which has one byte a value.
func headBytes(values, tokens int) int64 {
	const float32Bytes, copies = 4, 3
	return copies * float32Bytes * int64(values) * int64(tokens)
}

// KeptBytes estimates the bytes that training keeps for the gradient, for so many tokens in
// sequences of a length. For each token and layer it counts what a layer of BERT keeps in float32
// (Korthikanti et al. 2022, equation 1: 17 widths) and five times the attention weights. With
// checkpointing training keeps the input of each layer, and the rest for one layer at a time.
func KeptBytes(layers, width, heads, length, tokens float64, checkpointing bool) float64 {
	const float32Bytes, widths, scores = 4, 17, 5
	layer := widths*width + scores*heads*length
	if checkpointing {
		return float32Bytes * tokens * (layers*width + layer)
	}
	return float32Bytes * tokens * layers * layer
}

// KeptBytes is KeptBytes for the network of c.
func (c *Config) KeptBytes(length, tokens int, checkpointing bool) int64 {
	return int64(KeptBytes(float64(c.NumHiddenLayers), float64(c.HiddenSize), float64(c.NumAttentionHeads), float64(length), float64(tokens), checkpointing))
}

// BatchBytes estimates the most memory that a batch of a network takes on the Go backend if texts
// have that length, with a head that computes so many values for each token: see intermediate.
func BatchBytes(width, heads, head int, length float64) float64 {
	c := Config{HiddenSize: width, IntermediateSize: 4 * width, NumAttentionHeads: heads}
	tokens := goTokens(width)
	layer := float64(c.intermediate(1, max(1, int(length)))) / max(1, length) * float64(tokens)
	return max(layer, float64(headBytes(head, tokens)))
}

// BackendError is an error of the backend that compiles and runs programs. Backends return errors
// as untyped text, so a cause is found by searching for words. Only backend errors are searched,
// because the text of another error may contain the name of a file.
type BackendError struct{ Err error }

func (e *BackendError) Error() string { return e.Err.Error() }
func (e *BackendError) Unwrap() error { return e.Err }

// OfBackend marks an error as a BackendError; nil stays nil.
func OfBackend(err error) error {
	if err == nil {
		return nil
	}
	return &BackendError{err}
}

// OutOfMemory reports whether a backend ran out of memory: XLA's status, which go-xla reports by
// number (PJRT's messages lack its name), an error of the CUDA driver or one of its libraries, or
// an allocator's message.
func OutOfMemory(err error) bool {
	return BackendSays(err, "resource_exhausted", "resource exhausted", "pjrt error (code=8)", "out of memory", "out_of_memory", "failed to allocate", "status_alloc_failed")
}

// BackendSays reports whether err is, or wraps, an error of a backend that contains one of these
// words, given in lower case.
func BackendSays(err error, words ...string) bool {
	e, ok := errors.AsType[*BackendError](err)
	return ok && slices.ContainsFunc(words, func(word string) bool { return strings.Contains(strings.ToLower(e.Err.Error()), word) })
}
