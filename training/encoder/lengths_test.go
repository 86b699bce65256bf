package encoder_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/training/encoder"
)

// TestLengths: the file that sets the length of texts. Expected lengths are those of
// sentence-transformers 6.2 with transformers 5.24 for the same files (max_seq_length of the
// model, or the max_length with which preprocess calls the tokenizer).
func TestLengths(t *testing.T) {
	type files map[string]map[string]any
	const sbert, tokens = "sentence_bert_config.json", "tokenizer_config.json"
	text := func(key string, value any) map[string]any {
		return map[string]any{"processing_kwargs": map[string]any{"text": map[string]any{key: value}}}
	}
	most := func(n any) map[string]any { return map[string]any{"model_max_length": n} }
	positions := encoder.TinyBERT().MaxPositionEmbeddings
	for _, c := range []struct {
		name            string
		files           files
		query, document int
		note, wrong     string
	}{
		{"no file: the positions", files{}, positions, positions, "", ""},
		{"model_max_length", files{tokens: most(10)}, 10, 10, "", ""},
		{"as transformers writes no limit", files{tokens: most(1e30)}, positions, positions, "", ""},
		{"above the positions", files{tokens: most(4096)}, positions, positions, "", ""},
		{"max_seq_length wins", files{sbert: {"max_seq_length": 12}, tokens: most(10)}, 12, 12, "", ""},
		{"null is nothing", files{sbert: {"max_seq_length": nil, "do_lower_case": false}, tokens: most(10)}, 10, 10, "", ""},
		{"max_seq_length above the positions", files{sbert: {"max_seq_length": positions + 2}}, positions, positions, "texts are cut at", ""},
		{"processing_kwargs", files{sbert: text("max_length", 9), tokens: most(10)}, 9, 9, "", ""},
		{"processing_kwargs of all kinds of input", files{sbert: {"processing_kwargs": map[string]any{"common": map[string]any{"max_length": 9}}}}, 9, 9, "", ""},
		{"over max_seq_length, too", files{sbert: {"max_seq_length": 12, "processing_kwargs": map[string]any{"text": map[string]any{"max_length": 9, "truncation": true}}}}, 9, 9, "", ""},
		{"lengths of the sides", files{sbert: {"query_length": 7, "document_length": 11}, tokens: most(10)}, 7, 11, "", ""},
		{"tokenizer_args", files{sbert: {"max_seq_length": 12, "tokenizer_args": most(8)}, tokens: most(10)}, 8, 8, "", ""},
		{"an older name", files{"sentence_roberta_config.json": {"max_seq_length": 13}}, 13, 13, "", ""},
		{"the first name that has settings", files{sbert: {}, "sentence_xlnet_config.json": {"max_seq_length": 13}, "sentence_camembert_config.json": {"max_seq_length": 14}}, 14, 14, "", ""},

		{"uncut", files{sbert: text("truncation", false)}, 0, 0, "", "processing_kwargs: text.truncation false is not supported"},
		{"without special tokens", files{sbert: text("add_special_tokens", false)}, 0, 0, "", "processing_kwargs: text.add_special_tokens is not supported"},
		{"another argument", files{sbert: {"processor_kwargs": map[string]any{"padding_side": "left"}}}, 0, 0, "", "padding_side"},
		{"no length", files{tokens: most(-3)}, 0, 0, "", "model_max_length is -3"},
		{"half a token", files{tokens: most(10.5)}, 0, 0, "", "model_max_length is 10.5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "model")
			if err := tiny(t).Save(dir); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"infbench.json", sbert, tokens} {
				damage(t, filepath.Join(dir, name), nil)
			}
			for name, changes := range c.files {
				rewrite(t, filepath.Join(dir, name), changes)
			}
			e, err := encoder.Open(dir, backend(t))
			found, inspectErr := encoder.Inspect(dir)
			if inspectErr != nil {
				t.Fatal(inspectErr)
			}
			if c.wrong != "" {
				wantError(t, err, c.wrong)
				if len(found.Problems) != 1 || !strings.Contains(found.Problems[0], c.wrong) {
					t.Errorf("inspected: %q", found.Problems)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := e.Config().Text
			if got.MaxQuery != c.query || got.MaxDocument != c.document {
				t.Errorf("%d and %d tokens, want %d and %d", got.MaxQuery, got.MaxDocument, c.query, c.document)
			}
			noted := func(notes []string) bool {
				return len(notes) == 0 && c.note == "" || c.note != "" && len(notes) == 1 && strings.Contains(notes[0], c.note)
			}
			if !noted(e.Remarks()) || !slices.Equal(found.Notes, e.Remarks()) || !found.Runs() {
				t.Errorf("remarks %q, inspected %q", e.Remarks(), found.Notes)
			}
		})
	}
}

// TestRotaryLengths: rotary positions do not end at max_position_embeddings, and
// sentence-transformers 6.2 reads as many tokens as a folder sets (Transformer caps
// model_max_length only if no file has max_seq_length). Learned positions do end.
func TestRotaryLengths(t *testing.T) {
	for _, c := range []struct {
		kind        string
		max, own    any // max_seq_length, and infbench.json's max_document_tokens
		tokens      any // model_max_length
		rope        any
		most        int // document tokens
		note, wrong string
	}{
		{kind: "tiny-llama", max: 150, most: 150, note: "texts of 150 tokens are read"},
		{kind: "tiny-qwen2", max: 150, most: 150, note: "texts of 150 tokens are read"},
		{kind: "tiny-qwen3", max: 150, most: 150, note: "texts of 150 tokens are read"},
		{kind: "tiny-modernbert", max: 150, most: 150, note: "texts of 150 tokens are read"},
		{kind: "tiny-bert", max: 150, most: 64, note: "texts are cut at 64"},
		{kind: "tiny-llama", max: 64, most: 64},
		{kind: "tiny-llama", tokens: 150, most: 64}, // capped
		{kind: "tiny-llama", own: 150, most: 150, note: "texts of 150 tokens are read"},
		{kind: "tiny-llama", max: 150, own: 20, most: 20},
		{kind: "tiny-llama", max: 150, rope: map[string]any{"type": "dynamic", "factor": 2.0}, wrong: "rope_scaling dynamic"},
		{kind: "tiny-llama", max: 64, rope: map[string]any{"type": "dynamic", "factor": 2.0}, most: 64},
		{kind: "tiny-llama", max: 150, rope: map[string]any{"type": "linear", "factor": 2.0}, most: 150, note: "texts of 150 tokens are read"},
	} {
		made, err := encoder.New(encoder.Tiny()[c.kind], wordTokenizer(t, 600), 42, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "model")
		if err := made.Save(dir); err != nil {
			t.Fatal(err)
		}
		rewrite(t, filepath.Join(dir, "config.json"), map[string]any{"rope_scaling": c.rope})
		rewrite(t, filepath.Join(dir, "sentence_bert_config.json"), map[string]any{"max_seq_length": c.max})
		rewrite(t, filepath.Join(dir, "tokenizer_config.json"), map[string]any{"model_max_length": c.tokens})
		rewrite(t, filepath.Join(dir, "infbench.json"), map[string]any{"max_query_tokens": c.own, "max_document_tokens": c.own})
		e, err := encoder.Open(dir, backend(t))
		if c.wrong != "" {
			wantError(t, err, c.wrong)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		ids := e.Tokens().Document("", strings.Repeat("w1 ", 300))
		if got := e.Config().Text.MaxDocument; got != c.most || len(ids) != c.most {
			t.Errorf("%+v: reads %d tokens, at most %d", c, len(ids), got)
		}
		vector := make([]float32, e.Dim())
		if err := e.EncodeDocuments(t.Context(), []string{""}, []string{strings.Repeat("w1 ", 300)}, vector); err != nil {
			t.Error(err)
		}
		if notes := strings.Join(e.Remarks(), "\n"); (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
			t.Errorf("%+v: remarks %q", c, notes)
		}
		again := filepath.Join(t.TempDir(), "again")
		if err := e.Save(again); err != nil {
			t.Fatal(err)
		}
		if e, err = encoder.Open(again, backend(t)); err != nil || e.Config().Text.MaxDocument != c.most {
			t.Errorf("%+v: saved and opened: %v", c, err)
		}
	}
}

// TestBarePooling: for a folder without modules.json, sentence-transformers 6.2 pools at the last
// token of a causal language model, else by the mean, whatever 1_Pooling contains
// (SentenceTransformer._load_default_modules).
func TestBarePooling(t *testing.T) {
	pooling := filepath.Join("1_Pooling", "config.json")
	last := map[string]any{"pooling_mode_lasttoken": true, "pooling_mode_mean_tokens": false}
	for _, c := range []struct {
		name        string
		pooling     map[string]any // nil: the mean, as saved
		config, own map[string]any
		gone        bool // there is no 1_Pooling
		want        encoder.Pooling
		note, wrong string
	}{
		{name: "the mean, said", want: encoder.Mean},
		{name: "the mean, not said", gone: true, want: encoder.Mean},
		{name: "the last token", pooling: last, wrong: "without modules.json sentence-transformers ignores it"},
		{name: "the last token by infbench.json", pooling: last, own: map[string]any{"pooling": "last"}, want: encoder.Last},
		{name: "prompts left out", pooling: map[string]any{"include_prompt": false}, wrong: "without modules.json sentence-transformers ignores it"},
		{name: "a language model's last token", pooling: last, config: map[string]any{"architectures": []string{"LlamaForCausalLM"}}, want: encoder.Last},
		{name: "a language model's mean", config: map[string]any{"architectures": []string{"LlamaForCausalLM"}}, wrong: "sentence-transformers ignores it and uses last"},
		{name: "a language model", gone: true, config: map[string]any{"architectures": []string{"LlamaForCausalLM"}}, want: encoder.Mean, note: "uses the last token of a LlamaForCausalLM"},
		{name: "a language model that attends both ways", config: map[string]any{"architectures": []string{"LlamaForCausalLM"}, "is_causal": false}, want: encoder.Mean},
	} {
		t.Run(c.name, func(t *testing.T) {
			made, err := encoder.New(encoder.TinyLlama(), wordTokenizer(t, 600), 42, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "model")
			if err := made.Save(dir); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"modules.json", "sentence_bert_config.json", promptsFile} {
				damage(t, filepath.Join(dir, name), nil)
			}
			rewrite(t, filepath.Join(dir, "config.json"), c.config)
			rewrite(t, filepath.Join(dir, "infbench.json"), c.own)
			if rewrite(t, filepath.Join(dir, pooling), c.pooling); c.gone {
				damage(t, filepath.Join(dir, pooling), nil)
			}
			e, err := encoder.Open(dir, backend(t))
			if c.wrong != "" {
				wantError(t, err, c.wrong)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Config().Text.Pooling; got != c.want {
				t.Errorf("pooling %s, want %s", got, c.want)
			}
			if notes := strings.Join(e.Remarks(), "\n"); (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
				t.Errorf("remarks %q", notes)
			}
		})
	}
}

// TestBareFolder: without modules.json sentence-transformers 6.2 reads neither
// sentence_bert_config.json nor config_sentence_transformers.json (base/model.py loads a network
// and makes new modules). The same holds for cross-encoders.
func TestBareFolder(t *testing.T) {
	for _, bare := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "model")
		if err := tiny(t).Save(dir); err != nil {
			t.Fatal(err)
		}
		damage(t, filepath.Join(dir, "infbench.json"), nil)
		rewrite(t, filepath.Join(dir, "tokenizer_config.json"), map[string]any{"model_max_length": 30})
		rewrite(t, filepath.Join(dir, "sentence_bert_config.json"), map[string]any{"max_seq_length": 10, "do_lower_case": true, "processing_kwargs": map[string]any{"text": map[string]any{"max_length": 9}}})
		rewrite(t, filepath.Join(dir, promptsFile), map[string]any{"prompts": map[string]string{"query": "search: "}, "truncate_dim": 16, "similarity_fn_name": "dot"})
		if bare {
			damage(t, filepath.Join(dir, "modules.json"), nil)
		}
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		found, err := encoder.Inspect(dir)
		if err != nil {
			t.Fatal(err)
		}
		similarity, err := encoder.FolderSimilarity(dir)
		remarks := strings.Join(e.Remarks(), "\n")
		text := e.Config().Text
		if bare && (err != nil || similarity != "" || text.MaxQuery != 30 || text.QueryAlone != "{query}" || e.Dim() != 64 || !strings.Contains(remarks, "infbench ignores sentence_bert_config.json, "+promptsFile) || !slices.Equal(found.Notes, e.Remarks())) {
			t.Errorf("bare: %q, %v, %+v, %d values, remarks %q", similarity, err, text, e.Dim(), remarks)
		}
		if !bare && (err == nil || text.MaxQuery != 9 || text.QueryAlone != "search: {query}" || e.Dim() != 16 || remarks != "") {
			t.Errorf("with modules.json: %q, %v, %+v, %d values, remarks %q", similarity, err, text, e.Dim(), remarks)
		}
	}
}

// TestOwnLengths: infbench.json wins if it sets a length; other lengths come from the other
// files. A length in infbench.json that the network cannot read is an error.
func TestOwnLengths(t *testing.T) {
	positions := encoder.TinyBERT().MaxPositionEmbeddings
	for _, c := range []struct {
		own             map[string]any
		query, document int
		wrong           string
	}{
		{map[string]any{"max_query_tokens": 6}, 6, 10, ""},
		{map[string]any{"attention": "causal"}, 10, 10, ""},
		{map[string]any{"max_document_tokens": positions + 2}, 0, 0, "the positions of the network"},
	} {
		dir := filepath.Join(t.TempDir(), "model")
		if err := tiny(t).Save(dir); err != nil {
			t.Fatal(err)
		}
		damage(t, filepath.Join(dir, "sentence_bert_config.json"), nil)
		damage(t, filepath.Join(dir, "infbench.json"), nil)
		damage(t, filepath.Join(dir, "tokenizer_config.json"), nil)
		rewrite(t, filepath.Join(dir, "infbench.json"), c.own)
		rewrite(t, filepath.Join(dir, "tokenizer_config.json"), map[string]any{"model_max_length": 10})
		e, err := encoder.Open(dir, backend(t))
		if c.wrong != "" {
			wantError(t, err, c.wrong)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Config().Text; got.MaxQuery != c.query || got.MaxDocument != c.document {
			t.Errorf("%v: %d and %d tokens, want %d and %d", c.own, got.MaxQuery, got.MaxDocument, c.query, c.document)
		}
	}
}
