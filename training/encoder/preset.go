package encoder

// TinyBERT is a network that learns to follow instructions on generated data
// in half a minute on one core (spec/miniworld.md): one layer, one head, so
// that the Go backend multiplies large matrices without transposing, ReLU
// because erf costs as much as a matrix product there. New takes the
// vocabulary size from the tokenizer.
func TinyBERT() Config {
	return Config{
		ModelType:             "bert",
		HiddenSize:            64,
		NumHiddenLayers:       1,
		NumAttentionHeads:     1,
		IntermediateSize:      128,
		HiddenAct:             "relu",
		MaxPositionEmbeddings: 64,
		TypeVocabSize:         2,
		NormEps:               1e-6,
		Text: Text{
			Pooling:     Mean,
			Normalize:   true,
			MaxQuery:    40,
			MaxDocument: 40,
		},
	}
}
