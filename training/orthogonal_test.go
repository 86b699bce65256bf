package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infbench/datasets/mixture"
	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// option is a setting with the data that it needs; any two go together. See fitting.
type option struct {
	name string
	set  func(*Config)
}

// modifying lists the modifiers with their choices; each is off in DefaultConfig.
var modifying = []option{
	{"equal kept", func(c *Config) { c.FalseNegatives.Equal = Keep }},
	{"guide self", func(c *Config) { c.FalseNegatives.Guide = Self }},
	{"guide self, own", func(c *Config) {
		c.FalseNegatives = FalseNegativeConfig{Guide: Self, Margin: new(0.01), Relative: new(false), Own: Mask}
	}},
	{"guide self, margin below 0", func(c *Config) {
		c.FalseNegatives = FalseNegativeConfig{Equal: Mask, Guide: Self, Margin: new(-0.01), Relative: new(false), Own: Mask}
	}},
	{"guide a model", func(c *Config) { c.FalseNegatives.Guide = "lengths" }},
	{"guide a model, margin, own", func(c *Config) {
		c.FalseNegatives = FalseNegativeConfig{Guide: "lengths", Margin: new(0.02), Own: Mask}
	}},
	{"hardness own", func(c *Config) { c.Hardness.Alpha = 3 }},
	{"hardness batch", func(c *Config) { c.Hardness = Hardness{2, ReachBatch} }},
	{"hardness all", func(c *Config) { c.Hardness = Hardness{2, ReachAll} }},
	{"focal", func(c *Config) { c.Focal = 1.5 }},
	{"spread", func(c *Config) { c.Spread = 0.5 }},
	{"distilled", func(c *Config) { c.Distill.Teacher = Taught }},
	{"distilled margins", func(c *Config) { c.Distill = DistillConfig{Teacher: Taught, Loss: MarginMSE, Share: new(0.1)} }},
	{"distilled, own", func(c *Config) { c.Mined, c.Distill = 2, DistillConfig{Teacher: Taught, List: OwnList} }},
	{"distilled margins, own", func(c *Config) {
		c.Mined, c.Distill = 2, DistillConfig{Teacher: Taught, Loss: MarginMSE, List: OwnList, Share: new(0.1)}
	}},
	{"distilled from a model, own", func(c *Config) {
		c.Mined, c.Distill = 2, DistillConfig{Teacher: "lengths", List: OwnList, Temperature: 0.1}
	}},
	{"distilled from a model", func(c *Config) { c.Distill = DistillConfig{Teacher: "lengths", List: BatchList, Temperature: 0.1} }},
	{"distilled margins from a model", func(c *Config) {
		c.Distill = DistillConfig{Teacher: "lengths", Loss: MarginMSE, List: BatchList, Share: new(0.1)}
	}},
	{"distilled from a model, record", func(c *Config) {
		c.Mined, c.Distill = 2, DistillConfig{Teacher: "lengths", List: RecordList, Temperature: 0.1}
	}},
	{"matryoshka", func(c *Config) { c.Matryoshka = Matryoshka{Dims: []int{4, 16, 8}, Weights: []float64{1, 2, 0.5}} }},
	{"matryoshka drawn", func(c *Config) { c.Matryoshka = Matryoshka{Dims: []int{16, 8, 4}, PerStep: 2} }},
	{"mined", func(c *Config) { c.Mined = 2 }},
	{"contrasted with own", func(c *Config) { c.Candidates = WithinOwn }},
	{"contrasted with own and two", func(c *Config) { c.Candidates = "own+2" }},
	{"distilled scores", func(c *Config) { c.Distill = DistillConfig{Teacher: Taught, Loss: MSE, Share: new(0.1)} }},
	{"distilled order", func(c *Config) { c.Distill = DistillConfig{Teacher: Taught, Loss: ListMLE} }},
	{"distilled order, weighted, own", func(c *Config) {
		c.Mined, c.Distill = 2, DistillConfig{Teacher: Taught, Loss: ListMLE, List: OwnList, Weights: PList}
	}},
	{"distilled ranks", func(c *Config) { c.Distill = DistillConfig{Teacher: "lengths", Loss: ADRMSE, List: BatchList} }},
	{"distilled pairs", func(c *Config) { c.Distill = DistillConfig{Teacher: Taught, Loss: PairLoss} }},
	{"distilled, scaled", func(c *Config) { c.Distill = DistillConfig{Teacher: Taught, Scale: MinMax} }},
}

// mechanism is a way to compute a step, with the property that it guarantees for any loss.
type mechanism struct {
	option
	hold func(pairing, *testing.T)
}

// mechanisms lists the ways to compute a step.
var mechanisms = []mechanism{
	{option{"chunks", func(c *Config) { c.Chunk = 7 }}, pairing.holdChunks},
	{option{"accumulated", func(c *Config) { c.Accumulate = 2 }}, pairing.holdAccumulation},
	{option{"bf16", func(c *Config) { c.Precision = encoder.BFloat16 }}, pairing.holdBFloat16},
	{option{"LoRA", func(c *Config) { c.LoRA = encoder.LoRA{Rank: 2, Targets: []string{"query", "value"}} }}, pairing.holdLoRA},
	{option{"resumed", func(*Config) {}}, pairing.holdResume},
}

// settings lists further settings that a mechanism must support.
var settings = []option{
	{"checkpointing", func(c *Config) { c.Checkpointing = true }},
	{"query only", func(c *Config) { c.IQTerm = QueryOnly }},
	{"kept duplicates", func(c *Config) { c.Duplicates = Keep }},
	{"weighted pairs", func(c *Config) { c.Couples = Couples{Weights: NDCG2PP, K: 3} }},
}

// pairing is a drawn configuration. Its temperature is 0.5, so that rounding is not amplified
// before the comparison.
type pairing struct {
	where string
	c     Config
	l     Contrastive
}

// Any modifier goes with any form, set of terms, other modifier and mechanism. With each
// mechanism every modifier is trained once (every day a sixth of them, in turn), and the rest is
// drawn. INFBENCH_PAIRS sets the seed of another draw.
func TestModifiersAreOrthogonal(t *testing.T) {
	seed := uint64(22)
	if text := os.Getenv("INFBENCH_PAIRS"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 4))
	for k, m := range mechanisms {
		t.Run(m.name, func(t *testing.T) {
			for i, first := range modifying {
				p := drawn(t, rng, m.option, first)
				p.where = fmt.Sprintf("INFBENCH_PAIRS=%d: %s", seed, p.where)
				if (i+k)%6 == 0 || testkit.IsDeep() {
					m.hold(p, t)
				}
			}
		})
	}
}

// drawn adds a second modifier, a loss and another mechanism or setting to a modifier and a
// mechanism, so that the configuration is valid.
func drawn(t *testing.T, rng *rand.Rand, m, first option) pairing {
	t.Helper()
	losses := []string{"uni(P)", "uni(P,I)", "multi(P,I,IQ)", "multi(P,ST)", "multi(P,IP)", "uni(P,I,IQ,ST)", "sig(P,I)", "sig(P,IQ,ST)", "pair(P,I)", "pair(P,IQ,ST)"}
	ways := slices.Clone(settings)
	for _, m := range mechanisms {
		ways = append(ways, m.option)
	}
	for range 100 {
		second, way, loss := modifying[rng.IntN(len(modifying))], ways[rng.IntN(len(ways))], losses[rng.IntN(len(losses))]
		c := toyConfig()
		c.Epochs, c.Warmup, c.RowsPerGroup, c.Groups, c.Temperature = 1, 0, 6, 2, new(0.5)
		for _, o := range []option{second, first, way, m} {
			o.set(&c)
		}
		l := parsed(t, loss)
		if errors.Join(c.CheckModifiers(), c.CheckFields(l, fieldsOf(fitting(c, 24)))) == nil {
			return pairing{fmt.Sprintf("%s: %s, %s, %s, %s", l, first.name, second.name, m.name, way.name), c, l}
		}
	}
	t.Fatalf("%s, %s: nothing goes with both", m.name, first.name)
	return pairing{}
}

// fitting returns n records that have the data a configuration needs.
func fitting(c Config, n int) mixture.Data {
	if c.Distill.List == OwnList {
		return mixture.Data{{Source: mixture.Source{Name: "mined"}, Records: ranked(n)}}
	}
	return listing(n)
}

func fieldsOf(data mixture.Data) Fields {
	f := Fields{Shape: data[0].Shape}
	for i, r := range data[0].Records {
		f.Add(r, i == 0)
	}
	return f
}

var judged = Options{Guide: lengths{}, Teacher: lengths{}}

// train takes the steps of an epoch on 24 records.
func (p pairing) train(t *testing.T, ctx context.Context, c Config, opt Options) (string, Summary) {
	t.Helper()
	opt.Guide, opt.Teacher = judged.Guide, judged.Teacher
	weights, sum, err := trainOn(t, ctx, fitting(c, 24), c, p.l, false, opt)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatalf("%s: %v", p.where, err)
	}
	return weights, sum
}

// probe prepares the first step of a fresh encoder.
func (p pairing) probe(t *testing.T, c Config, n int) *probe {
	t.Helper()
	enc := newEncoder(t, colours(24))
	if c.LoRA.Rank > 0 {
		if err := enc.Adapt(c.LoRA, c.Seed); err != nil {
			t.Fatalf("%s: %v", p.where, err)
		}
	}
	return newProbeOn(t, c, p.l, enc, fitting(c, n), judged)
}

// holdChunks: chunks have the same loss as one piece to 1e-6, and the same gradient to 1e-5 of
// its length, to which the sequences of the positive and of a list's negatives contribute with
// opposite signs. In bf16 a product's rounding depends on the padding of sequences.
func (p pairing) holdChunks(t *testing.T) {
	t.Helper()
	whole := p.c
	whole.Chunk = 0
	tolerance, slope := 1e-6, 1e-5
	if p.c.Precision == encoder.BFloat16 {
		tolerance, slope = 2e-2, 2e-2
	}
	loss, want := p.probe(t, whole, 24).byVariable(t)
	chunked, got := p.probe(t, p.c, 24).byVariable(t)
	near(t, p.where+": loss in chunks", chunked, loss, tolerance, 1e-7)
	p.compare(t, got, want, slope)
}

// compare checks that two gradients differ by at most a share of their length.
func (p pairing) compare(t *testing.T, got, want map[string][]float32, tolerance float64) {
	t.Helper()
	size, off := 0.0, 0.0
	for path, of := range want {
		size, off = math.Hypot(size, length(of)), math.Hypot(off, distance(got[path], of))
	}
	if len(got) != len(want) || !(size > 0) || !(off <= tolerance*size) {
		t.Errorf("%s: gradient of %d variables, %.3g off; want %d, of length %.3g", p.where, len(got), off, len(want), size)
	}
}

// holdAccumulation: a step's loss and gradient are the means over its batches.
func (p pairing) holdAccumulation(t *testing.T) {
	t.Helper()
	const batches = 2
	together := p.probe(t, p.c, 24)
	loss, got := together.byVariable(t)
	mean, want := 0.0, map[string][]float32{}
	for i := range batches {
		one := *together
		one.batches = together.batches[i : i+1]
		of, gradient := one.byVariable(t)
		mean += of / batches
		for path, values := range gradient {
			if want[path] == nil {
				want[path] = make([]float32, len(values))
			}
			for k, v := range values {
				want[path][k] += v / batches
			}
		}
	}
	near(t, p.where+": loss of the batches together", loss, mean, 1e-6, 0)
	p.compare(t, got, want, 1e-6)

	_, sum := p.train(t, t.Context(), p.c, Options{})
	norm := 0.0
	for _, of := range want {
		norm = math.Hypot(norm, length(of))
	}
	near(t, p.where+": loss of the step", sum.Curve[0].Loss, mean, 1e-6, 1e-7)
	near(t, p.where+": norm of the step", sum.Curve[0].GradNorm, norm, 1e-5, 0)
}

// holdBFloat16: every loss is within 2 % of float32's; see TestBFloat16FollowsFloat32.
func (p pairing) holdBFloat16(t *testing.T) {
	t.Helper()
	full := p.c
	full.Precision = encoder.Float32
	_, want := p.train(t, t.Context(), full, Options{})
	_, got := p.train(t, t.Context(), p.c, Options{})
	for i, s := range got.Curve {
		near(t, fmt.Sprintf("%s: loss of step %d", p.where, i+1), s.Loss, want.Curve[i].Loss, 0.02, 0)
	}
	if got.Curve[0].Loss == want.Curve[0].Loss {
		t.Errorf("%s: bf16 changes nothing", p.where)
	}
}

// holdLoRA: the adapter starts without effect, only it learns, and it learns: the loss of its
// training batch falls. (This does not hold if the model is its own guide: other negatives give
// another loss, and so do the weights of pairs, which follow the ranks.)
func (p pairing) holdLoRA(t *testing.T) {
	t.Helper()
	without, c := p.c, p.c
	without.LoRA, without.Accumulate, c.Accumulate = encoder.LoRA{}, 0, 0
	n := c.RowsPerGroup * c.Groups / fitting(c, 1).Shapes()[0].Rows()
	start, _ := p.probe(t, without, n).gradients(t)
	adapted, gradients := p.probe(t, c, n).byVariable(t)
	near(t, p.where+": loss at the start", adapted, start, 1e-6, 0)
	for path := range gradients {
		if !strings.HasSuffix(path, ".A") && !strings.HasSuffix(path, ".B") {
			t.Errorf("%s: %s has a gradient", p.where, path)
		}
	}

	enc := newEncoder(t, colours(24))
	before, err := stored(enc.Store())
	if err != nil {
		t.Fatal(err)
	}
	c.Epochs = 12
	if _, err := Train(t.Context(), c, p.l, enc, fitting(c, n), judged); err != nil {
		t.Fatalf("%s: %v", p.where, err)
	}
	after, err := stored(enc.Store())
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range before {
		if same := slices.Equal(w.Values, after[i].Values); same == (strings.HasSuffix(w.Name, "query.weight") || strings.HasSuffix(w.Name, "value.weight")) {
			t.Errorf("%s: %s: unmoved is %v", p.where, w.Name, same)
		}
	}
	end, _ := newProbeOn(t, without, p.l, enc, fitting(c, n), judged).gradients(t)
	if c.FalseNegatives.Guide != Self && (p.l.Form != Pairwise || c.Couples.Weights == "") && !(end < start) {
		t.Errorf("%s: the loss of the batch goes from %v to %v", p.where, start, end)
	}
}

// holdResume: training that was stopped ends with the same bytes and curve as uninterrupted
// training.
func (p pairing) holdResume(t *testing.T) {
	t.Helper()
	p.c.Dropout = 0.1 // dropout continues, too
	want, whole := p.train(t, t.Context(), p.c, Options{})
	dir := filepath.Join(t.TempDir(), "checkpoint")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	p.train(t, ctx, p.c, Options{Checkpoint: dir, OnStep: func(s Step) {
		if s.Step == max(1, whole.Steps/2) {
			stop()
		}
	}})
	got, rest := p.train(t, t.Context(), p.c, Options{Checkpoint: dir})
	if got != want || rest.Resumed != max(1, whole.Steps/2) || fmt.Sprint(rest.Curve) != fmt.Sprint(whole.Curve) {
		t.Errorf("%s: resumed at %d of %d, weights %.8s, want %.8s", p.where, rest.Resumed, whole.Steps, got, want)
	}
}
