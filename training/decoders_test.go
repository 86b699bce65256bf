package training

import (
	"fmt"
	"path/filepath"
	"testing"

	"infbench/datasets"
	"infbench/training/encoder"
)

// decoders lists today's decoders, each small enough for a step in some 10 ms.
func decoders() map[string]encoder.Config {
	small := func(family string) encoder.Config {
		c := encoder.TinyLlama()
		c.ModelType, c.HiddenSize, c.IntermediateSize, c.NumHiddenLayers, c.NumAttentionHeads, c.NumKeyValueHeads = family, 16, 24, 2, 2, 1
		return c
	}
	qwen3, windowed := small("qwen3"), small("qwen3")
	qwen3.HeadDim, qwen3.Text.Pooling = 6, encoder.Last
	windowed.UseSlidingWindow, windowed.SlidingWindow, windowed.MaxWindowLayers = true, new(3), new(1)
	qwen2, mistral := small("qwen2"), small("mistral")
	qwen2.Causal, mistral.Causal = new(false), new(false)
	return map[string]encoder.Config{
		"qwen3": qwen3, "qwen3 with windows": windowed, "llama both ways": small("llama_bidirec"), "qwen2 both ways": qwen2, "mistral both ways": mistral,
	}
}

// freshDecoder makes a fresh decoder for the texts of triplets.
func freshDecoder(t *testing.T, config encoder.Config, triplets []datasets.Triplet) *encoder.Encoder {
	t.Helper()
	enc, err := encoder.New(config, newEncoder(t, triplets).Tokenizer(), 1, openBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	return enc
}

// TestDecodersTrain checks the gradient of every loss with respect to all weights of
// each decoder, and to those of its adapter, by central differences.
func TestDecodersTrain(t *testing.T) {
	data := colours(4)
	for name, config := range decoders() {
		for _, adapter := range []encoder.LoRA{{}, {Rank: 2, Alpha: 4}} {
			t.Run(fmt.Sprintf("%s, adapter of rank %d", name, adapter.Rank), func(t *testing.T) {
				enc := freshDecoder(t, config, data)
				if adapter.Rank > 0 {
					if err := enc.Adapt(adapter, 1); err != nil {
						t.Fatal(err)
					}
				}
				for n, l := range extended(t) {
					c := toyConfig()
					c.RowsPerGroup, c.Temperature, c.Seed, c.LoRA = 6, new(0.5), int64(n), adapter
					p := newProbe(t, c, l, enc, data)
					p.checkSlope(t, l.String())
					p.sum.finalize()
				}
			})
		}
	}
}

// TestDecodersLearn: training improves each decoder on its task, and the saved model, as a folder
// or as an adapter of its initial model, equals the trained one.
func TestDecodersLearn(t *testing.T) {
	data := colours(24)
	for name, config := range decoders() {
		t.Run(name, func(t *testing.T) {
			enc := freshDecoder(t, config, data)
			start, adapter, saved := filepath.Join(t.TempDir(), "start"), filepath.Join(t.TempDir(), "adapter"), filepath.Join(t.TempDir(), "saved")
			if err := enc.Save(start); err != nil {
				t.Fatal(err)
			}
			c := toyConfig()
			c.Epochs, c.LearningRate = 8, 2e-2
			c.LoRA = encoder.LoRA{Rank: 4, Alpha: 8, Targets: []string{"q_proj", "k_proj", "v_proj", "o_proj", "down_proj"}}
			sum, err := Train(t.Context(), c, parsed(t, "uni(P,I)"), enc, of(data), Options{Adapter: adapter})
			if err != nil {
				t.Fatal(err)
			}
			if first, last := sum.Curve[0].Loss, sum.Curve[len(sum.Curve)-1].Loss; !(last < first*0.9) {
				t.Errorf("loss went from %v to %v", first, last)
			}
			if err := enc.Save(saved); err != nil {
				t.Fatal(err)
			}
			whole, err := encoder.Open(saved, enc.Backend())
			if err != nil {
				t.Fatal(err)
			}
			merged, err := encoder.OpenAdapted(start, adapter, enc.Backend())
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range vectorOf(t, enc) {
				near(t, "vector of the saved folder", float64(vectorOf(t, whole)[i]), float64(x), 0, 0)
				near(t, "vector of the exported adapter", float64(vectorOf(t, merged)[i]), float64(x), 0, 1e-6)
			}
		})
	}
}
