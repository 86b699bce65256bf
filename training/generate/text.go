package generate

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/training/encoder"
)

// text is what a generator has read so far.
type text struct {
	g      *Generator
	length int // tokens read
	room   int
	cache  []*tensors.Tensor
	shared bool // the cache belongs to another text
}

// newText is an empty text.
func (g *Generator) newText() *text {
	t := &text{g: g, room: min(firstRoom, g.limit)}
	shapes, err := g.lm.CacheShapes(t.room)
	if err != nil {
		panic(err) // Open has asked
	}
	for _, s := range shapes {
		t.cache = append(t.cache, tensors.FromShape(s))
	}
	return t
}

// branch is another text that begins like t, which must outlive it.
func (t *text) branch() *text {
	other := *t
	other.shared = true
	return &other
}

// close frees the cache.
func (t *text) close() {
	if !t.shared {
		free(t.cache)
	}
	t.cache = nil
}

// keep takes over a new cache.
func (t *text) keep(cache []*tensors.Tensor) {
	t.close()
	t.cache, t.shared = cache, false
}

// free gives memory back at once: the garbage collector does not see what a device
// holds. What fails is left to it.
func free(list []*tensors.Tensor) {
	for _, t := range list {
		_ = t.FinalizeAll()
	}
}

// mostAtOnce is how many tokens are read at a time: a long prompt takes no more memory
// than a short one, but for its cache.
const mostAtOnce = 256

// read continues the text with ids, of which there is one at least, and returns the
// logits of what follows the last.
func (t *text) read(ctx context.Context, ids []int32) ([]float32, error) {
	for len(ids) > mostAtOnce {
		if _, err := t.step(ctx, ids[:mostAtOnce], nil); err != nil {
			return nil, err
		}
		ids = ids[mostAtOnce:]
	}
	return t.step(ctx, ids, []int32{int32(len(ids) - 1)})
}

// step reads at most mostAtOnce ids and returns the logits after those at rows, one row
// after the other; without rows they are of no use.
func (t *text) step(ctx context.Context, ids, rows []int32) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for t.length+len(ids) > t.room {
		if err := t.grow(); err != nil {
			return nil, err
		}
	}
	if rows == nil {
		rows = []int32{0}
	}
	padded := ids
	if len(ids) > 1 { // one token at a time is a graph of its own
		padded = make([]int32, encoder.Bucket(len(ids), mostAtOnce))
		copy(padded, ids)
	}
	args := []any{padded, int32(t.length), rows}
	for _, kept := range t.cache {
		args = append(args, kept)
	}
	out, err := t.g.step.Call(args...)
	if err != nil {
		return nil, fmt.Errorf("read %d tokens after %d: %w", len(ids), t.length, err)
	}
	defer free(out[:1])
	t.keep(out[1:])
	t.length += len(ids)
	return tensors.CopyFlatData[float32](out[0])
}

// grow makes room for more tokens.
func (t *text) grow() error {
	if t.room == t.g.limit {
		return fmt.Errorf("%w: a text of more than %d tokens", ErrTruncated, t.g.limit)
	}
	args := make([]any, len(t.cache))
	for i, kept := range t.cache {
		args[i] = kept
	}
	out, err := t.g.grow.Call(args...)
	if err != nil {
		return fmt.Errorf("make room for more than %d tokens: %w", t.room, err)
	}
	t.keep(out)
	t.room = t.g.nextRoom(t.room)
	return nil
}
