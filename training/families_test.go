package training

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/training/encoder"
	"infbench/training/weights"
)

// withDense puts two linear layers on the pooled vectors of a model, as in EmbeddingGemma.
func withDense(t *testing.T, enc *encoder.Encoder) *encoder.Encoder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "model")
	if err := enc.Save(dir); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	modules := []map[string]any{{"path": "", "type": "Transformer"}, {"path": "1_Pooling", "type": "Pooling"}}
	for i, shape := range [][]int{{24, 16}, {10, 24}} {
		folder, values := fmt.Sprintf("%d_Dense", 2+i), make([]float32, shape[0]*shape[1])
		for k := range values {
			values[k] = float32((k*k+i)%11-5) / 40
			if k/shape[1] == k%shape[1] {
				values[k]++
			}
		}
		var file bytes.Buffer
		if err := weights.Write(&file, []weights.Tensor{{Name: "linear.weight", Shape: shape, Values: values}}); err != nil {
			t.Fatal(err)
		}
		write(folder+"/model.safetensors", file.Bytes())
		write(folder+"/config.json", fmt.Appendf(nil, `{"in_features": %d, "out_features": %d, "bias": false, "activation_function": "torch.nn.modules.linear.Identity"}`, shape[1], shape[0]))
		modules = append(modules, map[string]any{"path": folder, "type": "Dense"})
	}
	modules = append(modules, map[string]any{"path": "4_Normalize", "type": "Normalize"}) // a folder that does not exist
	for _, m := range modules {
		m["type"] = "sentence_transformers.models." + m["type"].(string)
	}
	data, err := json.Marshal(modules)
	if err != nil {
		t.Fatal(err)
	}
	write("modules.json", data)
	dense, err := encoder.Open(dir, enc.Backend())
	if err != nil {
		t.Fatal(err)
	}
	if dense.Dim() != 10 {
		t.Fatalf("vectors of %d components, want 10", dense.Dim())
	}
	return dense
}

// TestFamiliesUnderAllLosses checks the gradient of every loss with respect to all
// weights by central differences, in the networks that no golden run trains.
func TestFamiliesUnderAllLosses(t *testing.T) {
	data := colours(4)
	for name, enc := range map[string]*encoder.Encoder{
		"gemma3_text": newLike(t, "gemma3_text", data),
		"dense":       withDense(t, newLike(t, "gemma3_text", data)),
		"nvembed":     newLike(t, "nvembed", data),
	} {
		for n, l := range extended(t) {
			c := toyConfig()
			c.RowsPerGroup, c.Temperature, c.Seed = 6, new(0.5), int64(n)
			p := newProbe(t, c, l, enc, data)
			p.checkSlope(t, fmt.Sprintf("%s, %s", name, l))
			p.sum.finalize()
		}
	}
}

// wholeText is an NV-Embed that pools prompts, as training requires, in a folder whose
// config.json names the token that ends texts.
func wholeText(t *testing.T, enc *encoder.Encoder) *encoder.Encoder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "model")
	if err := enc.Save(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(data, []byte(`"text_config": {`), []byte(`"text_config": {"eos_token_id": 3, `), 1)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	whole, err := encoder.Open(dir, enc.Backend())
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// TestFamiliesAdapt: an adapter learns, merges into the folder that Save writes, and loads again
// from its own folder.
func TestFamiliesAdapt(t *testing.T) {
	data := colours(24)
	for name, enc := range map[string]*encoder.Encoder{
		"gemma3_text": newLike(t, "gemma3_text", data),
		"dense":       withDense(t, newLike(t, "gemma3_text", data)),
		"nvembed":     wholeText(t, newLike(t, "nvembed", data)),
	} {
		c := toyConfig()
		c.LoRA, c.Epochs = encoder.LoRA{Rank: 4, Alpha: 8}, 8
		if name == "nvembed" {
			c.LoRA.Targets = []string{"q_proj", "fn.to_kv"}
		}
		base, adapter, merged := filepath.Join(t.TempDir(), "base"), filepath.Join(t.TempDir(), "adapter"), filepath.Join(t.TempDir(), "merged")
		if err := enc.Save(base); err != nil {
			t.Fatal(err)
		}
		sum, err := Train(t.Context(), c, parsed(t, "uni(P,I)"), enc, of(data), Options{Adapter: adapter})
		if err != nil {
			t.Fatal(name, err)
		}
		if first, last := sum.Curve[0].Loss, sum.Curve[len(sum.Curve)-1].Loss; !(last < first*0.95) {
			t.Errorf("%s: loss went from %v to %v", name, first, last)
		}
		if err := enc.Save(merged); err != nil {
			t.Fatal(err)
		}
		whole, err := encoder.Open(merged, enc.Backend())
		if err != nil {
			t.Fatal(name, err)
		}
		again, err := encoder.OpenAdapted(base, adapter, enc.Backend())
		if err != nil {
			t.Fatal(name, err)
		}
		for i, x := range vectorOf(t, enc) {
			near(t, name+": vector of the merged folder", float64(vectorOf(t, whole)[i]), float64(x), 0, 1e-6)
			near(t, name+": vector of the exported adapter", float64(vectorOf(t, again)[i]), float64(x), 0, 1e-6)
		}
		for v := range enc.Store().IterVariables() {
			if strings.HasPrefix(v.Path(), "/lora") {
				t.Errorf("%s: %s is left", name, v.Path())
			}
		}
	}
}
