package training

import (
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

// stepper runs one compiled graph: embed, loss, gradient, update.
type stepper struct {
	loss      Loss
	optimizer AdamW
	exec      *model.Exec
}

// newStepper prepares the graph of a step for batches of n anchor rows. The
// graph is compiled at the first call.
func newStepper(c Config, o Objective, l Loss, enc *encoder.Encoder, n int) (*stepper, error) {
	s := &stepper{loss: l, optimizer: c.adamW()}
	exec, err := model.NewExec(enc.Backend(), enc.Store(),
		func(_ *model.Scope, ids, mask, counted, factors *graph.Node) *graph.Node {
			vectors := enc.Embed(ids.Graph(), ids, mask)
			if !enc.Config().Text.Normalize {
				vectors = graph.L2Normalize(vectors, -1)
			}
			scores := l.Graph(o, embedded(l, o, vectors, counted, n))
			norm := s.optimizer.Update(enc.Store(), scores.Loss, factors)
			out := append([]*graph.Node{scores.Loss, norm, scores.Accuracy, scores.MRR}, scores.Terms...)
			return graph.Stack(out, 0)
		})
	if err != nil {
		return nil, fmt.Errorf("prepare the training step: %w", err)
	}
	s.exec = exec
	return s, nil
}

// embedded takes apart the vectors of tokens.sequences.
func embedded(l Loss, o Objective, vectors, counted *graph.Node, n int) Embedded {
	d := vectors.Shape().Dim(1)
	at := 0
	take := func(rows int) *graph.Node {
		at += rows
		return graph.Slice(vectors, graph.AxisRange(at-rows, at))
	}
	e := Embedded{P: take(n), IQ: take(n)}
	if l.Has(I | IP) {
		e.Counted = counted
		others := counted.Shape().Dim(1)
		e.Instructions = graph.Reshape(take(n*others), n, others, d)
	}
	if l.Has(IQ) && o.IQ == QueryOnly {
		e.Queries = graph.Reshape(take(n*(n-1)), n, n-1, d)
	}
	return e
}

// step trains on one batch. It fails where loss or gradient are not finite; the
// weights are then what they were.
func (s *stepper) step(index int, rate float64, ids, mask *tensors.Tensor, counted [][]bool) (Step, error) {
	out, err := s.exec.Call(ids, mask, countedTensor(counted), s.optimizer.factors(index, rate))
	if err != nil {
		return Step{}, err
	}
	values := tensors.MustCopyFlatData[float32](out[0])
	out[0].MustFinalizeAll()
	r := Step{
		Step: index + 1, LearningRate: rate,
		Loss: float64(values[0]), GradNorm: float64(values[1]),
		Accuracy: float64(values[2]), MRR: float64(values[3]),
	}
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

// countedTensor is the [N, C] mask of instruction candidates, [1, 1] where the
// loss has none.
func countedTensor(counted [][]bool) *tensors.Tensor {
	if len(counted) == 0 {
		return tensors.FromFlatDataAndDimensions([]float32{1}, 1, 1)
	}
	var flat []float32
	for _, row := range counted {
		for _, c := range row {
			if c {
				flat = append(flat, 1)
			} else {
				flat = append(flat, 0)
			}
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, len(counted), len(counted[0]))
}

// close frees the graph and takes the moments out of the encoder's store.
func (s *stepper) close(store *model.Store) error {
	s.exec.Finalize()
	return store.DeleteVariablesInScope(momentScope)
}
