package gpucheck

import (
	"testing"

	"infbench/training/encoder"
)

// TestShapes counts weights: 22.6 and 109 million of MiniLM-L6 and e5-base without
// their poolers (22.7 and 109.5 million with), 1,235,814,400 of Llama-3.2-1B by its
// model card's 1.23 B. The large ones are counted, not made.
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
