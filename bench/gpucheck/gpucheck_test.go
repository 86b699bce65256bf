package gpucheck

import (
	"math"
	"strings"
	"testing"

	"infbench/training"
	"infbench/training/encoder"
)

// TestShapes counts weights: 22.6 and 109 million for MiniLM-L6 and e5-base without their
// poolers (22.7 and 109.5 million with), 1,235,814,400 for Llama-3.2-1B, 1.23 B on its model
// card. The large models are counted without being created.
func TestShapes(t *testing.T) {
	for name, want := range map[string]int{
		"minilm-l6":    22_713_216 - 384*384 - 384,
		"e5-base":      109_482_240 - 768*768 - 768,
		"llama-3.2-1b": 1_235_814_400,
	} {
		got, err := encoder.CountWeights(shapes()[name].config)
		if err != nil || got != want {
			t.Errorf("%s: %d weights, %v; want %d", name, got, err, want)
		}
	}
}

func TestCardNamed(t *testing.T) {
	for name, want := range map[string]float64{
		"NVIDIA H200": 989e12, "NVIDIA H100 PCIe": 756e12, "NVIDIA H100 80GB HBM3": 989e12, "NVIDIA L4": 121e12, "NVIDIA L40S": 362e12,
		"NVIDIA A100-SXM4-80GB": 312e12, "Tesla T4": 0,
	} {
		if got := cardNamed(name); got.name != name || got.peak != want {
			t.Errorf("%s: %+v, want a peak of %g", name, got, want)
		}
	}
}

// TestPaperRecords: records have the paper's mean lengths in tokens, and many different
// lengths.
func TestPaperRecords(t *testing.T) {
	rows := training.Rows(PaperRecords(2000))
	for name, c := range map[string]struct {
		text func(training.Row) string
		mean float64
	}{
		"instruction": {func(r training.Row) string { return r.Instruction }, instructionWords},
		"query":       {func(r training.Row) string { return r.Query }, queryWords},
		"passage":     {func(r training.Row) string { return r.Passage }, passageWords},
	} {
		total, seen := 0, map[int]bool{}
		for _, row := range rows {
			n := len(strings.Fields(c.text(row)))
			total, seen[n] = total+n, true
		}
		mean, want := float64(total)/float64(len(rows)), tokensPerWord*c.mean
		if math.Abs(mean-want) > .05*want || len(seen) < 30 {
			t.Errorf("%s: %.1f tokens on average in %d lengths, want %.1f", name, mean, len(seen), want)
		}
	}
}

func TestWork(t *testing.T) {
	for want, w := range map[string]work{
		"2 sequences of 16 tokens":                    {16, 16},
		"3 sequences of 4 to 9 tokens, 7 on average,": {4, 9, 7},
	} {
		if got := w.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	// 5 operations per token and 2 per pair of tokens that attend to each other.
	if got := (cost{5, 2}).total(work{3, 4}); got != 5*7+2*(9+16) {
		t.Errorf("%v operations", got)
	}
	// The step that compiled is not counted.
	if at := middle([]timedStep{{work{10}, 60}, {work{20}, 2}, {work{10}, 1.1}, {work{30}, 2.9}, {work{10}, 50}}); at != 2 {
		t.Errorf("the middle step is %d, want 2", at)
	}
}
