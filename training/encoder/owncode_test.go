package encoder_test

import (
	"os"
	"path/filepath"
	"testing"

	"infbench/training/encoder"
)

// TestOwnCode: a network of the repository's own code is an error until its attention is set; a
// saved model sets it.
func TestOwnCode(t *testing.T) {
	auto := func(key, reference string) map[string]any { return map[string]any{key: reference} }
	for _, c := range []struct {
		golden  string
		changes map[string]any
		own     string
		want    string
	}{
		{"llama", map[string]any{"auto_map": auto("AutoModel", "modeling_llama_encoder.LlamaEncoderModel"), "architectures": []string{"LlamaEncoderModel"}}, "",
			`auto_map: AutoModel is modeling_llama_encoder.LlamaEncoderModel, the repository's own code, which is not run; if LlamaModel computes the same, set its attention: write {"attention": "bidirectional"}`},
		{"llama", map[string]any{"auto_map": auto("AutoModel", "org/code--modeling.OtherModel")}, `{"attention": "bidirectional"}`, ""},
		{"llama", map[string]any{"auto_map": auto("AutoModel", "modeling.OtherModel")}, `{"attention": "causal"}`, ""},
		{"llama", map[string]any{"auto_map": auto("AutoModel", "modeling.OtherModel")}, `{"max_query_tokens": 12}`, "auto_map"},
		{"llama", map[string]any{"auto_map": auto("AutoModelForCausalLM", "modeling.OwnForCausalLM"), "architectures": []string{"OwnForCausalLM"}}, "", "auto_map: AutoModelForCausalLM"},
		{"llama", map[string]any{"auto_map": auto("AutoConfig", "configuration.OwnConfig")}, "", ""},
		{"llama", map[string]any{"auto_map": auto("AutoModelForCausalLM", "modeling.OwnForCausalLM")}, "", ""},
		{"qwen2", map[string]any{"auto_map": auto("AutoModel", "modeling_qwen.Qwen2Model")}, "", "auto_map: AutoModel is modeling_qwen.Qwen2Model"},
		{"qwen2", map[string]any{"auto_map": auto("AutoModel", "modeling_qwen.Qwen2Model"), "is_causal": false}, "", ""},
		{"bert", map[string]any{"auto_map": auto("AutoModel", "jinaai/jina-bert-implementation--modeling_bert.JinaBertModel")}, "", "auto_map"},
	} {
		dir := goldenCopy(t, c.golden, c.own)
		rewrite(t, filepath.Join(dir, "config.json"), c.changes)
		for range 2 {
			e, err := encoder.Open(dir, backend(t))
			if i, problem := encoder.Inspect(dir); problem != nil || i.Runs() != (err == nil) {
				t.Errorf("%v: models check reports %v, %v", c.changes, i.Faults(), problem)
			}
			if c.want != "" {
				wantError(t, err, c.want)
				break
			}
			if err != nil {
				t.Errorf("%v: %v", c.changes, err)
				break
			}
			dir = filepath.Join(t.TempDir(), "saved")
			if err := e.Save(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := goldenCopy(t, "llama", "")
	rewrite(t, filepath.Join(dir, "config.json"), map[string]any{"auto_map": auto("AutoModel", "modeling.OtherModel")})
	card := encoder.Card{Name: "other", Kind: "encoder", Attention: "bidirectional"}
	if e, err := card.Open(dir, backend(t)); err != nil || !e.Config().Text.BothWays {
		t.Errorf("by its card: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "infbench.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := card.Open(dir, backend(t))
	wantError(t, err, "auto_map")
}
