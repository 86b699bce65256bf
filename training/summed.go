package training

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
)

// summed is a step that adds up its gradient outside the graph that computes it, over batches,
// over the chunks of a batch, or over both.
//
// With n batches a step descends (1/n) sum_b L(b). Every batch is a softmax over its own
// candidates, so accumulation is not the loss of one batch n times as large, which chunks
// compute. The mean is clipped, not its parts.
type summed struct {
	store     *model.Store
	encoder   *encoder.Encoder
	replicas  []*encoder.Encoder // on other devices
	gradient  gradient
	variables []*model.Variable // variables of the sums, set when gradient is built; one may occur twice
	update    *model.Exec       // loss, factors, sums -> norm
	zeros     *graph.Exec       // -> sums
}

// gradient adds the gradient of one batch to sums, where nil means zeros, and returns the batch's
// outputs with norm 0.
type gradient interface {
	upload(in arrays) (uploaded, error) // see program
	add(in uploaded, sums []*tensors.Tensor) (values []float32, _ []*tensors.Tensor, err error)
	most(lengths [][]int, t *tokens) int // see program
	finalize()
}

func newSummed(s *stepper, batches int, of func(*summed) (gradient, error)) (*summed, error) {
	m := &summed{store: s.encoder.Store(), encoder: s.encoder}
	var err error
	if m.gradient, err = of(m); err != nil {
		return nil, err
	}
	m.update, err = model.NewExec(s.encoder.Backend(), m.store, func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		variables, means := together(m.variables, in[2:])
		for i, sum := range means {
			means[i] = graph.MulScalar(sum, 1/float64(batches))
		}
		return []*graph.Node{s.optimizer.Apply(m.store, variables, means, in[0], in[1])}
	})
	if err != nil {
		return nil, err
	}
	m.zeros, err = graph.NewExec(s.encoder.Backend(), func(g *graph.Graph) (sums []*graph.Node) {
		for _, v := range m.variables {
			sums = append(sums, graph.Zeros(g, v.Shape()))
		}
		return sums
	})
	return m, err
}

// begin returns the sums that a step starts from. On a device that compiles these are zeros, so that
// no graph is compiled twice, for the first gradient and for later ones: this graph takes longest.
// Elsewhere, and before the variables are known, it returns nil.
func (m *summed) begin() ([]*tensors.Tensor, error) {
	if !encoder.Compiles(m.encoder.Backend()) || len(m.variables) == 0 {
		return nil, nil
	}
	return m.zeros.Call()
}

// together adds up the sums of each variable, in the order in which variables first occur.
func together(variables []*model.Variable, sums []*graph.Node) (distinct []*model.Variable, totals []*graph.Node) {
	for i, v := range variables {
		if at := slices.Index(distinct, v); at >= 0 {
			totals[at] = graph.Add(totals[at], sums[i])
		} else {
			distinct, totals = append(distinct, v), append(totals, sums[i])
		}
	}
	return distinct, totals
}

// addTo builds old sums, if there are any, plus new ones.
func addTo(old, sums []*graph.Node) []*graph.Node {
	for i, sum := range old {
		sums[i] = graph.Add(sum, sums[i])
	}
	return sums
}

func (m *summed) finalize() {
	m.gradient.finalize()
	m.update.Finalize()
	m.zeros.Finalize()
}

func (m *summed) upload(in arrays) (uploaded, error) { return m.gradient.upload(in) }

func (m *summed) run(batches []uploaded, factors []float32) ([]float32, error) {
	for _, r := range m.replicas {
		if err := r.CopyTrained(m.encoder); err != nil {
			return nil, err
		}
	}
	var means []float32
	sums, err := m.begin()
	if err != nil {
		return nil, err
	}
	for _, in := range batches {
		values, next, err := m.gradient.add(in, sums)
		in.free()
		if err != nil {
			return nil, err
		}
		if means == nil {
			means = make([]float32, len(values))
		}
		for i, v := range values {
			means[i] += v / float32(len(batches))
		}
		sums = next
	}
	arguments, err := given(m.encoder.Backend(), sums, means[0], factors)
	if err != nil {
		return nil, err
	}
	norm, err := m.update.Call(arguments...)
	if err != nil {
		return nil, err
	}
	release(sums)
	means[1] = tensors.ToScalar[float32](norm[0])
	return means, nil
}

func (m *summed) rehearse(in uploaded) error {
	defer in.free()
	_, sums, err := m.gradient.add(in, nil)
	if err != nil {
		return err
	}
	_, more, err := m.gradient.add(in, sums) // takes more memory if there are several batches
	release(sums, more)
	return err
}

func (m *summed) most(lengths [][]int, t *tokens) int { return m.gradient.most(lengths, t) }

// undivided is the gradient of a batch in one graph.
type undivided struct {
	stepper *stepper
	exec    *model.Exec // inputs, sums -> outputs with norm 0, sums
}

func newUndivided(s *stepper, m *summed) (*undivided, error) {
	exec, err := model.NewExec(s.encoder.Backend(), s.encoder.Store(), func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		scores, sums := s.batchScores(in)
		out := s.outputs(scores, graph.ZerosLike(scores.Loss))
		m.variables = trainableOf(m.store, scores.Loss.Graph())
		return append([]*graph.Node{out}, addTo(sums, gradientsOf(scores.Loss, m.variables))...)
	})
	if err != nil {
		return nil, err
	}
	exec.SetMaxCache(mostGraphs)
	return &undivided{s, exec}, nil
}

func (u *undivided) finalize() { u.exec.Finalize() }

func (u *undivided) most(lengths [][]int, _ *tokens) int { return u.stepper.size(lengths) }

func (u *undivided) upload(in arrays) (uploaded, error) { return u.stepper.upload(in) }

func (u *undivided) add(in uploaded, sums []*tensors.Tensor) ([]float32, []*tensors.Tensor, error) {
	arguments, err := given(u.stepper.encoder.Backend(), sums, in.inputs...)
	if err != nil {
		return nil, nil, err
	}
	out, err := u.exec.Call(arguments...)
	if err != nil {
		return nil, nil, err
	}
	release(sums)
	values, err := take(out[0])
	return values, out[1:], err
}
