package encoder

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Batching says how many sequences a network reads at a time. A batch has one of two
// sizes for each length, full ones and, where no more wait, small ones. On the Go
// backend a vector has the same bits in both and whatever is beside it: full batches
// are small ones side by side in one graph, so that vectors are a function of text,
// length, network and Memory. Elsewhere they agree to float32 rounding.
type Batching struct {
	Tokens int   // of a full batch, padding included; 0: what suits the Go backend
	Small  int   // of a batch where no more wait; 0: Tokens, so that there is one size, or half of what suits the Go backend
	Memory int64 // bytes that a batch's intermediate values may take; 0: no bound
}

// sizes is the batching with its numbers of tokens filled in.
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

// rows is the number of sequences in a batch of a length where so many wait: full
// batches are whole pieces, and what is left over is one where that computes less.
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

// SetBatching is Encoder's.
func (c *CrossEncoder) SetBatching(b Batching) { c.logits.batching = b }

// ErrMemory says that a text needs more memory than there is.
var ErrMemory = errors.New("out of memory")

// rows is the number of sequences in a batch of a length where so many wait and that
// much memory is there.
func (b *batched) rows(length, waiting int) (int, error) {
	rows := b.sizes().rows(length, waiting)
	b.mu.Lock()
	defer b.mu.Unlock()
	for failed := b.failed[length]; failed > 0 && rows >= failed && rows > 1; {
		rows /= 2
	}
	for b.batching.Memory > 0 && b.model.config.intermediate(rows, length) > b.batching.Memory {
		if rows == 1 {
			return 0, fmt.Errorf("a sequence of %d tokens takes about %d bytes, of %d that may be used: %w",
				length, b.model.config.intermediate(1, length), b.batching.Memory, ErrMemory)
		}
		rows /= 2
	}
	return rows, nil
}

// refused notes that a batch did not fit into memory.
func (b *batched) refused(rows, length int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed == nil {
		b.failed = map[int]int{}
	}
	b.failed[length] = rows
}

// goTokens is the size of a batch on the Go backend for a network of that width.
// Its fast matrix product takes tokens*width*width >= 2^22. Batches beyond twice
// that and beyond 512 tokens gained nothing (measured at widths 64 and 384, 64 to
// 4096 tokens), and padding costs more. Networks too narrow to get there with a
// batch of reasonable size do without.
func goTokens(width int) int {
	const usual, most = 512, 2048
	tokens := (2 << 22) / max(1, width*width)
	if tokens > most {
		return usual
	}
	return max(usual, tokens)
}

// intermediate estimates the bytes that a layer's values take, from above:
// for each token the states around attention and the feed-forward network, for
// each pair of tokens and head the scores. Measured on the Go backend with one
// layer of width 384, 4096 tokens: 136 MB at length 24, 152 MB at 64; estimated
// 165 MB and 188 MB.
func (c *Config) intermediate(rows, length int) int64 {
	const float32Bytes, states, inner, scores = 4, 8, 4, 3
	token := states*c.HiddenSize + inner*c.IntermediateSize + scores*c.NumAttentionHeads*length
	return int64(rows) * int64(length) * int64(token) * float32Bytes
}

// KeptBytes estimates the bytes that training keeps for the gradient, of so many tokens in
// sequences of a length: of each token and layer about what a layer of BERT keeps in float32
// (Korthikanti et al. 2022, equation 1: 17 widths) and the attention weights, five times.
// With checkpointing it keeps the input of each layer, and the rest of one at a time.
func KeptBytes(layers, width, heads, length, tokens float64, checkpointing bool) float64 {
	const float32Bytes, widths, scores = 4, 17, 5
	layer := widths*width + scores*heads*length
	if checkpointing {
		return float32Bytes * tokens * (layers*width + layer)
	}
	return float32Bytes * tokens * layers * layer
}

// KeptBytes is KeptBytes of the network.
func (c *Config) KeptBytes(length, tokens int, checkpointing bool) int64 {
	return int64(KeptBytes(float64(c.NumHiddenLayers), float64(c.HiddenSize), float64(c.NumAttentionHeads), float64(length), float64(tokens), checkpointing))
}

// BatchBytes estimates the most that a batch of a network takes on the Go backend, where
// the texts have that length: see intermediate.
func BatchBytes(width, heads, length float64) float64 {
	c := Config{HiddenSize: int(width), IntermediateSize: 4 * int(width), NumAttentionHeads: int(heads)}
	return float64(c.intermediate(1, max(1, int(length)))) / max(1, length) * float64(goTokens(int(width)))
}

// BackendError is an error of the backend that compiles and runs programs. Backends return
// text without a type, so only their own errors are searched for words that give a cause: the
// text of another error may be the name of a file.
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

// OutOfMemory reports whether a backend ran out of memory: XLA's status, which go-xla gives
// by its number (PJRT's messages lack its name), the error of the CUDA driver or of one of
// its libraries, or an allocator's message.
func OutOfMemory(err error) bool {
	return BackendSays(err, "resource_exhausted", "resource exhausted", "pjrt error (code=8)", "out of memory", "out_of_memory", "failed to allocate", "status_alloc_failed")
}

// BackendSays reports whether err is, or wraps, an error of a backend that contains one of
// these words, given in lower case.
func BackendSays(err error, words ...string) bool {
	e, ok := errors.AsType[*BackendError](err)
	return ok && slices.ContainsFunc(words, func(word string) bool { return strings.Contains(strings.ToLower(e.Err.Error()), word) })
}
