package training_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/compute"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/training"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// backend is the backend that networks compute on; runners/device opens others. It is opened here
// because it prints a line when it opens.
var backend = must(compute.NewWithConfig("go:parallelism=-1"))

// fruit returns four triplets and a new, tiny BERT that can read them.
func fruit() (*encoder.Encoder, mixture.Data) {
	part := mixture.Part{Shape: datasets.TripletShape}
	var texts []string
	for _, color := range []string{"red ", "blue ", "green ", "black "} {
		record := datasets.Triplet{
			InstructionPositive: "only fruit", InstructionNegative: "only cars",
			QueryPositive: color, QueryNegative: "price of " + color,
			Positive: color + "apple", HardNegative1: color + "car", HardNegative2: color + "apples cost",
		}.Record()
		part.Records = append(part.Records, record)
		texts = append(texts, record.Texts()...)
	}
	words := must(tokenizer.BuildWordPiece(slices.Values(texts), 200))
	return must(encoder.New(encoder.TinyBERT(), words, 1, backend)), mixture.Data{part}
}

// Train a loss of the paper.
func Example() {
	network, data := fruit()
	loss, config := must(training.ParseLoss("multi(P,I)")), training.DefaultConfig()
	config.Epochs, config.LearningRate = 20, 1e-3
	summary := must(training.Train(context.Background(), config, loss, network, data, training.Options{}))
	fmt.Println(summary.Steps, "steps, the loss halved:", summary.Curve[19].Loss < summary.Curve[0].Loss/2)
	// Output: 20 steps, the loss halved: true
}
