package training

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
	"infbench/training/padding"
)

// Step describes one step of training before its update.
type Step struct {
	Step         int                `json:"step"`  // counted from 1
	Epoch        float64            `json:"epoch"` // passes over the data after the step
	Loss         float64            `json:"loss"`
	Terms        map[string]float64 `json:"terms"`     // loss of each term of a Contrastive on its own; in the forms uni and pair they add up to Loss
	GradNorm     float64            `json:"grad_norm"` // global, before clipping
	LearningRate float64            `json:"lr"`
	Accuracy     float64            `json:"accuracy"` // share of rows whose passage ranks first in the batch
	MRR          float64            `json:"mrr"`
	Tokens       int                `json:"tokens"` // without padding
}

// stepper takes training steps: it embeds the batches of a step, computes the
// loss and its gradient, and updates the weights.
type stepper struct {
	loss      Loss
	objective Objective
	optimizer AdamW
	config    Config
	encoder   *encoder.Encoder
	compiles  bool                   // graphs must be few, because the device compiles each
	anchors   int                    // rows of a batch
	levels    []padding.Level        // layouts of batches; a batch that fits none uses one group per part
	cuts      map[int]padding.Shapes // shapes of chunks, by part.graph, if they must be few
	largest   int                    // number of the batch that takes the largest graph
	most      int                    // tokens of the largest graph that a batch takes
	program   program
}

// program is the compiled part of a step. run takes the batches of a step, frees their device
// memory, updates the weights, and returns the values of Scores and the gradient norm in the
// order of stepper.outputs.
type program interface {
	// upload prepares a batch; it may be called while another runs.
	upload(in arrays) (uploaded, error)
	run(batches []uploaded, factors []float32) ([]float32, error)
	// rehearse runs the computation that takes most memory for a batch and changes nothing.
	rehearse(in uploaded) error
	// most is the number of tokens of the largest graph for a batch of these lengths.
	most(lengths [][]int, t *tokens) int
	finalize()
}

// computed is a program whose errors are marked as the backend's.
type computed struct{ program }

func (c computed) upload(in arrays) (uploaded, error) {
	u, err := c.program.upload(in)
	return u, encoder.OfBackend(err)
}

func (c computed) run(batches []uploaded, factors []float32) ([]float32, error) {
	values, err := c.program.run(batches, factors)
	return values, encoder.OfBackend(err)
}

func (c computed) rehearse(in uploaded) error { return encoder.OfBackend(c.program.rehearse(in)) }

// inPlace is a backend that writes the new values of variables over the old ones. For this it
// must know the order of the variables with which a program's results begin.
type inPlace interface{ OrderVariables(paths func() []string) }

// newStepper prepares steps for batches of n anchor rows, on the encoder's device and further
// ones. Graphs are compiled at the first step.
func newStepper(c Config, o Objective, l Loss, enc *encoder.Encoder, n int, devices ...compute.Backend) (*stepper, error) {
	s := &stepper{loss: l, objective: o, optimizer: c.adamW(), config: c, encoder: enc, compiles: encoder.Compiles(enc.Backend()), anchors: n}
	if b, ok := enc.Backend().(inPlace); ok {
		b.OrderVariables(func() (paths []string) {
			for v := range enc.Store().IterVariables() {
				paths = append(paths, v.Path())
			}
			return paths
		})
	}
	replicas, err := newReplicas(enc, devices)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Chunk > 0:
		s.program, err = newSummed(s, c.batches(), func(m *summed) (gradient, error) {
			m.replicas = replicas
			return newChunked(s, m, c.Chunk, replicas)
		})
	case c.batches() > 1:
		s.program, err = newSummed(s, c.batches(), func(m *summed) (gradient, error) { return newUndivided(s, m) })
	default:
		s.program, err = newOneGraph(s)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare the training step: %w", encoder.OfBackend(err))
	}
	s.program = computed{s.program}
	return s, nil
}

// oneGraph is a step of one batch in one graph.
type oneGraph struct {
	stepper *stepper
	exec    *model.Exec
}

func newOneGraph(s *stepper) (*oneGraph, error) {
	store := s.encoder.Store()
	exec, err := model.NewExec(s.encoder.Backend(), store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
		scores, rest := s.batchScores(in)
		return s.outputs(scores, s.optimizer.Update(store, scores.Loss, rest[0]))
	})
	if err != nil {
		return nil, err
	}
	exec.SetMaxCache(mostGraphs)
	return &oneGraph{s, exec}, nil
}

func (w *oneGraph) finalize() { w.exec.Finalize() }

func (w *oneGraph) upload(in arrays) (uploaded, error) { return w.stepper.upload(in) }

func (w *oneGraph) run(batches []uploaded, factors []float32) ([]float32, error) {
	defer batches[0].free()
	out, err := w.exec.Call(append(batches[0].inputs, factors)...)
	if err != nil {
		return nil, err
	}
	return take(out[0])
}

func (w *oneGraph) rehearse(in uploaded) error {
	_, err := w.run([]uploaded{in}, w.stepper.optimizer.None())
	return err
}

func (w *oneGraph) most(lengths [][]int, _ *tokens) int { return w.stepper.size(lengths) }

// take copies a vector and frees its tensor.
func take(t *tensors.Tensor) ([]float32, error) {
	values, err := tensors.CopyFlatData[float32](t)
	return values, errors.Join(err, t.FinalizeAll())
}

// batchScores builds the loss of a batch from inputs, and returns the remaining inputs.
func (s *stepper) batchScores(in []*graph.Node) (_ Scores, rest []*graph.Node) {
	parts, in := laidOut(in)
	key, in := in[0], in[1:]
	return s.scores(s.vectors(parts, key, in[0]), in[:extraArrays]), in[extraArrays:]
}

// mode returns the mode of the network with a dropout key.
func (s *stepper) mode(key *graph.Node) encoder.Mode {
	return encoder.Mode{
		Dropout:   encoder.NewDropout(s.config.Dropout, key),
		Precision: s.config.Precision, Checkpoint: s.config.Checkpointing,
	}
}

// crossed reports whether instruction and query are encoded separately.
func (s *stepper) crossed() bool { return s.encoder.Config().Text.Interaction.Crossed() }

// scores builds the loss from the vectors of passages, mined negatives, anchors and mixed pairs,
// and from the other arrays of the batch (arrays.extras).
func (s *stepper) scores(vectors *graph.Node, extras []*graph.Node) Scores {
	return scoresOf(s.loss, s.objective, s.embedded(vectors, extras))
}

func (s *stepper) embedded(vectors *graph.Node, extras []*graph.Node) Embedded {
	instructions, counted, queries, anchored := extras[1], extras[2], extras[3], extras[4]
	labels, teacher, widths, guide := extras[5], extras[6], extras[7], extras[8]
	e := s.arranged(vectors, instructions, queries)
	e.Teacher = teacher
	if e.Instructions != nil {
		e.Counted = counted
	}
	if anchored.Rank() == 1 {
		e.Anchored = anchored
	}
	if s.objective.Candidates.narrow() {
		e.Among = extras[9]
		if e.Queries != nil {
			e.Asked = indicatorOf(queries, vectors)
		}
	}
	if widths.Rank() == 1 {
		e.Weights = widths
	}
	if labels.Shape().Dim(1) > 1 { // each row has at least its record, passage and pair
		e.Labels = s.labels(labels, instructions, queries)
	}
	if e.Negatives != nil {
		e.Mined = indicatorOf(e.Labels.Negatives, vectors)
	}
	if s.objective.False.byModel() {
		of := s.arranged(graph.L2Normalize(guide, -1), instructions, queries)
		e.Guide = &of
	}
	return e
}

// indicatorOf is 1 where a number is at least 0, in the data type of like.
func indicatorOf(numbers, like *graph.Node) *graph.Node {
	return graph.ConvertDType(graph.GreaterOrEqual(numbers, graph.ZerosLike(numbers)), like.DType())
}

// arranged splits vectors into the fields of Embedded.
func (s *stepper) arranged(vectors, instructions, queries *graph.Node) Embedded {
	n, mined := s.anchors, s.config.Mined
	pairs := graph.Slice(vectors, graph.AxisRangeToEnd(s.documents()))
	e := Embedded{
		P:  graph.Slice(vectors, graph.AxisRangeFromStart(n)),
		IQ: graph.Slice(pairs, graph.AxisRangeFromStart(n)),
	}
	if s.loss.Needs()&drawsInstructions != 0 {
		e.Instructions = graph.Gather(pairs, graph.InsertAxes(instructions, -1))
	}
	if s.objective.drawsQueries(s.loss.Needs()) {
		if s.objective.Candidates.narrow() {
			queries = graph.Max(queries, graph.ZerosLike(queries)) // -1 does not count
		}
		e.Queries = graph.Gather(pairs, graph.InsertAxes(queries, -1))
	}
	if mined > 0 {
		e.Negatives = graph.Reshape(graph.Slice(vectors, graph.AxisRange(n, s.documents())), append([]int{n, mined}, vectors.Shape().Dimensions[1:]...)...)
	}
	return e
}

// documents is the number of passages among the sequences of a batch: the passages of its rows,
// then their mined negatives.
func (s *stepper) documents() int { return s.anchors * (1 + s.config.Mined) }

// outputs is the vector that a program returns.
func (s *stepper) outputs(scores Scores, norm *graph.Node) *graph.Node {
	out := []*graph.Node{scores.Loss, norm, scores.Accuracy, scores.MRR}
	return graph.Stack(append(out, scores.Terms...), 0)
}

// step trains on the batches of one step with so many tokens. If loss or gradient is not finite,
// it returns an error and the weights do not change.
func (s *stepper) step(index int, rate float64, in []uploaded, tokens int) (Step, error) {
	values, err := s.program.run(in, s.optimizer.Factors(index, rate))
	if err != nil {
		return Step{}, err
	}
	r := Step{Step: index + 1, LearningRate: rate, Tokens: tokens}
	r.Loss, r.GradNorm = float64(values[0]), float64(values[1])
	r.Accuracy, r.MRR = float64(values[2]), float64(values[3])
	r.Terms = map[string]float64{}
	if l, ok := s.loss.(Contrastive); ok {
		for i, t := range l.Terms.Split() {
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
	if b, ok := s.encoder.Backend().(inPlace); ok {
		b.OrderVariables(func() []string { return nil }) // a shared backend must not hold the encoder
	}
	return s.encoder.Store().DeleteVariablesInScope(MomentScope)
}
