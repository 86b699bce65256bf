package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"infbench/training/tokenizer"
)

// On devices, long texts attend to keys in blocks. Their vectors equal those that the Go backend
// computes from all scores at once: causal and both ways, with grouped queries, windows and
// learned biases, next to short texts, and equally close in bfloat16.
func TestLongTextsInBlocks(t *testing.T) {
	native, err := compute.NewWithConfig("go:parallelism=-1")
	if err != nil {
		t.Fatal(err)
	}
	defer native.Finalize()
	rng := rand.New(rand.NewPCG(5, 6))
	text := func(words int) string {
		list := make([]string, words)
		for i := range list {
			list[i] = fmt.Sprintf("w%d", rng.IntN(50))
		}
		return strings.Join(list, " ")
	}
	texts := []string{text(squareKeys + 100), text(40)}
	tok, err := tokenizer.BuildWordPiece(func(yield func(string) bool) { yield(strings.Join(texts, " ")) }, 200)
	if err != nil {
		t.Fatal(err)
	}
	window := 300
	for name, edit := range map[string]func(*Config){
		"bert": func(*Config) {},
		"llama": func(c *Config) {
			c.ModelType, c.HiddenAct, c.NumKeyValueHeads, c.Text.Pooling = "llama", "silu", 1, Last
		},
		"gemma3": func(c *Config) {
			c.ModelType, c.HiddenAct, c.NumKeyValueHeads, c.HeadDim = "gemma3_text", "gelu_pytorch_tanh", 1, 8
			c.SlidingWindow, c.LayerTypes = &window, []string{"sliding_attention"}
		},
		"t5": func(c *Config) { c.ModelType, c.HiddenAct, c.HeadDim = "t5", "gated-gelu", 8 },
	} {
		c := Config{
			ModelType: "bert", HiddenAct: "gelu", HiddenSize: 16, IntermediateSize: 16, NumHiddenLayers: 1, NumAttentionHeads: 2,
			MaxPositionEmbeddings: 4096, Text: Text{Pooling: Mean, MaxQuery: 4096, MaxDocument: 4096},
		}
		edit(&c)
		on := func(backend compute.Backend, p Precision) []float32 {
			t.Helper()
			enc, err := New(c, tok, 1, backend)
			if err == nil {
				err = enc.SetPrecision(p)
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			dst := make([]float32, len(texts)*enc.Dim())
			if err := enc.EncodeDocuments(t.Context(), make([]string, len(texts)), texts, dst); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return dst
		}
		for p, most := range map[Precision]float64{Float32: 2e-6, BFloat16: 2e-2} {
			if p == BFloat16 && name != "llama" {
				continue // takes long and tests nothing new
			}
			got, want := on(another{native}, p), on(native, p)
			for i := range want {
				if d := math.Abs(float64(got[i] - want[i])); !(d <= most*(1+largest(want))) {
					t.Errorf("%s in %s: value %d is %g, want %g", name, p, i, got[i], want[i])
					break
				}
			}
		}
	}
}
