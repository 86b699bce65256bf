package cost

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"infbench/bench/device"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// What is measured to foresee how fast a network runs: itself where it is tiny,
// else one layer of BERT's base size, whose products are as large as they get
// before memory and caches decide.
const (
	tinyWidth  = 128 // up to which a network counts as tiny
	layerWidth = 768
)

// throughputs remembers measured speeds by whether the network is tiny.
type throughputs struct {
	machine device.Options
	known   map[bool]float64
}

// of is how many floating-point operations a second this build does on the device
// when it encodes with a network of the shape: two for each working weight and
// token, which is what costs are counted in.
func (t *throughputs) of(ctx context.Context, s shape) (float64, error) {
	tiny := s.Width > 0 && s.Width <= tinyWidth
	if rate, ok := t.known[tiny]; ok {
		return rate, nil
	}
	c := encoder.TinyBERT()
	if !tiny {
		c.HiddenSize, c.IntermediateSize, c.NumAttentionHeads = layerWidth, 4*layerWidth, layerWidth/64
	}
	rate, err := t.measure(ctx, c)
	if err != nil {
		return 0, fmt.Errorf("measure speed on %s: %w", t.machine.Device, err)
	}
	t.known[tiny] = rate
	return rate, nil
}

// How long and how much is measured. The first pass builds the graph.
const (
	measureFor   = 250 * time.Millisecond
	measureTexts = 32
	measureWords = 30 // a token each
)

func (t *throughputs) measure(ctx context.Context, c encoder.Config) (float64, error) {
	backend, err := t.machine.Open()
	if err != nil {
		return 0, err
	}
	defer backend.Finalize()
	text := strings.TrimSpace(strings.Repeat("word ", measureWords))
	tok, err := tokenizer.BuildWordPiece(slices.Values([]string{text}), 100)
	if err != nil {
		return 0, err
	}
	enc, err := encoder.New(c, tok, 1, backend)
	if err != nil {
		return 0, err
	}
	shape, err := tinyShape(c)
	if err != nil {
		return 0, err
	}
	enc.SetBatching(t.machine.Batching())
	texts := slices.Repeat([]string{text}, measureTexts)
	titles := make([]string, len(texts))
	dst := make([]float32, len(texts)*enc.Dim())
	pass := func() error { return enc.EncodeDocuments(ctx, titles, texts, dst) }
	if err := pass(); err != nil {
		return 0, err
	}
	began, passes := time.Now(), 0
	for time.Since(began) < measureFor {
		if err := pass(); err != nil {
			return 0, err
		}
		passes++
	}
	seconds := time.Since(began).Seconds()
	tokens := float64(passes * measureTexts * (measureWords + 2)) // [CLS] and [SEP]
	return 2 * float64(shape.working) * tokens / seconds, nil
}
