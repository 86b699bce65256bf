package encoder_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/training/encoder"
	"infbench/training/weights"
)

// tensorsIn rewrites the tensors of a folder.
func tensorsIn(t *testing.T, dir string, change func([]weights.Tensor) []weights.Tensor) {
	t.Helper()
	path := filepath.Join(dir, "model.safetensors")
	file, err := weights.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []weights.Tensor
	for _, info := range file.Tensors() {
		values, err := file.Float32(info)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, weights.Tensor{Name: info.Name, Shape: info.Shape, Values: values})
	}
	var b bytes.Buffer
	if err := weights.Write(&b, change(list)); err != nil {
		t.Fatal(err)
	}
	file.Close()
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestLeftOutTensors: an unused head is an error with a suggestion, and is left out if
// infbench.json lists it, as AutoModel leaves it out. Names may have a prefix.
func TestLeftOutTensors(t *testing.T) {
	with := func(names ...string) func([]weights.Tensor) []weights.Tensor {
		return func(list []weights.Tensor) []weights.Tensor {
			for _, name := range names {
				list = append(list, weights.Tensor{Name: name, Shape: []int{2}, Values: []float32{1, 2}})
			}
			return list
		}
	}
	prefixed := func(prefix string) func([]weights.Tensor) []weights.Tensor {
		return func(list []weights.Tensor) []weights.Tensor {
			for i := range list {
				list[i].Name = prefix + list[i].Name
			}
			return list
		}
	}
	for _, c := range []struct {
		name   string
		change func([]weights.Tensor) []weights.Tensor
		hint   string // for the folder without changes
		own    string // infbench.json with which it runs, or
		want   string // the error with it
	}{
		{"SimCSE", with("mlp.dense.weight", "mlp.dense.bias"), `{"leave_out": ["mlp."]}`, `{"leave_out": ["mlp."]}`, ""},
		{"two heads", with("logit_scale", "v_head.summary.weight"), `{"leave_out": ["logit_scale", "v_head."]}`, `{"leave_out": ["logit_scale", "v_head."]}`, ""},
		{"in BERT", with("vocab_projector.weight"), `{"leave_out": ["vocab_projector."]}`, `{"leave_out": ["vocab_"]}`, ""},
		{"one of two", with("logit_scale", "v_head.summary.weight"), "", `{"leave_out": ["v_head."]}`, `unknown tensors for model_type bert: logit_scale; to leave them out, write {"leave_out": ["logit_scale"]}`},
		{"none such", with("logit_scale"), "", `{"leave_out": ["logit_scale", "mpl."]}`, "leave_out: no unneeded tensor begins with mpl."},
		{"what is needed", with("logit_scale"), "", `{"leave_out": ["logit_scale", "encoder."]}`, "leave_out: no unneeded tensor begins with encoder."},
		{"every name", with(), "", `{"leave_out": [""]}`, "an empty name"},
		{"DataParallel", prefixed("module."), `{"tensor_prefix": "module."}`, `{"tensor_prefix": "module."}`, ""},
		{"compiled", prefixed("_orig_mod."), `{"tensor_prefix": "_orig_mod."}`, `{"tensor_prefix": "_orig_mod."}`, ""},
		{"sentence-transformers' list", prefixed("0.auto_model."), `{"tensor_prefix": "0.auto_model."}`, `{"tensor_prefix": "0.auto_model."}`, ""},
		{"both", func(list []weights.Tensor) []weights.Tensor { return prefixed("module.")(with("mlp.dense.bias")(list)) },
			`{"tensor_prefix": "module."}`, `{"tensor_prefix": "module.", "leave_out": ["module.mlp."]}`, ""},
	} {
		dir := filepath.Join(t.TempDir(), "model")
		if err := tiny(t).Save(dir); err != nil {
			t.Fatal(err)
		}
		tensorsIn(t, dir, c.change)
		if c.hint != "" {
			_, err := encoder.Open(dir, backend(t))
			wantError(t, err, c.hint)
			if i, err := encoder.Inspect(dir); err != nil || i.Runs() || !strings.Contains(i.Hint, c.hint) {
				t.Errorf("%s: %+v, %v", c.name, i, err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "infbench.json"), []byte(c.own), 0o644); err != nil {
			t.Fatal(err)
		}
		e, err := encoder.Open(dir, backend(t))
		if i, problem := encoder.Inspect(dir); problem != nil || i.Runs() != (err == nil) {
			t.Errorf("%s: models check reports %v, %v", c.name, i.Faults(), problem)
		}
		if c.want != "" {
			wantError(t, err, c.want)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, name := range []string{"embeddings.word_embeddings.weight", "encoder.layer.0.output.dense.bias"} {
			got, want := e.Variable(name).MustValue().Value(), tiny(t).Variable(name).MustValue().Value()
			if flat, ok := got.([]float32); ok && !slices.Equal(flat, want.([]float32)) {
				t.Errorf("%s: %s differs", c.name, name)
			}
		}
	}
}

// TestChosenPrompts: infbench.json names prompts of config_sentence_transformers.json. Settings
// that it omits, such as lengths, come from the other files.
func TestChosenPrompts(t *testing.T) {
	for _, c := range []struct{ own, query, document, want string }{
		{`{}`, "q: {query}", "{text}", ""},
		{`{"query_prompt": "sts"}`, "s: {query}", "{text}", ""},
		{`{"document_prompt": "passage"}`, "q: {query}", "p: {text}", ""},
		{`{"query_prompt": "document", "document_prompt": "query"}`, "{query}", "q: {text}", ""},
		{`{"query": "({query} {instruction})", "query_without_instruction": "({query})"}`, "({query})", "{text}", ""},
		{`{"query_prompt": "stz"}`, "", "", `infbench.json: query_prompt: config_sentence_transformers.json: unknown prompt "stz"; did you mean "sts"?`},
		{`{"query_prompt": "sts", "query": "{query} {instruction}"}`, "", "", "both query and query_prompt"},
	} {
		dir := filepath.Join(t.TempDir(), "model")
		if err := tiny(t).Save(dir); err != nil {
			t.Fatal(err)
		}
		rewrite(t, filepath.Join(dir, "config_sentence_transformers.json"), map[string]any{"prompts": map[string]any{"query": "q: ", "sts": "s: ", "passage": "p: "}})
		rewrite(t, filepath.Join(dir, "sentence_bert_config.json"), map[string]any{"max_seq_length": 17})
		if err := os.WriteFile(filepath.Join(dir, "infbench.json"), []byte(c.own), 0o644); err != nil {
			t.Fatal(err)
		}
		e, err := encoder.Open(dir, backend(t))
		if i, problem := encoder.Inspect(dir); problem != nil || !slices.Equal(i.Prompts, []string{"passage", "sts"}) {
			t.Errorf("%s: models check reports %q, %v", c.own, i.Prompts, problem)
		}
		if c.want != "" {
			wantError(t, err, c.want)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.own, err)
			continue
		}
		if text := e.Config().Text; text.QueryAlone != c.query || text.DocumentAlone != c.document || text.MaxQuery != 17 || text.MaxDocument != 17 {
			t.Errorf("%s: %+v", c.own, text)
		}
	}
}
