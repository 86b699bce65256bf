package training_test

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/training"
)

// Margin requires a row's passage to be nearer to its instruction and query than the nearest
// other passage of the batch, by a cosine of 0.3.
type Margin struct{}

func (Margin) Name() string         { return "margin" }
func (Margin) Version() string      { return "1" }
func (Margin) Needs() training.Term { return training.P }

func (Margin) Graph(o training.Objective, e training.Embedded) *graph.Node {
	passages := e.Candidates(o, training.P)[0]
	positive := graph.ReduceSum(graph.Mul(passages.Scores, passages.Positive), 1)
	negatives := graph.Sub(passages.Counted, passages.Positive)
	nearest := graph.ReduceMax(graph.Add(passages.Scores, graph.MulScalar(graph.OneMinus(negatives), -1e9)), 1)
	missing := graph.AddScalar(graph.Sub(nearest, positive), 0.3*o.Scale())
	return e.Mean(graph.MaxScalar(missing, 0.0))
}

// Train a custom loss. docs/library.md registers it with the command.
func Example_ownLoss() {
	network, data := fruit()
	config := training.DefaultConfig()
	config.Epochs, config.LearningRate = 20, 1e-3
	summary := must(training.Train(context.Background(), config, Margin{}, network, data, training.Options{}))
	fmt.Println(summary.Steps, "steps, the loss halved:", summary.Curve[19].Loss < summary.Curve[0].Loss/2)
	// Output: 20 steps, the loss halved: true
}
