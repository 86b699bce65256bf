package encoder

// The tiny networks are the smallest of their families that learn to follow instructions on
// generated data in half a minute on one core (spec/miniworld.md): one layer, one head, so that
// the Go backend multiplies large matrices without transposing. New takes the vocabulary size
// from the tokenizer. All have width 64 and similar numbers of weights: a gated feed-forward part
// has three matrices where BERT's has two, and is half as wide.

// TinyBERT is tiny-bert. It uses ReLU, because erf costs as much as a matrix product there.
func TinyBERT() Config {
	c := tinyConfig("bert", 128)
	c.HiddenAct = "relu"
	c.TypeVocabSize = 2
	c.NormEps = 1e-6
	return c
}

// TinyModernBERT is tiny-modernbert, whose only layer attends globally.
func TinyModernBERT() Config { return tinyConfig("modernbert", 64) }

// TinyLlama is tiny-llama, in which no token attends to later ones. It pools all tokens, unlike
// decoders pretrained on real text: one layer does not learn in this time to gather the content
// of instructions in the last token.
func TinyLlama() Config {
	c := tinyConfig("llama", 64)
	c.HiddenAct = "silu"
	return c
}

// TinyQwen2 is tiny-qwen2: tiny-llama with the biases and slower turns of Qwen2.
func TinyQwen2() Config {
	c := TinyLlama()
	c.ModelType = "qwen2"
	c.RopeTheta = 1e6
	return c
}

// TinyQwen3 is tiny-qwen3: tiny-llama with the norms of queries and keys and the
// slower turns of Qwen3.
func TinyQwen3() Config {
	c := TinyLlama()
	c.ModelType = "qwen3"
	c.RopeTheta = 1e6
	return c
}

// Tiny lists the tiny networks by name.
func Tiny() map[string]Config {
	return map[string]Config{
		"tiny-bert":       TinyBERT(),
		"tiny-modernbert": TinyModernBERT(),
		"tiny-llama":      TinyLlama(),
		"tiny-qwen2":      TinyQwen2(),
		"tiny-qwen3":      TinyQwen3(),
	}
}

// tinyConfig is the common part; inner is the width of the feed-forward part.
func tinyConfig(family string, inner int) Config {
	return Config{
		ModelType:             family,
		HiddenSize:            64,
		NumHiddenLayers:       1,
		NumAttentionHeads:     1,
		IntermediateSize:      inner,
		MaxPositionEmbeddings: 64,
		Text: Text{
			Pooling:     Mean,
			Normalize:   true,
			MaxQuery:    40,
			MaxDocument: 40,
		},
	}
}
