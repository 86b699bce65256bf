package encoder_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// TestInspectGoldens: every golden model runs, except that the goldens have no tokenizer; sizes
// are those of its config.json.
func TestInspectGoldens(t *testing.T) {
	for _, path := range goldenFiles(t, "*") {
		i, err := encoder.Inspect(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(path))
		if len(i.Unknown)+len(i.Missing) > 0 || len(i.Problems) != 1 || !strings.Contains(i.Problems[0], "tokenizer.json") {
			t.Errorf("%s: unknown %v, missing %v, problems %q", name, i.Unknown, i.Missing, i.Problems)
		}
		width := goldenNumber(t, filepath.Dir(path), "hidden_size", "d_model", "dim")
		vocabulary := goldenNumber(t, filepath.Dir(path), "vocab_size")
		layers := goldenNumber(t, filepath.Dir(path), "num_hidden_layers", "num_layers", "n_layers")
		if i.Width != int(width) || i.Vocabulary != int(vocabulary) || i.Layers != int(layers) ||
			i.Memory != 4*i.Parameters || i.Parameters < int64(width*vocabulary) {
			t.Errorf("%s: %+v", name, i)
		}
		kind, dtype := "encoder", "F32"
		switch {
		case strings.HasPrefix(name, "cross_"):
			kind = "cross-encoder"
		case name == "llama_bidirec", name == "qwen2_bidirectional": // of a class without an output
		case strings.HasPrefix(name, "llama"), strings.HasPrefix(name, "qwen2"), strings.HasPrefix(name, "t5_"), name == "mistral_causal":
			kind = "language model"
		case slices.Contains([]string{"gemma3", "gemma3_bf16", "qwen3", "qwen3_sharded", "qwen3_headdim_untied", "qwen3_sliding"}, name):
			kind = "language model" // the others have modules.json, attend both ways or have no output table
		}
		if strings.HasSuffix(name, "_bf16") {
			dtype = "BF16"
		}
		if i.Kind != kind || len(i.DTypes) != 1 || i.DTypes[0] != dtype {
			t.Errorf("%s: is a %s of %v, want a %s of %s", name, i.Kind, i.DTypes, kind, dtype)
		}
	}
}

// TestInspect: the tiny model runs, with a number of parameters computed by hand; damage is
// listed by name.
func TestInspect(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	e := tiny(t)
	if err := e.Save(dir); err != nil {
		t.Fatal(err)
	}
	i, err := encoder.Inspect(dir)
	if err != nil || !i.Runs() {
		t.Fatalf("%+v, %v", i, err)
	}
	// Tables of V tokens, 64 positions, 2 segments; four projections; two
	// feed-forward layers of 128; three norms.
	vocabulary := int64(e.Config().VocabSize)
	want := 64*(vocabulary+64+2) + 4*(64*64+64) + (128*64 + 128) + (64*128 + 64) + 3*2*64
	if i.Parameters != want || i.Dim != 64 || i.Layers != 1 || i.MaxQuery != 40 || i.Pooling != encoder.Mean || !i.Normalize || i.Tokenizer == "" {
		t.Errorf("%d parameters, want %d: %+v", i.Parameters, want, i)
	}
	damage(t, filepath.Join(dir, "model.safetensors"), replace("output.dense.bias", "output.dense.bins"))
	damage(t, filepath.Join(dir, "config.json"), replace(`"intermediate_size": 128`, `"intermediate_size": 127`))
	damage(t, filepath.Join(dir, "tokenizer.json"), replace(`"BertNormalizer"`, `"BirtNormalizer"`))
	i, err = encoder.Inspect(dir)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(append(append(i.Unknown, i.Missing...), i.Problems...), "\n")
	for _, want := range []string{"output.dense.bins", "output.dense.bias", "the configuration needs [127 64]", "the configuration needs [64 127]", "BirtNormalizer"} {
		if !strings.Contains(text, want) {
			t.Errorf("no word of %s in:\n%s", want, text)
		}
	}
}

// TestInspectKinds: each kind of folder is named correctly, with the settings that distinguish
// its vectors or scores.
func TestInspectKinds(t *testing.T) {
	decoder := map[string]any{"architectures": []string{"LlamaForCausalLM"}, "tie_word_embeddings": true}
	folder := func(settings map[string]any) string {
		dir, _ := withHead(t, "llama", "model.", decoder, nil)
		if settings != nil {
			ownFile(t, dir, settings)
		}
		return dir
	}
	bare := folder(nil)
	if err := os.Remove(filepath.Join(bare, "modules.json")); err != nil {
		t.Fatal(err)
	}
	nv, _ := randomFolder(t, nvConfig, nvTensors())
	t5, _ := t5Classifier(t)
	judge := map[string]string{"prompt": "{query} {document}", "yes": "w1", "no": "w2"}
	for _, c := range []struct {
		dir, kind, architecture string
		bothWays                bool
		labels, dim             int
		prompt                  encoder.PromptPooling
	}{
		{nv, "encoder", "nvembed", true, 0, 16, encoder.ExcludePromptBare},
		{bare, "language model", "llama", false, 0, 16, encoder.IncludePrompt},
		{folder(nil), "encoder", "llama", false, 0, 16, encoder.IncludePrompt}, // because of modules.json
		{folder(map[string]any{"attention": "bidirectional", "prompt_pooling": "exclude"}), "encoder", "llama", true, 0, 16, encoder.ExcludePrompt},
		{folder(map[string]any{"judge": judge}), "judge", "llama", false, 0, 0, ""},
		{t5, "cross-encoder", "t5", false, 1, 0, ""},
	} {
		i, err := encoder.Inspect(c.dir)
		if err != nil || !i.Runs() || i.Kind != c.kind || i.Architecture != c.architecture || i.BothWays != c.bothWays ||
			i.Labels != c.labels || i.Dim != c.dim || i.Prompt != c.prompt {
			t.Errorf("want %+v, got %+v, %v", c, i, err)
		}
	}
}

func TestInspectOther(t *testing.T) {
	i, err := encoder.Inspect(denseModel(t, "torch.nn.modules.linear.Identity", 5))
	if err != nil || !i.Runs() || i.Dim != 5 || i.Width != 64 {
		t.Errorf("dense: %+v, %v", i, err)
	}
	i, err = encoder.Inspect(adapter(t, adapterConfig, nil))
	if err != nil || !i.Runs() || i.Kind != "adapter" || i.Parameters != 2*2*64 {
		t.Errorf("adapter: %+v, %v", i, err)
	}
	i, err = encoder.Inspect(adapter(t, strings.Replace(adapterConfig, "FEATURE_EXTRACTION", "SEQ_CLS", 1), nil))
	if err != nil || !i.Runs() || i.Kind != encoder.PairAdapter {
		t.Errorf("adapter of a classifier: %+v, %v", i, err)
	}
	i, err = encoder.Inspect(t.TempDir())
	if err != nil || i.Runs() || !strings.Contains(strings.Join(i.Problems, " "), "config.json") {
		t.Errorf("empty: %+v, %v", i, err)
	}
	_, err = encoder.Inspect(filepath.Join(t.TempDir(), "nothing"))
	wantError(t, err, "no such file")
	i, err = encoder.Inspect(testkit.SharedPath(t, "models", "glove-50d-5k-static"))
	if err != nil || !i.Runs() || i.Architecture != "static" || i.Dim != 50 {
		t.Errorf("static: %+v, %v", i, err)
	}
	i, err = encoder.Inspect(testkit.SharedPath(t, "models", "stories260k-hf"))
	// SOURCE.md: 264,128 floats, including the original's tables of angles with 4,096.
	if err != nil || !i.Runs() || i.Parameters != 264128-4096 {
		t.Errorf("stories: %+v, %v", i, err)
	}
}
