package training

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/training/encoder"
)

// probe is a stepper whose gradient can be computed without moving the weights.
type probe struct {
	sum     *summed
	batches []arrays
}

// newProbe prepares the first step of a run.
func newProbe(t testing.TB, c Config, l Contrastive, enc *encoder.Encoder, data []datasets.Triplet) *probe {
	t.Helper()
	return newProbeOn(t, c, l, enc, of(data), Options{})
}

func newProbeOn(t testing.TB, c Config, l Contrastive, enc *encoder.Encoder, data mixture.Data, opt Options) *probe {
	t.Helper()
	o, err := c.under(enc.Config().Text.Score)
	if err != nil {
		t.Fatal(err)
	}
	sampler, err := newSampler(c, o, l, data)
	if err != nil {
		t.Fatal(err)
	}
	tk := newTokens(enc, "", sampler.rows, sampler.mixed() > 0)
	tk.modifierInputs = tk.newModifierInputs(c, o, listings(c, o, data), opt)
	s := &stepper{loss: l, objective: o, optimizer: c.adamW(), config: c, encoder: enc, anchors: sampler.batchRows()}
	p := &probe{}
	p.sum, err = newSummed(s, c.batches(), func(m *summed) (gradient, error) {
		if c.Chunk > 0 {
			return newChunked(s, m, c.Chunk, nil)
		}
		return newUndivided(s, m)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.sum.finalize)
	if p.batches, _, err = tk.arrays(sampler.step(0, c.batches()), sampler.mixed()); err != nil {
		t.Fatal(err)
	}
	return p
}

// gradients returns the mean loss and its gradients; afterwards p.sum.variables lists their
// variables.
func (p *probe) gradients(t testing.TB) (loss float64, _ [][]float32) {
	t.Helper()
	var sums []*tensors.Tensor
	for _, in := range p.batches {
		values, next, err := p.sum.gradient.add(onDevice(t, p.sum, in), sums)
		if err != nil {
			t.Fatal(err)
		}
		loss, sums = loss+float64(values[0])/float64(len(p.batches)), next
	}
	var flat [][]float32
	for _, sum := range sums {
		values := tensors.MustCopyFlatData[float32](sum)
		for i := range values {
			values[i] /= float32(len(p.batches))
		}
		flat = append(flat, values)
	}
	return loss, flat
}

// byVariable returns gradients by the paths of variables.
func (p *probe) byVariable(t testing.TB) (loss float64, _ map[string][]float32) {
	t.Helper()
	loss, list := p.gradients(t)
	sums := map[string][]float32{}
	for i, v := range p.sum.variables {
		if sums[v.Path()] == nil {
			sums[v.Path()] = make([]float32, len(list[i]))
		}
		for k, g := range list[i] {
			sums[v.Path()][k] += g
		}
	}
	return loss, sums
}

// checkByDifferences compares the gradient of every variable with central
// differences of the loss, along the gradient and along a random direction.
func (p *probe) checkByDifferences(t *testing.T, where string) {
	t.Helper()
	_, gradients := p.byVariable(t)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, v := range distinct(p.sum.variables) {
		of := gradients[v.Path()]
		size := length(of)
		if size < 1e-4 { // biases of keys: a softmax ignores them
			continue
		}
		random := make([]float32, len(of))
		for k, g := range of {
			random[k] = g/float32(size) + float32(rng.NormFloat64()/math.Sqrt(float64(len(random))))
		}
		for name, direction := range map[string][]float32{"own": of, "random": random} {
			want := 0.0
			for k, d := range direction {
				want += float64(of[k]) * float64(d) / length(direction)
			}
			const h = 4e-3
			up, down := p.lossAt(t, v, direction, h), p.lossAt(t, v, direction, -h)
			near(t, fmt.Sprintf("%s: slope of %s in its %s direction", where, v.Path(), name), (up-down)/(2*h), want, 0.02, 1e-3)
		}
	}
}

// distinct returns variables without repeats.
func distinct(variables []*model.Variable) (list []*model.Variable) {
	for _, v := range variables {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// lossAt is the loss with a variable moved by h along a direction.
func (p *probe) lossAt(t *testing.T, v *model.Variable, direction []float32, h float64) float64 {
	t.Helper()
	start := tensors.MustCopyFlatData[float32](v.MustValue())
	moved := slices.Clone(start)
	for i, d := range direction {
		moved[i] += float32(h * float64(d) / length(direction))
	}
	dims := v.Shape().Dimensions
	if err := v.SetValue(tensors.FromFlatDataAndDimensions(moved, dims...)); err != nil {
		t.Fatal(err)
	}
	loss, _ := p.gradients(t)
	if err := v.SetValue(tensors.FromFlatDataAndDimensions(start, dims...)); err != nil {
		t.Fatal(err)
	}
	return loss
}

func length(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

func TestAccumulatedGradientByDifferences(t *testing.T) {
	data := colours(8)
	c := toyConfig()
	c.RowsPerGroup, c.Accumulate, c.Temperature = 6, 2, new(0.5)
	newProbe(t, c, parsed(t, "multi(P,I)"), newEncoder(t, data), data).checkByDifferences(t, "two batches")
}

// TestAccumulationIsTheMeanOfItsBatches compares the first step of three batches
// with three runs of one batch each, all from the same weights.
func TestAccumulationIsTheMeanOfItsBatches(t *testing.T) {
	data := colours(24)
	c := toyConfig()
	c.Accumulate, c.Epochs = 3, 1
	l := parsed(t, "uni(P,I)")
	_, together := trainedOn(t, data, c, l, Options{})
	if together.Steps != 2 || together.Curve[1].Epoch != 1 {
		t.Errorf("6 batches make %d steps up to epoch %v, want 2 up to 1", together.Steps, together.Curve[1].Epoch)
	}
	got := together.Curve[0]
	want := Step{Terms: map[string]float64{}}
	var mean [][]float32
	enc := newEncoder(t, data)
	p := newProbe(t, c, l, enc, data)
	for _, one := range p.batches {
		values, sums, err := p.sum.gradient.add(onDevice(t, p.sum, one), nil)
		if err != nil {
			t.Fatal(err)
		}
		want.Loss += float64(values[0]) / 3
		want.Accuracy += float64(values[2]) / 3
		want.MRR += float64(values[3]) / 3
		want.Terms["P"] += float64(values[4]) / 3
		for i, sum := range sums {
			if len(mean) == i {
				mean = append(mean, make([]float32, sum.Shape().Size()))
			}
			for k, v := range tensors.MustCopyFlatData[float32](sum) {
				mean[i][k] += v / 3
			}
		}
	}
	norm := 0.0
	for _, g := range mean {
		norm += length(g) * length(g)
	}
	near(t, "loss", got.Loss, want.Loss, 1e-6, 0)
	near(t, "accuracy", got.Accuracy, want.Accuracy, 1e-6, 0)
	near(t, "MRR", got.MRR, want.MRR, 1e-6, 0)
	near(t, "term P", got.Terms["P"], want.Terms["P"], 1e-6, 0)
	near(t, "norm of the mean gradient", got.GradNorm, math.Sqrt(norm), 1e-5, 0)
}

func TestAccumulationWithChunks(t *testing.T) {
	c := toyConfig()
	c.Epochs, c.Accumulate, c.Warmup = 1, 2, 0
	l := parsed(t, "multi(P,I)")
	_, want := trained(t, c, l, Options{})
	c.Chunk = 7
	_, got := trained(t, c, l, Options{})
	for i, s := range got.Curve {
		where := fmt.Sprintf("step %d", i+1)
		near(t, where+" loss", s.Loss, want.Curve[i].Loss, 1e-4, 0)
		near(t, where+" norm", s.GradNorm, want.Curve[i].GradNorm, 1e-3, 0)
	}
}

// TestAccumulationOfOneIsNone compares weights bit for bit.
func TestAccumulationOfOneIsNone(t *testing.T) {
	c := toyConfig()
	c.Epochs = 1
	want, _ := trained(t, c, parsed(t, "uni(P)"), Options{})
	c.Accumulate = 1
	if got, _ := trained(t, c, parsed(t, "uni(P)"), Options{}); got != want {
		t.Error("accumulate 1 differs from accumulate 0")
	}
}

func TestAccumulationNeedsBatches(t *testing.T) {
	data := colours(24)
	c := toyConfig()
	c.Accumulate, c.Epochs = 13, 2
	if got := c.StepsOn(3 * 24); got != 0 {
		t.Errorf("12 batches make %d steps of 13", got)
	}
	_, err := Train(t.Context(), c, parsed(t, "uni(P)"), newEncoder(t, data), of(data), Options{})
	if err == nil || !strings.Contains(err.Error(), "accumulate 13: 12 batches in 2 epochs do not make a step of 13") {
		t.Errorf("got %v", err)
	}
	c.Accumulate = 5
	if got := c.StepsOn(3 * 24); got != 2 {
		t.Errorf("12 batches make %d steps of 5, want 2", got)
	}
}
