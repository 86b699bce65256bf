package encoder_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"infbench/training/encoder"
)

// The small NV-Embed of the tests.
const (
	nvConfig = `{"model_type": "nvembed", "architectures": ["NVEmbedModel"], "hidden_size": 16, "torch_dtype": "float32",
		"padding_side": "right", "is_mask_instruction": true, "add_eos": true, "add_pad_token": true, "mask_type": "b",
		"latent_attention_config": {"model_type": "latent_attention", "num_latents_value": 5, "num_cross_heads": 2,
			"cross_dim_head": 12, "hidden_dim": 16, "latent_dim": 16, "output_normalize": false},
		"text_config": {"model_type": "bidir_mistral", "vocab_size": 200, "hidden_size": 16, "num_hidden_layers": 2,
			"num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 24, "hidden_act": "silu",
			"max_position_embeddings": 64, "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "sliding_window": 2, "eos_token_id": 9}}`
	nvTexts = `{"query": "w20 {instruction} w21 {query}", "query_without_instruction": "{query}", "document": "{title} {text}",
		"document_without_title": "{text}", "max_query_tokens": 40, "max_document_tokens": 40}`
	nvLatents, nvHeads, nvHeadDim, nvEOS = 5, 2, 12, 9
)

var nvMistral = mistralShape{vocabulary: 200, width: 16, layers: 2, heads: 4, keyHeads: 2, inner: 24}

// nvTensors lists the weights of the small NV-Embed.
func nvTensors() []shaped {
	d, inner, latent := nvMistral.width, nvHeads*nvHeadDim, "latent_attention_model."
	attention, forward := latent+"cross_attend_blocks.0.", latent+"cross_attend_blocks.1."
	return append(nvMistral.tensors("embedding_model."),
		shaped{latent + "latents", []int{nvLatents, d}},
		shaped{attention + "norm.weight", []int{d}}, shaped{attention + "norm.bias", []int{d}},
		shaped{attention + "norm_context.weight", []int{d}}, shaped{attention + "norm_context.bias", []int{d}},
		shaped{attention + "fn.to_q.weight", []int{inner, d}}, shaped{attention + "fn.to_kv.weight", []int{2 * inner, d}},
		shaped{attention + "fn.to_out.weight", []int{d, inner}},
		shaped{forward + "norm.weight", []int{d}}, shaped{forward + "norm.bias", []int{d}},
		shaped{forward + "fn.net.0.weight", []int{8 * d, d}}, shaped{forward + "fn.net.0.bias", []int{8 * d}},
		shaped{forward + "fn.net.2.weight", []int{d, 4 * d}}, shaped{forward + "fn.net.2.bias", []int{d}})
}

// nvStates is the network from section 3.1 of its paper and the published modeling_nvembed.py:
// states attend to the latents, then go through a feed-forward layer with a gate on the second
// half.
func nvStates(w values, ids []int32) [][]float64 {
	const latent, eps = "latent_attention_model.", 1e-5
	const attention, forward = latent + "cross_attend_blocks.0.", latent + "cross_attend_blocks.1."
	inner := nvHeads * nvHeadDim
	var k, v [][]float64
	for i := range nvLatents {
		both := w.apply(attention+"fn.to_kv", w.norm(attention+"norm_context", w.row(latent+"latents", i, nvMistral.width), eps))
		k, v = append(k, both[:inner]), append(v, both[inner:])
	}
	states := nvMistral.states(w, "embedding_model.", ids, false)
	for s, x := range states {
		q := w.apply(attention+"fn.to_q", w.norm(attention+"norm", x, eps))
		var mixed []float64
		for h := range nvHeads {
			mixed = append(mixed, mix(q[h*nvHeadDim:(h+1)*nvHeadDim], part(k, h, nvHeadDim), part(v, h, nvHeadDim), 1/math.Sqrt(nvHeadDim))...)
		}
		x = plus(x, w.apply(attention+"fn.to_out", mixed))
		wide := w.apply(forward+"fn.net.0", w.norm(forward+"norm", x, eps))
		gated := wide[:len(wide)/2]
		for i, g := range wide[len(wide)/2:] {
			gated[i] *= gelu64(g)
		}
		states[s] = plus(x, w.apply(forward+"fn.net.2", gated))
	}
	return states
}

// TestNVEmbed: vectors are the mean of the states after the latents, without as many tokens as
// the instruction has; the text and the end token follow these. A saved model returns the same,
// under the published names.
func TestNVEmbed(t *testing.T) {
	dir, w := randomFolder(t, nvConfig, nvTensors())
	if err := os.WriteFile(filepath.Join(dir, "infbench.json"), []byte(nvTexts), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		if text := e.Config().Text; text.Prompt != encoder.ExcludePromptBare || !text.AppendEOS {
			t.Fatalf("%+v", text)
		}
		got, tok := make([]float32, e.Dim()), e.Tokenizer()
		for _, c := range []struct {
			query, instruction, title, text string
			whole                           string
			left                            int
		}{
			{query: "w1 w2 w3", instruction: "w4 w5", whole: "w20 w4 w5 w21 w1 w2 w3", left: len(tok.Tokenize("w20 w4 w5 w21"))},
			{query: "w1 w2 w3", whole: "w1 w2 w3"},
			{title: "w6", text: "w7 w8", whole: "w6 w7 w8"},
		} {
			if c.query != "" {
				err = e.EncodeQueries(context.Background(), []string{c.query}, []string{c.instruction}, got)
			} else {
				err = e.EncodeDocuments(context.Background(), []string{c.title}, []string{c.text}, got)
			}
			if err != nil {
				t.Fatal(err)
			}
			states := nvStates(w, append(tok.Encode(c.whole, 0), nvEOS))
			want := unit(mean(states[c.left:]))
			if worst := distance2([][]float32{got}, [][]float64{want}); !(worst <= embeddingTolerance) {
				t.Errorf("%q: vector differs by %g", c.whole, worst)
			}
		}
		dir = filepath.Join(t.TempDir(), "saved")
		if err := e.Save(dir); err != nil {
			t.Fatal(err)
		}
		var config struct {
			Text   map[string]any `json:"text_config"`
			Hidden int            `json:"hidden_size"`
		}
		data, err := os.ReadFile(filepath.Join(dir, "config.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &config); err != nil || config.Text["model_type"] != "bidir_mistral" || config.Text["num_key_value_heads"] != 2.0 || config.Hidden != 16 {
			t.Errorf("saved configuration, %v: %s", err, data)
		}
	}
}

// TestNVEmbedConfig: settings that this code does not support are errors.
func TestNVEmbedConfig(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"mask_type": "b"`, `"mask_type": "c"`, `mask_type "c" is not supported`},
		{`"latent_dim": 16`, `"latent_dim": 32`, "latent_dim 32 must be hidden_size 16"},
		{`"num_cross_heads": 2`, `"num_cross_heads": 0`, "num_cross_heads is 0"},
		{`"text_config"`, `"test_config"`, "no text_config"},
		{`"latent_attention_config"`, `"latent_config"`, "no latent_attention_config"},
		{`"num_latents_value": 5`, `"num_latents_value": 6`, `"latent_attention_model.latents" has shape [5 16], but the configuration needs [6 16]`},
	} {
		dir, _ := randomFolder(t, nvConfig, nvTensors())
		damage(t, filepath.Join(dir, "config.json"), replace(c.old, c.new))
		_, err := encoder.Open(dir, backend(t))
		wantError(t, err, c.want)
	}
}
