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
	exec, err := model.NewExec(enc.Backend(), enc.Store(), func(_ *model.Scope, in []*graph.Node) *graph.Node {
		ids, mask, instructions, counted, queries, factors := in[0], in[1], in[2], in[3], in[4], in[5]
		vectors := enc.Embed(ids.Graph(), ids, mask)
		if !enc.Config().Text.Normalize {
			vectors = graph.L2Normalize(vectors, -1)
		}
		pairs := graph.Slice(vectors, graph.AxisRangeToEnd(n))
		scores := l.Graph(o, Embedded{
			P:            graph.Slice(vectors, graph.AxisRangeFromStart(n)),
			IQ:           graph.Slice(pairs, graph.AxisRangeFromStart(n)),
			Instructions: graph.Gather(pairs, graph.InsertAxes(instructions, -1)),
			Counted:      counted,
			Queries:      graph.Gather(pairs, graph.InsertAxes(queries, -1)),
		})
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

// step trains on one batch. It fails where loss or gradient are not finite; the
// weights are then what they were.
func (s *stepper) step(index int, rate float64, t *tokens, b Batch, mixed int) (Step, error) {
	e := t.encode(b, mixed)
	ids, mask, count, err := t.pad(e.sequences)
	if err != nil {
		return Step{}, err
	}
	out, err := s.exec.Call(ids, mask, rectangle(e.instructions, number), rectangle(b.Counted, indicator),
		rectangle(e.queries, number), s.optimizer.factors(index, rate))
	if err != nil {
		return Step{}, err
	}
	values := tensors.MustCopyFlatData[float32](out[0])
	out[0].MustFinalizeAll()
	r := Step{
		Step: index + 1, LearningRate: rate,
		Loss: float64(values[0]), GradNorm: float64(values[1]),
		Accuracy: float64(values[2]), MRR: float64(values[3]), Tokens: count,
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

// rectangle makes an [N, C] array of rows of equal length, of type B; [1, 1]
// where there are none, as the graph wants every input.
func rectangle[A any, B int32 | float32](rows [][]A, value func(A) B) *tensors.Tensor {
	if len(rows) == 0 {
		return tensors.FromFlatDataAndDimensions([]B{0}, 1, 1)
	}
	var flat []B
	for _, row := range rows {
		for _, x := range row {
			flat = append(flat, value(x))
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, len(rows), len(rows[0]))
}

func number(i int32) int32 { return i }

func indicator(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// close frees the graph and takes the moments out of the encoder's store.
func (s *stepper) close(store *model.Store) error {
	s.exec.Finalize()
	return store.DeleteVariablesInScope(momentScope)
}
