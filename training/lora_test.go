package training

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/training/encoder"
)

// loraConfig trains an adapter of queries and values.
func loraConfig() Config {
	c := toyConfig()
	c.LoRA = encoder.LoRA{Rank: 4, Alpha: 8, Targets: []string{"query", "attention.self.value"}}
	return c
}

func TestLoRAGradientByDifferences(t *testing.T) {
	data := colours(8)
	c := loraConfig()
	c.RowsPerGroup, c.Temperature = 6, new(0.5)
	enc := newEncoder(t, data)
	if err := enc.Adapt(c.LoRA, 1); err != nil {
		t.Fatal(err)
	}
	p := newProbe(t, c, parsed(t, "uni(P,I)"), enc, data)
	for v := range enc.Store().IterVariables() { // B starts at zero, where A has no gradient
		if !strings.HasSuffix(v.Path(), ".B") {
			continue
		}
		values := make([]float32, v.Shape().Size())
		for i := range values {
			values[i] = float32(i%7-3) / 20
		}
		if err := v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)); err != nil {
			t.Fatal(err)
		}
	}
	p.checkByDifferences(t, "lora")
	layers := enc.Config().NumHiddenLayers
	if got := len(p.sum.variables); got != 4*layers {
		t.Errorf("%d variables are trained, want A and B of two layers in each of %d", got, layers)
	}
}

// TestLoRATrains compares the merged encoder with its base and with the exported adapter, which
// OpenAdapted merges separately.
func TestLoRATrains(t *testing.T) {
	data := colours(24)
	c := loraConfig()
	c.Epochs, c.Dropout = 8, 0.05
	enc := newEncoder(t, data)
	base, adapter := filepath.Join(t.TempDir(), "base"), filepath.Join(t.TempDir(), "adapter")
	if err := enc.Save(base); err != nil {
		t.Fatal(err)
	}
	before, err := stored(enc.Store())
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Train(t.Context(), c, parsed(t, "uni(P,I)"), enc, of(data), Options{Adapter: adapter})
	if err != nil {
		t.Fatal(err)
	}
	if first, last := sum.Curve[0].Loss, sum.Curve[len(sum.Curve)-1].Loss; !(last < first*0.9) {
		t.Errorf("loss went from %v to %v", first, last)
	}
	after, err := stored(enc.Store())
	if err != nil {
		t.Fatal(err)
	}
	if len(after) != len(before) {
		t.Fatalf("%d weights, before %d", len(after), len(before))
	}
	for i, w := range before {
		target := strings.HasSuffix(w.Name, "self.query.weight") || strings.HasSuffix(w.Name, "self.value.weight")
		if same := slices.Equal(w.Values, after[i].Values); same == target {
			t.Errorf("%s: unmoved is %v, targeted is %v", w.Name, same, target)
		}
	}
	again, err := encoder.OpenAdapted(base, adapter, enc.Backend())
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range vectorOf(t, enc) {
		near(t, "vector of the exported adapter", float64(vectorOf(t, again)[i]), float64(x), 0, 1e-6)
	}
	for v := range enc.Store().IterVariables() {
		if !v.Trainable {
			t.Errorf("%s stays frozen", v.Path())
		}
	}
}

// vectorOf is the vector of a fixed query.
func vectorOf(t testing.TB, enc *encoder.Encoder) []float32 {
	t.Helper()
	dst := make([]float32, enc.Dim())
	if err := enc.EncodeQueries(t.Context(), []string{"find boat"}, []string{"only red"}, dst); err != nil {
		t.Fatal(err)
	}
	return dst
}

// TestLoRAResumes crashes a run between two checkpoints. Encoding during training, with graphs
// from before training, must see the merged adapter.
func TestLoRAResumes(t *testing.T) {
	data := colours(24)
	c := loraConfig()
	c.EvaluateEvery, c.Warmup = 3, 0
	run := func(opt Options) string {
		enc := newEncoder(t, data)
		start := vectorOf(t, enc)
		var best []float32
		opt.OnEvaluate = func(step int) (float64, error) {
			if step == 6 {
				best = vectorOf(t, enc)
			}
			return -float64(step % 6), nil
		}
		sum, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), opt)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Best != 6 || slices.Equal(best, start) {
			t.Errorf("best step %d, want 6; its vector is that of the start: %v", sum.Best, slices.Equal(best, start))
		}
		for i, x := range vectorOf(t, enc) {
			near(t, "merged vector", float64(x), float64(best[i]), 0, 1e-6)
		}
		return digest(t, enc)
	}
	want, dir := run(Options{}), t.TempDir()
	func() {
		defer func() { _ = recover() }()
		run(Options{Checkpoint: dir, Every: 5, OnStep: func(s Step) {
			if s.Step == 8 {
				panic("crash")
			}
		}})
	}()
	if got := run(Options{Checkpoint: dir, Every: 5}); got != want {
		t.Errorf("weights %.12s, want %.12s", got, want)
	}
}

func TestLoRARefuses(t *testing.T) {
	data := colours(24)
	c := loraConfig()
	c.LoRA.Targets = []string{"query", "q_proj"}
	enc := newEncoder(t, data)
	if _, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), Options{}); err == nil || !strings.Contains(err.Error(), "no linear layer q_proj") {
		t.Errorf("got %v", err)
	}
	if err := enc.SaveAdapter(t.TempDir()); err == nil {
		t.Error("a missing adapter was saved")
	}
}
