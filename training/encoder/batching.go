package encoder

import (
	"errors"
	"fmt"
	"strings"
)

// Batching says how many sequences a network reads at a time. On the Go backend
// a vector has the same bits whatever is in the batch beside it as long as the
// batch has the same shape, so there a batch has one size for each length, which
// the length, the network and Memory decide: vectors are a function of the text.
// Where the size changes they agree to float32 rounding.
type Batching struct {
	Tokens int   // of a full batch, padding included; 0: what suits the Go backend
	Small  int   // of a batch where no more wait; 0: Tokens, so that there is one size
	Memory int64 // bytes that a batch's intermediate values may take; 0: no bound
}

// SetBatching changes how texts are batched. Call it before encoding.
func (e *Encoder) SetBatching(b Batching) { e.vectors.batching, e.pairs.batching = b, b }

// SetBatching is Encoder's.
func (c *CrossEncoder) SetBatching(b Batching) { c.logits.batching = b }

// ErrMemory says that a text needs more memory than there is.
var ErrMemory = errors.New("out of memory")

// rows is the number of sequences in a batch of a length when so many wait.
func (b *batched) rows(length, waiting int) (int, error) {
	tokens := b.batching.Tokens
	if tokens == 0 {
		tokens = goTokens(b.model.config.HiddenSize)
	}
	if small := b.batching.Small; waiting*length <= small {
		tokens = min(tokens, small)
	}
	rows := max(1, tokens/length)
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

// outOfMemory recognises what backends say: XLA's status, the CUDA driver's
// error, an allocator's message, and our own estimate.
func outOfMemory(err error) bool {
	if err == nil {
		return false
	}
	text := strings.ToLower(err.Error())
	for _, sign := range []string{"resource_exhausted", "resource exhausted", "out of memory", "out_of_memory", "failed to allocate"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}
