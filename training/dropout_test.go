package training

import (
	"runtime"
	"testing"
)

// TestDropoutGradientByDifferences keeps the dropout key fixed while a weight moves.
func TestDropoutGradientByDifferences(t *testing.T) {
	data := colours(8)
	c := toyConfig()
	c.RowsPerGroup, c.Dropout, c.Temperature = 6, 0.2, new(0.5)
	newProbe(t, c, parsed(t, "uni(P,I)"), newEncoder(t, data), data).checkByDifferences(t, "dropout")
}

// TestDropoutIsAFunctionOfSeedAndStep: weights after dropout are the same on any number of cores
// and differ without dropout; every step of every seed has its own key.
func TestDropoutIsAFunctionOfSeedAndStep(t *testing.T) {
	c := toyConfig()
	c.Epochs, c.Dropout = 1, 0.1
	l := parsed(t, "uni(P)")
	want, _ := trained(t, c, l, Options{})
	cores := runtime.GOMAXPROCS(1)
	got, _ := trained(t, c, l, Options{})
	runtime.GOMAXPROCS(cores)
	if got != want {
		t.Error("weights depend on GOMAXPROCS")
	}
	plain := c
	plain.Dropout = 0
	if got, _ := trained(t, plain, l, Options{}); got == want {
		t.Error("dropout changes nothing")
	}
	o, _ := c.Objective()
	s, err := newSampler(c, o, l, of(colours(24)))
	if err != nil {
		t.Fatal(err)
	}
	other := *s
	other.seed++
	keys := map[[2]uint64]bool{}
	for step := range 3 {
		keys[s.batch(step).Dropout] = true
		keys[other.batch(step).Dropout] = true
	}
	if len(keys) != 6 {
		t.Errorf("3 steps under 2 seeds have %d keys", len(keys))
	}
}

// TestChunksDropTheSameTwice: the two passes of a chunk must drop the same values, or the
// gradient is wrong. Sequences in one chunk use the same key as the undivided batch.
func TestChunksDropTheSameTwice(t *testing.T) {
	c := toyConfig()
	c.Epochs, c.Warmup, c.Dropout = 1, 0, 0.2
	l := parsed(t, "uni(P)")
	_, want := trained(t, c, l, Options{})
	c.Chunk = 24 // 12 passages, 12 anchors
	_, got := trained(t, c, l, Options{})
	for i, s := range got.Curve {
		near(t, "loss", s.Loss, want.Curve[i].Loss, 1e-4, 0)
		near(t, "norm", s.GradNorm, want.Curve[i].GradNorm, 1e-3, 0)
	}
}

// TestEvaluationDropsNothing compares vectors before and after a run that moves no weight,
// because its rate is almost zero.
func TestEvaluationDropsNothing(t *testing.T) {
	data := colours(24)
	enc := newEncoder(t, data)
	vector := func() []float32 {
		dst := make([]float32, enc.Dim())
		if err := enc.EncodeDocuments(t.Context(), []string{""}, []string{data[0].Positive}, dst); err != nil {
			t.Fatal(err)
		}
		return dst
	}
	before := vector()
	c := toyConfig()
	c.Epochs, c.Dropout, c.LearningRate = 1, 0.5, 1e-30
	if _, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), Options{}); err != nil {
		t.Fatal(err)
	}
	for i, v := range vector() {
		if v != before[i] {
			t.Fatalf("component %d moved from %v to %v", i, before[i], v)
		}
	}
}
