package encoder_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// pairGolden is the data of goldens-beyond for a cross-encoder: logits of sentence-transformers
// 6.2 before the activation.
type pairGolden struct {
	Words []int32 `json:"token_ids_yes_no"`
	Pairs []struct {
		Query, Document string
		Logit           float64
	}
}

// pairFolder copies a folder of goldens-beyond.
func pairFolder(t *testing.T, name string) (string, pairGolden) {
	t.Helper()
	source := testkit.SharedPath(t, "goldens-beyond", name)
	dir := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	if err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode()|0o600)
	}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden pairGolden
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.Pairs) == 0 {
		t.Fatal(err, len(golden.Pairs))
	}
	return dir, golden
}

// judgeSection is the judge for judge_qwen3: its chat template without a system message.
func judgeSection(more map[string]any) map[string]any {
	judge := map[string]any{"prompt": "<start> judge  query: {query} document: {document} <end> answer:"}
	for key, value := range more {
		judge[key] = value
	}
	return map[string]any{"judge": judge}
}

// TestPairFolders: cross-encoders in the format of sentence-transformers since 5.4 have its
// scores: the logit of a classifier, or the difference of the logits of two words.
func TestPairFolders(t *testing.T) {
	for _, c := range []struct {
		name string
		kind string
		own  map[string]any
	}{
		{"cross_bert_trained", "cross-encoder", nil},
		{"cross_bert", "cross-encoder", nil},
		{"cross_modernbert", "cross-encoder", nil},
		{"judge_qwen3", "judge", judgeSection(nil)},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, golden := pairFolder(t, c.name)
			if c.own != nil {
				rewrite(t, filepath.Join(dir, "infbench.json"), c.own)
			}
			found, err := encoder.Inspect(dir)
			if err != nil || !found.Runs() || found.Kind != c.kind {
				t.Errorf("inspected: %+v, %v", found, err)
			}
			if _, err := encoder.Open(dir, backend(t)); err == nil || !strings.Contains(err.Error(), "cross-encoder") {
				t.Errorf("opened as an encoder: %v", err)
			}
			m, err := encoder.OpenCrossEncoder(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			n := len(golden.Pairs)
			none, queries, documents, scores := make([]string, n), make([]string, n), make([]string, n), make([]float32, n)
			for i, p := range golden.Pairs {
				queries[i], documents[i] = p.Query, p.Document
			}
			if err := m.Score(t.Context(), queries, none, none, documents, scores); err != nil {
				t.Fatal(err)
			}
			for i, p := range golden.Pairs {
				got := float64(scores[i])
				if c.kind == "judge" { // the log probability of yes
					got -= math.Log1p(-math.Exp(got))
				}
				if math.Abs(got-p.Logit) > logitTolerance {
					t.Errorf("pair %d: %g, want %g", i, got, p.Logit)
				}
			}
		})
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
		dir, _ := pairFolder(t, c.folder)
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
	score := filepath.Join("1_LogitScore", "config.json")
	for _, c := range []struct {
		name, folder string
		change       func(*testing.T, string)
		wrong        string
	}{
		{"no judge section", "judge_qwen3", func(*testing.T, string) {}, "LogitScore scores the answer of a language model, but its chat template is not read: write"},
		{"another word", "judge_qwen3", judge(map[string]any{"yes": "w3"}), `true_token_id 69 is the token "yes", but the judge section says yes: "w3"`},
		{"one word", "judge_qwen3", in(score, map[string]any{"false_token_id": nil}), "a score by one logit is not supported"},
		{"a word out of the vocabulary", "judge_qwen3", in(score, map[string]any{"true_token_id": 100000}), "true_token_id 100000 is not a token"},
		{"no LogitScore", "judge_qwen3", func(t *testing.T, dir string) { damage(t, filepath.Join(dir, score), nil) }, "config.json is missing, but modules.json lists this folder"},
		{"another task", "judge_qwen3", in("sentence_bert_config.json", map[string]any{"transformer_task": "any-to-any"}), `transformer_task "any-to-any" is not supported`},
		{"pooled", "cross_bert_trained", modules("Transformer", "Pooling", "Dense"), `modules ["Transformer" "Pooling" "Dense"] of a cross-encoder are not supported`},
		{"another task of a classifier", "cross_bert_trained", in("sentence_bert_config.json", map[string]any{"transformer_task": "fill-mask"}), `transformer_task "fill-mask" is not supported`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, _ := pairFolder(t, c.folder)
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
