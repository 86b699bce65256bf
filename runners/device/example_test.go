package device_test

import (
	"context"
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/runners/device"
	"infbench/training"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// Train a new, tiny BERT with the loss multi(P,I) on four triplets.
func ExampleOpenBackend() {
	part := mixture.Part{Shape: datasets.TripletShape}
	var texts []string
	for _, color := range []string{"red", "blue", "green", "black"} {
		triplet := datasets.Triplet{
			ID:                  color,
			InstructionPositive: "only fruit", InstructionNegative: "only cars",
			QueryPositive: color, QueryNegative: "price of " + color,
			Positive:      "a " + color + " apple",
			HardNegative1: "a " + color + " car",
			HardNegative2: "what a " + color + " apple costs",
		}
		part.Records = append(part.Records, triplet.Record())
		texts = append(texts, triplet.Record().Texts()...)
	}
	words, err := tokenizer.BuildWordPiece(slices.Values(texts), 200)
	if err != nil {
		panic(err)
	}
	backend, err := device.OpenBackend("go")
	if err != nil {
		panic(err)
	}
	defer backend.Finalize()
	network, err := encoder.New(encoder.TinyBERT(), words, 1, backend)
	if err != nil {
		panic(err)
	}
	loss, err := training.ParseLoss("multi(P,I)")
	if err != nil {
		panic(err)
	}
	config := training.DefaultConfig()
	config.Epochs, config.LearningRate = 20, 1e-3
	summary, err := training.Train(context.Background(), config, loss, network, mixture.Data{part}, training.Options{})
	if err != nil {
		panic(err)
	}
	first, last := summary.Curve[0], summary.Curve[summary.Steps-1]
	fmt.Printf("%s: %d steps, the loss fell to less than half: %v\n", loss, summary.Steps, last.Loss < first.Loss/2)
	// Output:
	// multi(P,I): 20 steps, the loss fell to less than half: true
}
