package encoder_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/training/encoder"
	"infbench/training/encoder/safetensors"
)

// loraOnQueries is an adapter of rank 2 on the query projection of the small Llama,
// with other tensors as they are given, and the base's folder with its product
// added to the weights: what a merged model must equal.
func loraOnQueries(t *testing.T, base string, settings map[string]any, saved ...safetensors.Tensor) (adapter, merged string) {
	t.Helper()
	const d, rank, alpha = 16, 2, 5
	source := rand.New(rand.NewPCG(8, 9))
	random := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(source.NormFloat64() / 2)
		}
		return out
	}
	a, b := random(rank*d), random(d*rank)
	const layer = "base_model.model.model.layers.0.self_attn.q_proj."
	list := []safetensors.Tensor{
		{Name: layer + "lora_A.weight", Shape: []int{rank, d}, Values: a},
		{Name: layer + "lora_B.weight", Shape: []int{d, rank}, Values: b},
	}
	merged = filepath.Join(t.TempDir(), "merged")
	if err := os.CopyFS(merged, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	weights := readTensors(t, merged)
	for _, w := range weights {
		if !strings.HasSuffix(w.Name, "layers.0.self_attn.q_proj.weight") {
			continue
		}
		for o := range d {
			for i := range d {
				for k := range rank {
					w.Values[o*d+i] += alpha / float32(rank) * b[o*rank+k] * a[k*d+i]
				}
			}
		}
	}
	writeTensors(t, merged, append(weights, saved...))
	adapter = t.TempDir()
	config := map[string]any{"peft_type": "LORA", "r": rank, "lora_alpha": alpha, "target_modules": []string{"q_proj"}, "bias": "none"}
	maps.Copy(config, settings)
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range saved {
		list = append(list, safetensors.Tensor{Name: "base_model.model." + s.Name, Shape: s.Shape, Values: s.Values})
	}
	var file bytes.Buffer
	if err := safetensors.Write(&file, list); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"adapter_config.json": text, "adapter_model.safetensors": file.Bytes()} {
		if err := os.WriteFile(filepath.Join(adapter, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return adapter, merged
}

// sameScores holds an adapted cross-encoder to one whose weights were merged here.
func sameScores(t *testing.T, base, adapter, merged string) {
	t.Helper()
	got, err := encoder.OpenAdaptedCrossEncoder(base, adapter, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	want, err := encoder.OpenCrossEncoder(merged, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	documents := []string{"w3 w4", "w5", "w6 w7 w8"}
	x, y := scores(t, got, "w1", "w2", documents), scores(t, want, "w1", "w2", documents)
	if worst := distance2([][]float32{x}, [][]float64{widened(y)}); !(worst <= 1e-5) {
		t.Errorf("scores %v, want %v", x, y)
	}
	if plain, err := encoder.OpenCrossEncoder(base, backend(t)); err == nil && slices.Equal(scores(t, plain, "w1", "w2", documents), x) {
		t.Error("the adapter changes nothing")
	}
}

// TestAdaptedClassifier: an adapter of task type SEQ_CLS brings its head to a
// language model, as RankLLaMA, or replaces that of a classifier.
func TestAdaptedClassifier(t *testing.T) {
	score := safetensors.Tensor{Name: "score.weight", Shape: []int{1, 16}, Values: make([]float32, 16)}
	for i := range score.Values {
		score.Values[i] = float32(i%5) - 2
	}
	// PEFT lists both names for every classifier.
	settings := map[string]any{"task_type": "SEQ_CLS", "modules_to_save": []string{"classifier", "score"}}
	base, _ := withHead(t, "llama", "model.", map[string]any{"architectures": []string{"LlamaForCausalLM"}, "tie_word_embeddings": true}, nil)
	adapter, merged := loraOnQueries(t, base, settings, score)
	rewrite(t, filepath.Join(merged, "config.json"), map[string]any{"architectures": []string{"LlamaForSequenceClassification"}, "id2label": labels(1)})
	sameScores(t, base, adapter, merged)
	if i, err := encoder.Inspect(adapter); err != nil || !i.Runs() || i.Kind != "adapter of a cross-encoder" {
		t.Errorf("%+v, %v", i, err)
	}

	classifier, _ := withHead(t, "llama", "model.", map[string]any{"architectures": []string{"LlamaForSequenceClassification"}, "id2label": labels(1)},
		[]shaped{{"score.weight", []int{1, 16}}})
	again, err := encoder.OpenAdaptedCrossEncoder(classifier, adapter, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	want, err := encoder.OpenCrossEncoder(merged, backend(t)) // the same network: New's seed
	if err != nil {
		t.Fatal(err)
	}
	if x, y := scores(t, again, "w1", "", []string{"w3"}), scores(t, want, "w1", "", []string{"w3"}); distance2([][]float32{x}, [][]float64{widened(y)}) > 1e-5 {
		t.Errorf("replaced head: %v, want %v", x, y)
	}

	for _, c := range []struct {
		settings map[string]any
		saved    []safetensors.Tensor
		want     string
	}{
		{settings, nil, "no head score.weight among the saved modules"},
		{map[string]any{"task_type": "SEQ_CLS", "modules_to_save": []string{"score"}},
			[]safetensors.Tensor{{Name: "score.weight", Shape: []int{1, 15}, Values: make([]float32, 15)}}, "has shape [1 15], the model asks for [1 16]"},
		{map[string]any{"task_type": "SEQ_CLS"}, []safetensors.Tensor{score}, "unknown tensors: base_model.model.score.weight"},
		{map[string]any{"task_type": "SEQ_CLS", "modules_to_save": []string{"score", "model.norm"}}, []safetensors.Tensor{score}, "but norm.weight is not saved"},
		{map[string]any{"task_type": "SEQ_CLS", "modules_to_save": []string{"score"}},
			[]safetensors.Tensor{score, {Name: "score.bias", Shape: []int{1}, Values: []float32{0}}}, "saves score.bias, which the model has not"},
	} {
		adapter, _ := loraOnQueries(t, base, c.settings, c.saved...)
		_, err := encoder.OpenAdaptedCrossEncoder(base, adapter, backend(t))
		wantError(t, err, c.want)
	}
}

// TestAdaptedJudge: an adapter under a judge, with an output table that it saves.
func TestAdaptedJudge(t *testing.T) {
	base, _ := withHead(t, "llama", "model.", map[string]any{"architectures": []string{"LlamaForCausalLM"}, "tie_word_embeddings": true}, nil)
	ownFile(t, base, map[string]any{"judge": map[string]string{"prompt": "w20 {query} w21 {document}", "yes": "w1", "no": "w2"}})
	adapter, merged := loraOnQueries(t, base, map[string]any{"task_type": "CAUSAL_LM"})
	sameScores(t, base, adapter, merged)
}
