package encoder_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// TestGemma3Spellings: other spellings of a golden's settings change nothing, and other settings
// do, both in the folder and in the saved one.
func TestGemma3Spellings(t *testing.T) {
	folder := testkit.SharedPath(t, "goldens-today", "gemma3")
	layers, window := int(goldenNumber(t, folder, "num_hidden_layers")), goldenNumber(t, folder, "sliding_window")
	pattern := goldenNumber(t, folder, "_sliding_window_pattern")
	global, local := goldenNumber(t, folder, "rope_theta"), goldenNumber(t, folder, "rope_local_base_freq")
	var settings struct {
		Scaling struct{ Factor float64 } `json:"rope_scaling"`
	}
	data, err := os.ReadFile(filepath.Join(folder, "config.json"))
	if err == nil {
		err = json.Unmarshal(data, &settings)
	}
	if err != nil || settings.Scaling.Factor < 2 {
		t.Fatalf("rope_scaling %+v, %v", settings, err)
	}
	linear := func(theta float64) map[string]any {
		return map[string]any{"rope_type": "linear", "factor": settings.Scaling.Factor, "rope_theta": theta}
	}
	plain := func(theta float64) map[string]any { return map[string]any{"rope_type": "default", "rope_theta": theta} }
	thetas := func(full, sliding map[string]any) map[string]any {
		return map[string]any{"rope_theta": nil, "rope_local_base_freq": nil, "rope_scaling": nil,
			"rope_parameters": map[string]any{"full_attention": full, "sliding_attention": sliding}}
	}
	for _, c := range []struct {
		golden  string
		changes map[string]any
		same    bool
	}{
		{"gemma3", map[string]any{"layer_types": nil, "sliding_window_pattern": pattern}, true},
		{"gemma3", map[string]any{"layer_types": nil}, false}, // 6 in transformers, whatever _sliding_window_pattern is
		{"gemma3", map[string]any{"layer_types": slices.Repeat([]string{"full_attention"}, layers), "sliding_window": nil}, false},
		{"gemma3", thetas(linear(global), plain(local)), true},
		{"gemma3", thetas(linear(global), linear(local)), false},
		{"gemma3", map[string]any{"rope_scaling": map[string]any{"type": "linear", "factor": settings.Scaling.Factor}}, true},
		{"gemma3", map[string]any{"rope_scaling": nil}, false},
		{"gemma3", map[string]any{"rope_local_base_freq": local * 7}, false},
		{"gemma3", map[string]any{"rope_theta": nil, "rope_local_base_freq": nil}, global == 1e6 && local == 1e4},
		{"gemma3", map[string]any{"query_pre_attn_scalar": 17}, false},
		{"gemma3", map[string]any{"hidden_activation": nil, "attn_logit_softcapping": 30.0}, true}, // no code uses them
		{"gemma3", map[string]any{"sliding_window": window + 1}, false},
		{"gemma3", map[string]any{"use_bidirectional_attention": true}, false},
		{"embeddinggemma", map[string]any{"sliding_window": goldenNumber(t, testkit.SharedPath(t, "goldens-today", "embeddinggemma"), "sliding_window") / 2}, false},
		{"embeddinggemma", map[string]any{"rope_scaling": linear(0)}, false},
	} {
		dir := goldenCopy(t, c.golden, "")
		want := goldenStates(t, c.golden, dir)
		rewrite(t, filepath.Join(dir, "config.json"), c.changes)
		got := goldenStates(t, c.golden, dir)
		if d := apart(got, want); c.same && d != 0 || !c.same && d < 1e-4 {
			t.Errorf("%s with %v: states differ by %g", c.golden, c.changes, d)
		}
		saved := filepath.Join(t.TempDir(), "saved")
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Save(saved); err != nil {
			t.Fatal(err)
		}
		if d := apart(goldenStates(t, c.golden, saved), got); d != 0 {
			t.Errorf("%s with %v: the saved folder's states differ by %g", c.golden, c.changes, d)
		}
	}
}

// TestGemma3KeepsItsWindow: transformers halves the window of a model that attends both ways
// whenever it reads one, so a saved folder must have the original window.
func TestGemma3KeepsItsWindow(t *testing.T) {
	dir := goldenCopy(t, "embeddinggemma", "")
	want := goldenNumber(t, dir, "sliding_window")
	for range 2 {
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Join(t.TempDir(), "saved")
		if err := e.Save(dir); err != nil {
			t.Fatal(err)
		}
		if got := goldenNumber(t, dir, "sliding_window"); got != want {
			t.Errorf("saved with a window of %g, read with %g", got, want)
		}
	}
}

// TestGemma3Refused: settings that this network does not support are errors that name them.
func TestGemma3Refused(t *testing.T) {
	layers := int(goldenNumber(t, testkit.SharedPath(t, "goldens-today", "gemma3"), "num_hidden_layers"))
	for _, c := range []struct {
		changes map[string]any
		want    string
	}{
		{map[string]any{"model_type": "gemma3"}, `unknown model_type "gemma3" (known: `},
		{map[string]any{"sliding_window": nil}, ""}, // default: 4096
		{map[string]any{"sliding_window": 0}, "sliding_window is 0"},
		{map[string]any{"query_pre_attn_scalar": -1}, "query_pre_attn_scalar is -1"},
		{map[string]any{"head_dim": 15}, "head_dim 15 is not even"},
		{map[string]any{"num_key_value_heads": 77}, "is not a multiple of num_key_value_heads 77"},
		{map[string]any{"layer_types": []string{"full_attention"}}, "layer_types names 1 of "},
		{map[string]any{"layer_types": slices.Repeat([]string{"full"}, layers)}, `unknown layer type "full"`},
		{map[string]any{"rope_scaling": map[string]any{"rope_type": "linear"}}, "rope_scaling linear with factor 0"},
		{map[string]any{"rope_parameters": map[string]any{"full_attention": map[string]any{"rope_theta": 1e6}}}, "rope_parameters without sliding_attention.rope_theta"},
		{map[string]any{"rope_parameters": map[string]any{"rope_theta": 1e6}}, "rope_parameters: "},
		{map[string]any{"rope_local_base_freq": -5}, "rope_local_base_freq is -5"},
		{map[string]any{"is_causal": false}, "use_bidirectional_attention"},
		{map[string]any{"final_logit_softcapping": -2}, "final_logit_softcapping is -2"},
		{map[string]any{"sliding_window_pattern": -2}, "sliding_window_pattern is -2"},
		{map[string]any{"hidden_activation": "gelu_tahn"}, `did you mean`},
		{map[string]any{"attention_bias": true}, "missing tensors: layers.0.self_attn.q_proj.bias"},
		{map[string]any{"vocab_size": nil}, "vocab_size is 0"},
	} {
		dir := goldenCopy(t, "gemma3", "")
		rewrite(t, filepath.Join(dir, "config.json"), c.changes)
		_, err := encoder.Open(dir, backend(t))
		if c.want == "" {
			if err != nil {
				t.Errorf("%v: %v", c.changes, err)
			}
			continue
		}
		wantError(t, err, c.want)
	}
	dir := goldenCopy(t, "gemma3", "")
	damage(t, filepath.Join(dir, "config.json"), replace(`"sliding_window": `, `"sliding_window": null, "was": `))
	_, err := encoder.Open(dir, backend(t))
	wantError(t, err, "sliding_window is null")
	full := slices.Repeat([]string{"full_attention"}, layers)
	damage(t, filepath.Join(dir, "config.json"), replace(`"layer_types": `, `"layer_types": ["`+strings.Join(full, `", "`)+`"], "were": `))
	goldenStates(t, "gemma3", dir) // no layer has a window

	dir = goldenCopy(t, "gemma3", "")
	rewrite(t, filepath.Join(dir, "config.json"), map[string]any{"use_bidirectional_attention": true})
	_, err = encoder.OpenLanguageModel(dir, backend(t))
	wantError(t, err, "predicts no next token")
}

// TestGemma3ImageToken: the published tokenizers have a token for images outside the table of a
// text model.
func TestGemma3ImageToken(t *testing.T) {
	dir := goldenCopy(t, "embeddinggemma", "")
	size := int(goldenNumber(t, dir, "vocab_size"))
	path := filepath.Join(dir, "tokenizer.json")
	var file struct {
		Added []any `json:"added_tokens"`
	}
	readJSON(t, path, &file)
	smaller, err := tokenizer.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for id := smaller.VocabSize(); id < size; id++ { // the position of added tokens counts, not their ID
		file.Added = append(file.Added, map[string]any{"id": id, "content": fmt.Sprintf("<unused%d>", id)})
	}
	image := map[string]any{"id": size, "content": "<image_soft_token>", "special": true, "normalized": false}
	rewrite(t, path, map[string]any{"added_tokens": append(file.Added, image)})
	e, err := encoder.Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	ids := e.Tokens().Document("", "w1 <image_soft_token>")
	if len(ids) < 3 || slices.ContainsFunc(ids, func(id int32) bool { return int(id) >= size }) {
		t.Errorf("ids %v of a table of %d rows", ids, size)
	}
	encodeTexts(t, e, []string{"w1 <image_soft_token>"})
	rewrite(t, path, map[string]any{"added_tokens": append(file.Added, map[string]any{"id": size, "content": "<word>"})})
	_, err = encoder.Open(dir, backend(t))
	wantError(t, err, "the model only")
}
