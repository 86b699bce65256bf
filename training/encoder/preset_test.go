package encoder_test

import (
	"slices"
	"testing"

	"infbench/training/encoder"
)

// Each tiny network starts with different vectors for different texts, and is the same network in
// the folder that Save writes.
func TestTinyNetworks(t *testing.T) {
	queries := []string{"w1 w2 w3", "w7 w8 w9"}
	instructions := []string{"w4 w5 w6", "w4 w5 w6"}
	for name, config := range encoder.Tiny() {
		t.Run(name, func(t *testing.T) {
			e, err := encoder.New(config, wordTokenizer(t, 100), 1, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			before := make([]float32, 2*e.Dim())
			if err := e.EncodeQueries(t.Context(), queries, instructions, before); err != nil {
				t.Fatal(err)
			}
			var cosine float32
			for i := range e.Dim() {
				cosine += before[i] * before[e.Dim()+i]
			}
			if cosine > 0.98 {
				t.Errorf("the cosine of two texts with three words in common is %.3f", cosine)
			}
			dir := t.TempDir()
			if err := e.Save(dir); err != nil {
				t.Fatal(err)
			}
			again, err := encoder.Open(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			after := make([]float32, len(before))
			if err := again.EncodeQueries(t.Context(), queries, instructions, after); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(before, after) {
				t.Error("the saved network gives other vectors")
			}
		})
	}
}
