package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"infbench/runners/device"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// modelFolder is the HuggingFace folder of a bout's network, and idsFile has the tokens of
// its texts for sides without a tokenizer.
const (
	modelFolder = "model"
	textsFile   = "texts.json"
	idsFile     = "ids.json"
)

// bertOf returns the configuration of a BERT with random weights.
func bertOf(layers, width, heads, vocabulary int) encoder.Config {
	return encoder.Config{
		ModelType: "bert", HiddenSize: width, NumHiddenLayers: layers, NumAttentionHeads: heads, IntermediateSize: 4 * width,
		HiddenAct: "gelu", MaxPositionEmbeddings: 512, VocabSize: vocabulary, TypeVocabSize: 2, NormEps: 1e-12,
		Text: encoder.Text{Pooling: encoder.Mean, Normalize: true, MaxQuery: 512, MaxDocument: 512},
	}
}

// miniLM is a network of the shape of all-MiniLM-L6-v2, demoBERT one of the demo's.
func (j *job) miniLM() encoder.Config {
	if j.Small {
		return bertOf(2, 32, 4, 2000)
	}
	return bertOf(6, 384, 12, 30522)
}

func (j *job) demoBERT() encoder.Config {
	if j.Small {
		return bertOf(1, 32, 4, 2000)
	}
	return bertOf(4, 128, 4, 8000)
}

// writeModel saves a network with random weights into the folder of a job.
func (j *job) writeModel(config encoder.Config, tok *tokenizer.Tokenizer) (*encoder.Encoder, error) {
	backend, err := device.OpenBackend(device.GoDevice)
	if err != nil {
		return nil, err
	}
	e, err := encoder.New(config, tok, 1, backend)
	if err != nil {
		return nil, err
	}
	return e, e.Save(j.path(modelFolder))
}

// openModel opens the pretrained network of a job, else the written one, as every verb opens a
// model's folder.
func (j *job) openModel() (*encoder.Encoder, error) {
	o := device.Options{Device: device.GoDevice}
	backend, err := o.Open()
	if err != nil {
		return nil, err
	}
	e, err := encoder.Open(cmp.Or(j.Model, j.path(modelFolder)), backend)
	if err != nil {
		return nil, err
	}
	e.SetBatching(o.Batching())
	return e, nil
}

// vocabulary returns words of one token each, and a tokenizer with size tokens.
func vocabulary(size int) (*tokenizer.Tokenizer, []string, error) {
	words := make([]string, size-100) // besides characters and special tokens
	for i := range words {
		words[i] = fmt.Sprintf("w%d", i)
	}
	tok, err := tokenizer.BuildWordPiece(slices.Values([]string{strings.Join(words, " ")}), size)
	return tok, words, err
}

// randomTexts returns texts with a number of words each.
func randomTexts(rng *rand.Rand, words []string, n, length int) []string {
	texts := make([]string, n)
	for i := range texts {
		text := make([]string, length)
		for k := range text {
			text[k] = words[rng.IntN(len(words))]
		}
		texts[i] = strings.Join(text, " ")
	}
	return texts
}

// writeTexts writes texts for our side and their tokens for the others.
func (j *job) writeTexts(e *encoder.Encoder, texts []string) error {
	ids := make([][]int32, len(texts))
	for i, text := range texts {
		ids[i] = e.Tokens().Document("", text)
	}
	if err := writeJSON(j.path(textsFile), texts); err != nil {
		return err
	}
	return writeJSON(j.path(idsFile), ids)
}

// encodeSide embeds the texts as documents, in float32.
func encodeSide(ctx context.Context, j *job) (map[string][]float64, error) {
	return j.encode(ctx, "encode", encoder.Float32)
}

func encodeBFloat16Side(ctx context.Context, j *job) (map[string][]float64, error) {
	return j.encode(ctx, "encode_bf16", encoder.BFloat16)
}

func (j *job) encode(ctx context.Context, name string, precision encoder.Precision) (map[string][]float64, error) {
	var texts []string
	if err := readJSON(j.path(textsFile), &texts); err != nil {
		return nil, err
	}
	e, err := j.openModel()
	if err != nil {
		return nil, err
	}
	if err := e.SetPrecision(precision); err != nil {
		return nil, err
	}
	dst := make([]float32, len(texts)*e.Dim())
	seconds, err := j.repeat(func() error { return e.EncodeDocuments(ctx, make([]string, len(texts)), texts, dst) })
	if err == nil && j.Check {
		err = writeFloats(j.path(name+".f32"), dst)
	}
	return map[string][]float64{"encode": seconds}, err
}
