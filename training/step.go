package training

import (
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
)

// Step is what one step of training looked like, before its update.
type Step struct {
	Step         int                `json:"step"`  // counted from 1
	Epoch        float64            `json:"epoch"` // passes over the data when the step was done
	Loss         float64            `json:"loss"`
	Terms        map[string]float64 `json:"terms,omitempty"` // loss per term, in the uni form
	GradNorm     float64            `json:"grad_norm"`       // global, before clipping
	LearningRate float64            `json:"lr"`
	Accuracy     float64            `json:"accuracy"` // rows whose passage ranks first in the batch
	MRR          float64            `json:"mrr"`
	Tokens       int                `json:"tokens"` // padding left out
}

// stepper takes training steps: it embeds the batches of a step, computes the
// loss and its gradient, and updates the weights.
type stepper struct {
	loss      Loss
	objective Objective
	optimizer AdamW
	dropout   float64
	encoder   *encoder.Encoder
	anchors   int // rows of a batch
	program   program
}

// program is the compiled part of a step. run takes the batches of a step, moves
// the weights, and returns what Scores and the gradient norm are, in the order of
// stepper.outputs.
type program interface {
	run(batches []arrays, factors []float32) ([]float32, error)
	finalize()
}

// newStepper prepares steps for batches of n anchor rows. Graphs are compiled
// at the first step.
func newStepper(c Config, o Objective, l Loss, enc *encoder.Encoder, n int) (*stepper, error) {
	s := &stepper{loss: l, objective: o, optimizer: c.adamW(), dropout: c.Dropout, encoder: enc, anchors: n}
	var err error
	switch {
	case c.Chunk > 0:
		s.program, err = newSummed(s, c.batches(), func(m *summed) (gradient, error) { return newChunked(s, m, c.Chunk) })
	case c.batches() > 1:
		s.program, err = newSummed(s, c.batches(), func(m *summed) (gradient, error) { return newUndivided(s, m) })
	default:
		s.program, err = newWhole(s)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare the training step: %w", err)
	}
	return s, nil
}

// whole is a step of one batch in one graph.
type whole struct{ exec *model.Exec }

func newWhole(s *stepper) (*whole, error) {
	store := s.encoder.Store()
	exec, err := model.NewExec(s.encoder.Backend(), store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
		scores := s.batchScores(in)
		return s.outputs(scores, s.optimizer.Update(store, scores.Loss, in[batchInputs]))
	})
	return &whole{exec}, err
}

func (w *whole) finalize() { w.exec.Finalize() }

func (w *whole) run(batches []arrays, factors []float32) ([]float32, error) {
	out, err := w.exec.Call(append(batches[0].list(), factors)...)
	if err != nil {
		return nil, err
	}
	return take(out[0])
}

// take copies a vector and frees its tensor.
func take(t *tensors.Tensor) ([]float32, error) {
	values, err := tensors.CopyFlatData[float32](t)
	return values, errors.Join(err, t.FinalizeAll())
}

// batchScores builds the loss of a batch from arrays.list.
func (s *stepper) batchScores(in []*graph.Node) Scores {
	var vectors *graph.Node
	if s.crossed() {
		vectors = s.embedCrossed(in[0], in[1], in[2], in[3])
	} else {
		vectors = s.embed(in[0], in[1], in[2])
	}
	return s.scores(vectors, in[4], in[5], in[6])
}

// embed builds the vectors of sequences, always of length 1, under the dropout
// of a key.
func (s *stepper) embed(ids, mask, key *graph.Node) *graph.Node {
	return s.unit(s.encoder.EmbedDropping(ids, mask, encoder.NewDropout(s.dropout, key)))
}

// crossed says whether instruction and query are read apart.
func (s *stepper) crossed() bool { return s.encoder.Config().Text.Interaction.Crossed() }

// embedCrossed is embed where instruction and query are read apart: the vectors of
// passages, then those of pairs [N+mixed, 2]. Every text runs through the network
// once, however many pairs it stands in.
func (s *stepper) embedCrossed(ids, mask, key, pairs *graph.Node) *graph.Node {
	states := s.encoder.StatesDropping(ids, mask, encoder.NewDropout(s.dropout, key))
	mask = graph.ConvertDType(mask, pairs.DType())
	most := (ids.Shape().Dim(0) - s.anchors) / 2
	passages := graph.AxisRangeFromStart(s.anchors)
	instructions, queries := graph.AxisRange(s.anchors, s.anchors+most), graph.AxisRangeToEnd(s.anchors+most)
	side := func(of *graph.Node, rows graph.SliceAxisSpec, column int) *graph.Node {
		return graph.Gather(graph.Slice(of, rows), graph.Slice(pairs, graph.AxisRange(), graph.AxisElem(column)))
	}
	return graph.Concatenate([]*graph.Node{
		s.unit(s.encoder.Vectors(graph.Slice(states, passages), graph.Slice(mask, passages))),
		s.unit(s.encoder.Cross(
			side(states, instructions, 0), side(mask, instructions, 0),
			side(states, queries, 1), side(mask, queries, 1))),
	}, 0)
}

// unit gives vectors length 1 where the encoder does not.
func (s *stepper) unit(vectors *graph.Node) *graph.Node {
	if s.encoder.Config().Text.Normalize {
		return vectors
	}
	return graph.L2Normalize(vectors, -1)
}

// scores builds the loss on the vectors of passages, anchors and mixed pairs.
func (s *stepper) scores(vectors, instructions, counted, queries *graph.Node) Scores {
	pairs := graph.Slice(vectors, graph.AxisRangeToEnd(s.anchors))
	return s.loss.Graph(s.objective, Embedded{
		P:            graph.Slice(vectors, graph.AxisRangeFromStart(s.anchors)),
		IQ:           graph.Slice(pairs, graph.AxisRangeFromStart(s.anchors)),
		Instructions: graph.Gather(pairs, graph.InsertAxes(instructions, -1)),
		Counted:      counted,
		Queries:      graph.Gather(pairs, graph.InsertAxes(queries, -1)),
	})
}

// outputs is the vector that a program returns.
func (s *stepper) outputs(scores Scores, norm *graph.Node) *graph.Node {
	out := []*graph.Node{scores.Loss, norm, scores.Accuracy, scores.MRR}
	return graph.Stack(append(out, scores.Terms...), 0)
}

// step trains on the batches of one step. It fails where loss or gradient are not
// finite; the weights are then what they were.
func (s *stepper) step(index int, rate float64, t *tokens, batches []Batch, mixed int) (Step, error) {
	in, count, err := t.arrays(batches, mixed)
	if err != nil {
		return Step{}, err
	}
	values, err := s.program.run(in, s.optimizer.factors(index, rate))
	if err != nil {
		return Step{}, err
	}
	r := Step{Step: index + 1, LearningRate: rate, Tokens: count}
	r.Loss, r.GradNorm = float64(values[0]), float64(values[1])
	r.Accuracy, r.MRR = float64(values[2]), float64(values[3])
	if s.loss.Form == Uni {
		r.Terms = map[string]float64{}
		for i, t := range s.loss.Terms.Split() {
			r.Terms[t.String()] = float64(values[4+i])
		}
	}
	if !finite(r.Loss) || !finite(r.GradNorm) {
		return r, fmt.Errorf("loss %v with gradient norm %v", r.Loss, r.GradNorm)
	}
	return r, nil
}

// close frees the graphs and takes the moments out of the encoder's store.
func (s *stepper) close() error {
	s.program.finalize()
	return s.encoder.Store().DeleteVariablesInScope(momentScope)
}
