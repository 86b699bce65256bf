package encoder_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// pairFolder copies a folder of goldens-beyond.
func pairFolder(t *testing.T, name string) string {
	t.Helper()
	return copied(t, testkit.SharedPath(t, "goldens-beyond", name))
}

// judgeSection is the judge for judge_qwen3: its chat template without a system message.
func judgeSection(more map[string]any) map[string]any {
	judge := map[string]any{"prompt": "<start> judge  query: {query} document: {document} <end> answer:"}
	for key, value := range more {
		judge[key] = value
	}
	return map[string]any{"judge": judge}
}

// TestPairFoldersHaveNoVectors: models check names the kind of a folder that scores pairs, and
// opening it as an encoder is an error.
func TestPairFoldersHaveNoVectors(t *testing.T) {
	for name, kind := range map[string]string{"cross_bert_trained": "cross-encoder", "cross_bert": "cross-encoder", "cross_modernbert": "cross-encoder", "judge_qwen3": "judge"} {
		dir := testkit.SharedPath(t, "goldens-beyond", name)
		if found, err := encoder.Inspect(dir); err != nil || !found.Runs() || found.Kind != kind {
			t.Errorf("%s inspected: %+v, %v", name, found, err)
		}
		_, err := encoder.Open(dir, backend(t))
		wantError(t, err, "cross-encoder")
	}
}

// TestPairPrompts: a cross-encoder puts only the default prompt before queries, and a language
// model's question contains no prompt.
func TestPairPrompts(t *testing.T) {
	prompts := map[string]any{"query": "w1 ", "all": "w2 "}
	for _, c := range []struct {
		folder, name string // name of the default prompt
		query, wrong string
	}{
		{"cross_bert_trained", "all", "w2 {query}", ""},
		{"cross_bert_trained", "", "{query}", ""},
		{"cross_bert_trained", "nothing", "", `unknown prompt "nothing"`},
		{"judge_qwen3", "all", "{query}", ""},
	} {
		dir := pairFolder(t, c.folder)
		rewrite(t, filepath.Join(dir, "infbench.json"), judgeSection(nil))
		changes := map[string]any{"prompts": prompts}
		if c.name != "" {
			changes["default_prompt_name"] = c.name
		}
		rewrite(t, filepath.Join(dir, "config_sentence_transformers.json"), changes)
		m, err := encoder.OpenCrossEncoder(dir, backend(t))
		if c.wrong != "" {
			wantError(t, err, c.wrong)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if text := m.Model().Config().Text; text.QueryAlone != c.query || text.DocumentAlone != "{text}" {
			t.Errorf("%v: %q and %q", c, text.QueryAlone, text.DocumentAlone)
		}
	}
}

// TestChatTemplates: a chat template is read wherever transformers writes it, and an instruction is
// its system message, by default the folder's default prompt.
func TestChatTemplates(t *testing.T) {
	scored := func(dir, instruction string) float32 {
		t.Helper()
		m, err := encoder.OpenCrossEncoder(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		return scores(t, m, "w1 w2", instruction, []string{"w3"})[0]
	}
	dir := pairFolder(t, "judge_qwen3")
	none, with := scored(dir, ""), scored(dir, "w5 w6")
	if none == with {
		t.Error("an instruction changes nothing")
	}
	rewrite(t, filepath.Join(dir, "config_sentence_transformers.json"), map[string]any{"prompts": map[string]any{"a": "w5 w6"}, "default_prompt_name": "a"})
	if got := scored(dir, ""); got != with {
		t.Errorf("the default prompt scores %g, want %g", got, with)
	}
	if got := scored(dir, "w7"); got == with {
		t.Error("the default prompt replaces an instruction")
	}
	data, err := os.ReadFile(filepath.Join(dir, "chat_template.jinja"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(data), string(data) + "\n", strings.Replace(string(data), "<start>", "\r\n <start>", 1)} {
		damage(t, filepath.Join(dir, "chat_template.jinja"), nil)
		rewrite(t, filepath.Join(dir, "tokenizer_config.json"), map[string]any{"chat_template": text})
		if got := scored(dir, ""); got != with {
			t.Errorf("template %q scores %g, want %g", text, got, with)
		}
		if err := os.WriteFile(filepath.Join(dir, "chat_template.jinja"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(t, filepath.Join(dir, "infbench.json"), map[string]any{"judge": map[string]any{"prompt": "<start> judge {instruction} query: {query} document: {document} <end> answer:", "instruction": "w5 w6"}})
	if got := scored(dir, ""); got != with {
		t.Errorf("the judge section scores %g, want %g", got, with)
	}
}

// TestJudgeOfAdapter: the judge section in an adapter's folder asks its base, which has none, or
// another one.
func TestJudgeOfAdapter(t *testing.T) {
	base, adapter := pairFolder(t, "judge_qwen3"), pairFolder(t, "judge_qwen3_lora")
	open := func() float32 {
		t.Helper()
		m, err := (*encoder.Card)(nil).OpenAdaptedCrossEncoder(base, adapter, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		return scores(t, m, "w1 w2", "", []string{"w3"})[0]
	}
	want := open()
	for _, name := range []string{"modules.json", "chat_template.jinja"} {
		damage(t, filepath.Join(base, name), nil)
	}
	_, err := (*encoder.Card)(nil).OpenAdaptedCrossEncoder(base, adapter, backend(t))
	wantError(t, err, "infbench.json has no judge section")
	own := judgeSection(map[string]any{"yes": "yes", "no": "no"})
	own["max_document_tokens"] = 48
	rewrite(t, filepath.Join(adapter, "infbench.json"), own)
	if got := open(); got != want {
		t.Errorf("scores %g, want %g", got, want)
	}
	rewrite(t, filepath.Join(base, "infbench.json"), judgeSection(map[string]any{"yes": "w1", "no": "w2"}))
	if got := open(); got != want {
		t.Errorf("with another judge in the base: %g, want %g", got, want)
	}
}

// TestPairFolderFaults: folders without a defined score are errors that name the cause, in models
// check and in opening the model.
func TestPairFolderFaults(t *testing.T) {
	judge := func(changes map[string]any) func(*testing.T, string) {
		return func(t *testing.T, dir string) { rewrite(t, filepath.Join(dir, "infbench.json"), judgeSection(changes)) }
	}
	in := func(name string, changes map[string]any) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			judge(nil)(t, dir)
			rewrite(t, filepath.Join(dir, name), changes)
		}
	}
	modules := func(kinds ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			var list []map[string]any
			for i, kind := range kinds {
				list = append(list, map[string]any{"idx": i, "name": string(rune('0' + i)), "path": "", "type": "sentence_transformers.x." + kind})
			}
			data, err := json.Marshal(list)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "modules.json"), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	template := func(before, after string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			damage(t, filepath.Join(dir, "chat_template.jinja"), replace(before, after))
		}
	}
	score := filepath.Join("1_LogitScore", "config.json")
	for _, c := range []struct {
		name, folder string
		change       func(*testing.T, string)
		wrong        string
	}{
		{"no template", "judge_qwen3", func(t *testing.T, dir string) { damage(t, filepath.Join(dir, "chat_template.jinja"), nil) }, `chat_template.jinja is missing: write {"judge": {"prompt":`},
		{"a foreign template", "judge_qwen3", template("{%- for m in messages -%}", "{%- for m in messages %}"), `chat_template.jinja: the chat template is not of the form that infbench reads, and there is no template engine: write {"judge"`},
		{"a tag", "judge_qwen3", template(" <end>", "{% if ns.s %} <end>{% endif %}"), `holds "{% if ns.s %}" in addition to its three contents`},
		{"no document", "judge_qwen3", template("{{ ns.d }}", "{{ ns.d | trim }}"), "holds {{ ns.d }} 0 times, want once"},
		{"two queries", "judge_qwen3", template("<end>", "{{ ns.q }}"), "holds {{ ns.q }} 2 times, want once"},
		{"a place", "judge_qwen3", template("<end>", "{text} {query}"), "holds the text {query}, which has a meaning"},
		{"several templates", "judge_qwen3", func(t *testing.T, dir string) {
			damage(t, filepath.Join(dir, "chat_template.jinja"), nil)
			rewrite(t, filepath.Join(dir, "tokenizer_config.json"), map[string]any{"chat_template": []map[string]string{{"name": "default", "template": "x"}}})
		}, "tokenizer_config.json: chat_template: the chat template is not of the form"},
		{"an instruction without a place", "judge_qwen3", judge(map[string]any{"instruction": "w5"}), `judge instruction "w5" has no place`},
		{"another word", "judge_qwen3", judge(map[string]any{"yes": "w3"}), `true_token_id 69 is the token "yes", but the judge section says yes: "w3"`},
		{"no word", "judge_qwen3", in(score, map[string]any{"true_token_id": nil}), "true_token_id is missing"},
		{"two words for one", "judge_qwen3", func(t *testing.T, dir string) {
			judge(map[string]any{"no": "no"})(t, dir)
			rewrite(t, filepath.Join(dir, score), map[string]any{"false_token_id": nil})
		}, `false_token_id is null, but the judge section says no: "no"`},
		{"a word of two tokens", "monot5", judge(map[string]any{"yes": "w3 w4", "no": "false"}), `the judge's word "w3 w4" is not a token of the vocabulary, which reads it as the 2 tokens "w3", "w4": a score needs the logit of one token`},
		{"an unknown word", "monot5", judge(map[string]any{"yes": "True", "no": "false"}), `the judge's word "True" is not a token of the vocabulary, which reads it as "[UNK]"`},
		{"one word by mistake", "monot5", judge(map[string]any{"yes": "true"}), `judge needs two different words, but has "true" and "" ("no": "" for a score by one word)`},
		{"a word out of the vocabulary", "judge_qwen3", in(score, map[string]any{"true_token_id": 100000}), "true_token_id 100000 is not a token"},
		{"no LogitScore", "judge_qwen3", func(t *testing.T, dir string) { damage(t, filepath.Join(dir, score), nil) }, "config.json is missing, but modules.json lists this folder"},
		{"another task", "judge_qwen3", in("sentence_bert_config.json", map[string]any{"transformer_task": "any-to-any"}), `transformer_task "any-to-any" is not supported`},
		{"pooled", "cross_bert_trained", modules("Transformer", "Pooling", "Dense"), `modules ["Transformer" "Pooling" "Dense"] of a cross-encoder are not supported`},
		{"another task of a classifier", "cross_bert_trained", in("sentence_bert_config.json", map[string]any{"transformer_task": "fill-mask"}), `transformer_task "fill-mask" is not supported`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := pairFolder(t, c.folder)
			c.change(t, dir)
			_, err := encoder.OpenCrossEncoder(dir, backend(t))
			wantError(t, err, c.wrong)
			found, err := encoder.Inspect(dir)
			if err != nil || !slices.ContainsFunc(found.Problems, func(p string) bool { return strings.Contains(p, c.wrong) }) {
				t.Errorf("inspected: %q, %v", found.Problems, err)
			}
		})
	}
}

// TestRouters: a dense model with modules for each side is an error with a suggestion.
func TestRouters(t *testing.T) {
	for _, kind := range []string{"sentence_transformers.models.Router", "sentence_transformers.models.Asym", "sentence_transformers.base.modules.router.Router"} {
		dir := filepath.Join(t.TempDir(), "model")
		if err := tiny(t).Save(dir); err != nil {
			t.Fatal(err)
		}
		damage(t, filepath.Join(dir, "modules.json"), replace("sentence_transformers.models.Transformer", kind))
		_, err := encoder.Open(dir, backend(t))
		wantError(t, err, "write a folder for each side")
	}
}
