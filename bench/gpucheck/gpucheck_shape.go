package gpucheck

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"infbench/bench/catalog"
	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/training"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// modelShape is a network of a real model's sizes.
type modelShape struct {
	config        encoder.Config
	checkpointing bool // its activations are more than a card holds
}

// shapes lists the models that gpu-check can imitate, by name. Sizes are those of
// their config.json on HuggingFace.
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

// shapeMeasures is what gpu-check found of one shape.
type shapeMeasures struct {
	name                       string
	weights, sequences, length int
	rows                       []shapeRow
	notes                      []string
}

// shapeRow is one measurement.
type shapeRow struct {
	program, work string
	seconds       float64 // of a step, or of all texts
	tokens, flops float64 // in that time, padding and repeated computation left out
	memory        int64   // most in use, in bytes; 0: unknown
}

// measureShape trains and encodes, here and in PyTorch.
func measureShape(ctx context.Context, name string, o gpuCheckOptions, card gpuCard) (shapeMeasures, error) {
	s := shapes()[name]
	m := shapeMeasures{name: name, length: o.length}
	backend, err := o.machine.Open()
	if err != nil {
		return m, err
	}
	defer backend.Finalize()
	data := RandomRecords(o.records*o.groups*(o.steps+2), o.length)
	tok, err := tokenizer.BuildWordPiece(catalog.Texts(data), randomWords+200)
	if err != nil {
		return m, err
	}
	c := &s.config
	c.VocabSize = max(c.VocabSize, tok.VocabSize())
	c.MaxPositionEmbeddings = max(c.MaxPositionEmbeddings, o.length)
	c.Text.MaxQuery, c.Text.MaxDocument = max(c.Text.MaxQuery, o.length), max(c.Text.MaxDocument, o.length)
	enc, err := encoder.New(s.config, tok, 1, backend)
	if err != nil {
		return m, err
	}
	enc.SetBatching(o.machine.Batching())
	var matrices int // weights that every token is multiplied with
	for v := range enc.Store().IterVariables() {
		m.weights += v.Shape().Size()
		if v.Shape().Rank() == 2 && !strings.Contains(v.Path(), "embed") {
			matrices += v.Shape().Size()
		}
	}
	attention := 2 * s.config.NumHiddenLayers * o.length * s.config.HiddenSize // two products of queries with keys, values
	forward := 2 * float64(matrices+attention)                                 // operations a token

	watch := card.watch(ctx)
	trained, err := o.train(ctx, enc, s, data)
	if err != nil {
		return m, err
	}
	m.sequences = trained.sequences(o.length)
	m.rows = append(m.rows, shapeRow{
		program: "infbench", work: "train " + o.precision, seconds: trained.seconds, tokens: trained.tokens,
		flops: 3 * forward * trained.tokens, memory: watch.stop(),
	})
	watch = card.watch(ctx)
	row, err := o.encode(ctx, enc, data)
	if err != nil {
		return m, err
	}
	row.flops, row.memory = forward*row.tokens, watch.stop()
	m.rows = append(m.rows, row)

	rows, note := torchRows(ctx, s, o, m.sequences)
	for _, r := range rows {
		r.flops = forward * r.tokens
		if strings.HasPrefix(r.work, "train") {
			r.flops *= 3
		}
		m.rows = append(m.rows, r)
	}
	if note != "" {
		m.notes = append(m.notes, note)
	}
	return m, nil
}

// timedSteps are training steps after those that compile.
type timedSteps struct {
	seconds, tokens float64 // of the median step
}

// sequences is how many of a length a step reads.
func (t timedSteps) sequences(length int) int { return int(t.tokens) / length }

// train takes the steps.
func (o gpuCheckOptions) train(ctx context.Context, enc *encoder.Encoder, s modelShape, data mixture.Data) (timedSteps, error) {
	loss, err := training.ParseLoss(o.loss)
	if err != nil {
		return timedSteps{}, err
	}
	c := training.DefaultConfig()
	c.Epochs, c.RowsPerGroup, c.Groups, c.Chunk, c.Seed = 1, 3*o.records, o.groups, o.chunk, 1
	c.Precision, c.Checkpointing = encoder.Precision(o.precision), o.checkpointing(s)
	var seconds, tokens []float64
	last := time.Now()
	_, err = training.Train(ctx, c, loss, enc, data, training.Options{OnStep: func(s training.Step) {
		now := time.Now()
		if s.Step > 2 {
			seconds, tokens = append(seconds, now.Sub(last).Seconds()), append(tokens, float64(s.Tokens))
		}
		last = now
	}})
	if err != nil {
		return timedSteps{}, err
	}
	return timedSteps{seconds: median(seconds), tokens: median(tokens)}, nil
}

// encode embeds all passages of the data, once to compile and once timed.
func (o gpuCheckOptions) encode(ctx context.Context, enc *encoder.Encoder, data mixture.Data) (shapeRow, error) {
	var list []string
	for _, row := range training.Rows(data) {
		list = append(list, row.Passage)
	}
	titles, dst := make([]string, len(list)), make([]float32, len(list)*enc.Dim())
	if err := enc.EncodeDocuments(ctx, titles, list, dst); err != nil {
		return shapeRow{}, err
	}
	began := time.Now()
	if err := enc.EncodeDocuments(ctx, titles, list, dst); err != nil {
		return shapeRow{}, err
	}
	return shapeRow{
		program: "infbench", work: "encode float32", seconds: time.Since(began).Seconds(), tokens: float64(len(list) * o.length),
	}, nil
}

// median of a list that is not empty.
func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// randomWords is the number of different words of random records.
const randomWords = 1000

// RandomRecords makes records whose texts have exactly length tokens: an
// instruction with its query and [CLS] and [SEP], and so a passage.
func RandomRecords(n, length int) mixture.Data {
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(words int) string {
		list := make([]string, words)
		for i := range list {
			list[i] = fmt.Sprintf("w%d", rng.IntN(randomWords))
		}
		return strings.Join(list, " ")
	}
	query := (length - 2) / 4
	instruction, passage := length-2-query, length-2
	list := make([]datasets.Record, n)
	for i := range list {
		list[i] = datasets.Triplet{
			ID:            fmt.Sprint(i),
			QueryPositive: text(query), QueryNegative: text(query),
			InstructionPositive: text(instruction), InstructionNegative: text(instruction),
			Positive: text(passage), HardNegative1: text(passage), HardNegative2: text(passage),
		}.Record()
	}
	return mixture.Data{{Shape: datasets.TripletShape, Records: list}}
}
