// Package generate writes texts with decoder language models (gemma3_text, llama, mistral, qwen2,
// qwen3) of local HuggingFace folders: greedily or by sampling, with a cache of keys and
// values, and says how probable given answers are. Chat makes such a model answer as
// datasets/chat asks. It trains nothing and opens no backend.
package generate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// Generator is a language model that writes texts, one at a time: it is safe for
// concurrent use, and requests wait for each other.
type Generator struct {
	tokenizer *tokenizer.Tokenizer
	folder    folder
	limit     int   // tokens of a text
	row       int64 // bytes of the cache for each

	mu   sync.Mutex
	lm   *encoder.LanguageModel
	step *model.Exec // reads tokens
	grow *graph.Exec // makes room in a cache
}

// Options bound what a generator takes.
type Options struct {
	Memory    int64 // bytes of the cache of keys and values; 0: no bound
	Precision encoder.Precision
}

// Open reads a *ForCausalLM folder with its tokenizer, generation_config.json and chat
// template.
func Open(dir string, backend compute.Backend, o Options) (*Generator, error) {
	lm, err := encoder.OpenLanguageModel(dir, backend)
	if err != nil {
		return nil, err
	}
	g := &Generator{lm: lm, tokenizer: lm.Model().Tokenizer()}
	if err := g.prepare(dir, o); err != nil {
		return nil, fmt.Errorf("open language model %s: %w", dir, err)
	}
	return g, nil
}

func (g *Generator) prepare(dir string, o Options) (err error) {
	if g.tokenizer == nil {
		return errors.New("it has no tokenizer: want tokenizer.json, vocab.json or tokenizer.model")
	}
	if _, err := g.tokenizer.Decode(nil); err != nil {
		return err
	}
	if err := g.lm.Model().SetPrecision(o.Precision); err != nil {
		return err
	}
	if g.folder, err = readFolder(dir, g.tokenizer, g.lm.Model().Config().VocabSize); err != nil {
		return err
	}
	if err := g.bound(o.Memory); err != nil {
		return err
	}
	return g.compile()
}

// leastTokens is the shortest text worth a model.
const leastTokens = 64

// ErrTruncated is the class of answers that did not end: as many tokens as were asked
// for, or as have room, and no end among them.
var ErrTruncated = errors.New("the answer is cut off")

// ErrMemory says that a cache has no room for even a short text.
var ErrMemory = encoder.ErrMemory

// copies is how often the keys and values of a text are in memory at most: the text's, and
// those of one that branches off before a step and after it.
const copies = 3

// bound sets how long texts may become: as the network reads, and as memory holds.
func (g *Generator) bound(memory int64) error {
	shapes, err := g.lm.CacheShapes(1)
	if err != nil {
		return err
	}
	for _, s := range shapes {
		g.row += int64(s.ByteSize())
	}
	const unbounded = 1 << 20
	g.limit = unbounded
	if most := g.lm.MaxTokens(); most > 0 {
		g.limit = most
	}
	if memory <= 0 {
		return nil
	}
	if held := memory / (copies * g.row); held < int64(g.limit) {
		g.limit = int(held)
	}
	if least := min(leastTokens, g.lm.MaxTokens()); g.limit < least {
		return fmt.Errorf("a text of %d tokens takes %d bytes for keys and values, of %d that may be used: %w",
			least, g.Bytes(least), memory, ErrMemory)
	}
	return nil
}

// compile prepares the graphs, which are built for every shape when it comes.
func (g *Generator) compile() (err error) {
	g.step, err = model.NewExec(g.lm.Model().Backend(), g.lm.Model().Store(), func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		logits, kept := g.lm.Continue(in[0], in[1], in[2], in[3:])
		return append([]*graph.Node{logits}, kept...)
	})
	if err != nil {
		return err
	}
	g.step.SetMaxCache(-1)
	g.grow, err = graph.NewExec(g.lm.Model().Backend(), func(in []*graph.Node) []*graph.Node {
		for i, x := range in {
			d := slices.Clone(x.Shape().Dimensions)
			d[1] = g.nextRoom(d[1]) - d[1]
			more := x.Shape().Clone()
			more.Dimensions = d
			in[i] = graph.Concatenate([]*graph.Node{x, graph.Zeros(x.Graph(), more)}, 1)
		}
		return in
	})
	if err != nil {
		return err
	}
	g.grow.SetMaxCache(-1)
	return nil
}

// firstRoom is the room that a cache begins with. It doubles when it is full, so that a
// text costs what its own length does, and there are few graphs.
const firstRoom = 128

func (g *Generator) nextRoom(room int) int { return min(2*room, max(g.limit, 1)) }

// Limit is the longest text, prompt and answer together, in tokens.
func (g *Generator) Limit() int { return g.limit }

// Bytes is what the keys and values of a text of so many tokens take at most.
func (g *Generator) Bytes(tokens int) int64 { return copies * g.row * int64(tokens) }

// Tokenizer returns the model's tokenizer.
func (g *Generator) Tokenizer() *tokenizer.Tokenizer { return g.tokenizer }

// Stops are the ids that end a text.
func (g *Generator) Stops() []int32 { return g.folder.stops }

// Written is what a model wrote.
type Written struct {
	IDs []int32 // without the token that ended it

	// Ended says that the model, or what watched it, ended the text; else there was no
	// room for more.
	Ended bool
}

// Write continues prompt by at most most tokens (0: as many as have room), each chosen by
// s. done, which may be nil, is asked after each whether the text is over.
func (g *Generator) Write(ctx context.Context, prompt []int32, most int, s Sampling, done func(ids []int32) (bool, error)) (Written, error) {
	if err := errors.Join(s.check(), g.fits(prompt)); err != nil {
		return Written{}, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.newText()
	defer t.close()
	w, choose := Written{}, s.chooser()
	logits, err := t.read(ctx, prompt)
	for err == nil {
		id, choice := choose(logits)
		if choice != nil {
			return w, choice
		}
		if slices.Contains(g.folder.stops, id) {
			w.Ended = true
			return w, nil
		}
		w.IDs = append(w.IDs, id)
		if done != nil {
			if w.Ended, err = done(w.IDs); w.Ended || err != nil {
				return w, err
			}
		}
		if len(w.IDs) == most || t.length == g.limit {
			return w, nil
		}
		logits, err = t.read(ctx, []int32{id})
	}
	return w, err
}

// fits refuses a prompt that leaves no room for an answer.
func (g *Generator) fits(prompt []int32) error {
	if len(prompt) == 0 {
		return errors.New("the prompt has no tokens")
	}
	if len(prompt) > g.limit {
		return fmt.Errorf("%w: the prompt has %d tokens, of %d that a text may have", ErrTruncated, len(prompt), g.limit)
	}
	return nil
}
