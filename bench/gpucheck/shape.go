package gpucheck

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"infbench/datasets/mixture"
	"infbench/internal/words"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/training"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// modelShape is a network with the sizes of a real model.
type modelShape struct {
	config        encoder.Config
	checkpointing bool // its activations do not fit on a card
}

// shapes are the models that gpu-check can imitate, by name. The sizes are those of their
// config.json on HuggingFace.
func shapes() map[string]modelShape {
	bert := func(width, layers, heads int) encoder.Config {
		return encoder.Config{
			ModelType: "bert", VocabSize: 30522, HiddenSize: width, NumHiddenLayers: layers, NumAttentionHeads: heads,
			IntermediateSize: 4 * width, HiddenAct: "gelu", MaxPositionEmbeddings: 512, TypeVocabSize: 2,
			Text: encoder.Text{Pooling: encoder.Mean},
		}
	}
	llama := encoder.Config{ // meta-llama/Llama-3.2-1B
		ModelType: "llama", VocabSize: 128256, HiddenSize: 2048, NumHiddenLayers: 16, NumAttentionHeads: 32, NumKeyValueHeads: 8,
		HeadDim: 64, IntermediateSize: 8192, HiddenAct: "silu", MaxPositionEmbeddings: 131072, NormEps: 1e-5, RopeTheta: 500000,
		RopeScaling: &encoder.RopeScaling{Type: "llama3", Factor: 32, Low: 1, High: 4, Positions: 8192},
		Text:        encoder.Text{Pooling: encoder.Last, MaxQuery: 512, MaxDocument: 512},
	}
	return map[string]modelShape{
		"tiny":         {config: encoder.TinyBERT()},
		"tiny-llama":   {config: encoder.TinyLlama(), checkpointing: true},
		"minilm-l6":    {config: bert(384, 6, 12)},  // sentence-transformers/all-MiniLM-L6-v2
		"e5-base":      {config: bert(768, 12, 12)}, // intfloat/e5-base-v2
		"llama-3.2-1b": {config: llama, checkpointing: true},
	}
}

func shapeNames() []string { return slices.Sorted(maps.Keys(shapes())) }

// shapeRow is one measurement.
type shapeRow struct {
	program, work string
	seconds       float64 // for a step, or for all texts
	tokens, flops float64 // in that time, without padding and repeated computation
	memory        int64   // peak in bytes; 0: unknown
}

// measureShape trains and encodes with infbench and then with PyTorch, which has the card to
// itself.
func measureShape(ctx context.Context, name string, o gpuCheckOptions, r report) error {
	s := shapes()[name]
	m, err := measureOurs(ctx, name, o, &s, r)
	if err != nil {
		return err
	}
	rows, note := torchRows(ctx, s, o, m.forward, m.steps, m.passages)
	for _, row := range rows {
		r.row(row)
	}
	if note != "" {
		fmt.Fprintln(r.w, note)
	}
	return nil
}

// measured is the work that PyTorch repeats.
type measured struct {
	forward  cost
	steps    []timedStep
	passages work
}

// measureOurs measures infbench. It sets the configuration of the shape to the one measured.
func measureOurs(ctx context.Context, name string, o gpuCheckOptions, s *modelShape, r report) (m measured, err error) {
	o.machine.Meter = &device.Meter{}
	defer o.machine.Meter.Stop()
	backend, err := o.machine.Open()
	if err != nil {
		return m, err
	}
	defer backend.Finalize()
	data := o.texts()
	tok, err := tokenizer.BuildWordPiece(catalog.Texts(data), randomWords+200)
	if err != nil {
		return m, err
	}
	c, longest := &s.config, cmp.Or(o.length, longestText)
	c.VocabSize = max(c.VocabSize, tok.VocabSize())
	c.MaxPositionEmbeddings = max(c.MaxPositionEmbeddings, longest)
	c.Text.MaxQuery, c.Text.MaxDocument = max(c.Text.MaxQuery, longest), max(c.Text.MaxDocument, longest)
	enc, err := encoder.New(s.config, tok, 1, backend)
	if err != nil {
		return m, err
	}
	enc.SetBatching(o.machine.Batching())
	var weights int
	m.forward, weights = costOf(s.config, enc)

	watch := r.card.watch(ctx)
	if m.steps, err = o.train(ctx, enc, *s, data); err != nil {
		return m, err
	}
	step := m.steps[middle(m.steps)]
	r.begin(name, weights, step.work)
	r.row(shapeRow{
		program: "infbench", work: "train " + o.precision, seconds: step.seconds, tokens: step.work.tokens(),
		flops: 3 * m.forward.total(step.work), memory: watch.stop(),
	})
	m.passages = passagesOf(enc, data)
	for _, precision := range o.encodings() {
		watch = r.card.watch(ctx)
		seconds, err := encode(ctx, enc, data, precision)
		if err != nil {
			return m, err
		}
		r.row(shapeRow{
			program: "infbench", work: "encode " + string(precision), seconds: seconds, tokens: m.passages.tokens(),
			flops: m.forward.total(m.passages), memory: watch.stop(),
		})
	}
	o.machine.Meter.Stop()
	if made := o.machine.Meter.Compiled(); made.Programs > 0 {
		fmt.Fprintf(r.w, "infbench compiled %s in %.0f s, which these rows leave out\n", words.Plural(made.Programs, "program", "programs"), made.Time.Seconds())
	}
	return m, nil
}

// work is a list of texts to embed, as numbers of tokens.
type work []int

func (w work) tokens() float64 {
	total := 0
	for _, n := range w {
		total += n
	}
	return float64(total)
}

// squares is the number of pairs of tokens that attend to each other.
func (w work) squares() (total float64) {
	for _, n := range w {
		total += float64(n) * float64(n)
	}
	return total
}

// String is "24 sequences of 16 tokens", or "24 sequences of 9 to 112 tokens, 61 on average".
func (w work) String() string {
	least, most := slices.Min(w), slices.Max(w)
	if least == most {
		return fmt.Sprintf("%d sequences of %d tokens", len(w), least)
	}
	return fmt.Sprintf("%d sequences of %d to %d tokens, %.0f on average,", len(w), least, most, w.tokens()/float64(len(w)))
}

// cost is the number of operations of a forward pass.
type cost struct{ token, pair float64 }

func (c cost) total(w work) float64 { return c.token*w.tokens() + c.pair*w.squares() }

// costOf counts two operations for each weight in a matrix that multiplies a token, and for
// each product of queries with keys and of attention weights with values.
func costOf(c encoder.Config, enc *encoder.Encoder) (forward cost, weights int) {
	matrices := 0
	for v := range enc.Store().IterVariables() {
		weights += v.Shape().Size()
		if v.Shape().Rank() == 2 && !strings.Contains(v.Path(), "embed") {
			matrices += v.Shape().Size()
		}
	}
	return cost{2 * float64(matrices), 4 * float64(c.NumHiddenLayers*c.HiddenSize)}, weights
}

// timedStep is a training step with its duration.
type timedStep struct {
	work    work
	seconds float64
}

// middle is the step with the median speed: a step with another speed may have compiled a
// graph.
func middle(list []timedStep) int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, k int) int {
		return cmp.Compare(list[i].seconds/list[i].work.tokens(), list[k].seconds/list[k].work.tokens())
	})
	return order[len(order)/2]
}

// train does the steps twice: the first time compiles graphs, the second is timed.
func (o gpuCheckOptions) train(ctx context.Context, enc *encoder.Encoder, s modelShape, data mixture.Data) ([]timedStep, error) {
	loss, err := training.ParseLoss(o.loss)
	if err != nil {
		return nil, err
	}
	c := training.DefaultConfig()
	c.Epochs, c.RowsPerGroup, c.Groups, c.Chunk, c.Seed = 2, 3*o.records, o.groups, o.chunk, 1
	c.Precision, c.Checkpointing = encoder.Precision(o.precision), o.checkpointing(s)
	lengths, err := training.Lengths(c, loss, enc, data)
	if err != nil {
		return nil, err
	}
	steps := make([]timedStep, len(lengths))
	last := time.Now()
	_, err = training.Train(ctx, c, loss, enc, data, training.Options{OnStep: func(s training.Step) {
		now := time.Now()
		steps[s.Step-1] = timedStep{lengths[s.Step-1], now.Sub(last).Seconds()}
		last = now
	}})
	return steps[len(steps)/2:], err
}

// encodings are the precisions in which texts are encoded.
func (o gpuCheckOptions) encodings() []encoder.Precision {
	return slices.Compact([]encoder.Precision{encoder.Float32, encoder.Precision(o.precision)})
}

// passagesOf are the passages of the data that encode embeds.
func passagesOf(enc *encoder.Encoder, data mixture.Data) (w work) {
	for _, row := range training.Rows(data) {
		w = append(w, len(enc.Tokens().Document("", row.Passage)))
	}
	return w
}

// encode embeds all passages twice, once to compile and once timed, and returns seconds.
func encode(ctx context.Context, enc *encoder.Encoder, data mixture.Data, precision encoder.Precision) (float64, error) {
	if err := enc.SetPrecision(precision); err != nil {
		return 0, err
	}
	var list []string
	for _, row := range training.Rows(data) {
		list = append(list, row.Passage)
	}
	titles, dst := make([]string, len(list)), make([]float32, len(list)*enc.Dim())
	if err := enc.EncodeDocuments(ctx, titles, list, dst); err != nil {
		return 0, err
	}
	began := time.Now()
	err := enc.EncodeDocuments(ctx, titles, list, dst)
	return time.Since(began).Seconds(), err
}
