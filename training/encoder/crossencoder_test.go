package encoder_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// goldenCopy makes a writable copy of a golden model with a tokenizer of words and, if text is
// given, an infbench.json.
func goldenCopy(t *testing.T, name, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(goldenFolder(t, name))); err != nil {
		t.Fatal(err)
	}
	words := min(150, int(goldenNumber(t, dir, "vocab_size"))-50) // other sets may have other sizes
	files := map[string]string{"tokenizer.json": string(wordTokenizer(t, words).JSON())}
	if text != "" {
		files["infbench.json"] = text
	}
	for file, content := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// goldenNumber is a number in a folder's config.json, under any of the keys, at the top or in its
// text_config.
func goldenNumber(t *testing.T, dir string, keys ...string) float64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	if err := json.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	inner, _ := config["text_config"].(map[string]any)
	for _, key := range keys {
		for _, settings := range []map[string]any{config, inner} {
			if n, ok := settings[key].(float64); ok {
				return n
			}
		}
	}
	t.Fatalf("%s: config.json has none of %v", dir, keys)
	return 0
}

// scores runs Score over pairs of one query with many documents.
func scores(t *testing.T, c *encoder.CrossEncoder, query, instruction string, documents []string) []float32 {
	t.Helper()
	n := len(documents)
	dst := make([]float32, n)
	err := c.Score(context.Background(), slices.Repeat([]string{query}, n), slices.Repeat([]string{instruction}, n), make([]string, n), documents, dst)
	if err != nil {
		t.Fatal(err)
	}
	return dst
}

// TestScore: a score depends only on the pair's tokens and segments, cut to the model's length,
// whatever is scored with it.
func TestScore(t *testing.T) {
	for _, name := range []string{"cross_bert_1label", "cross_bert_2labels", "cross_xlmr_1label"} {
		t.Run(name, func(t *testing.T) {
			c, err := encoder.OpenCrossEncoder(goldenCopy(t, name, ""), backend(t))
			if err != nil {
				t.Fatal(err)
			}
			documents := []string{"w3", "w4 w5 w6 w7", text(200, 1), "", text(20, 2)}
			got := scores(t, c, "w1 w2", "w9", documents)
			for i, document := range documents {
				ids, types := c.Model().Tokenizer().EncodePair("w1 w2 w9", document, c.Model().Config().Text.MaxDocument)
				if strings.HasPrefix(name, "cross_xlmr") {
					types = make([]int32, len(ids)) // the model has one segment
				}
				mask := slices.Repeat([]int32{1}, len(ids))
				logits := evaluate(t, c.Model(), func(in []*graph.Node) *graph.Node { return c.Logits(in[0], in[1], in[2]) },
					[][]int32{ids}, [][]int32{mask}, [][]int32{types}).([][]float32)[0]
				want := float64(logits[0])
				if len(logits) == 2 {
					want = encoder.LogProbability(float64(logits[0]), float64(logits[1]))
				}
				if !(math.Abs(float64(got[i])-want) <= 1e-5) {
					t.Errorf("document %d scores %g, want %g", i, got[i], want)
				}
			}
		})
	}
}

// TestJudge: a language model's score is the log probability of its word for yes against that for
// no, after the prompt. A long document loses its end, never the question.
func TestJudge(t *testing.T) {
	judge := encoder.Judge{Prompt: "w20 {query} w21 {document} w22", Yes: "w1", No: "w2"}
	const file = `{"query": "{query} {instruction}", "query_without_instruction": "{query}", "document": "{title} {text}",
		"document_without_title": "{text}", "max_query_tokens": 20, "max_document_tokens": 20,
		"judge": {"prompt": "w20 {query} w21 {document} w22", "yes": "w1", "no": "w2"}}`
	for _, name := range []string{"t5_relu", "t5_gated_gelu", "llama", "mistral_causal", "qwen3", "qwen3_headdim_untied"} {
		t.Run(name, func(t *testing.T) {
			dir := goldenCopy(t, name, file)
			c, err := encoder.OpenCrossEncoder(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			asked, err := encoder.OpenJudge(dir, judge, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			m, err := encoder.OpenLanguageModel(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			tok := m.Model().Tokenizer()
			yes, _ := tok.ID("w1")
			no, _ := tok.ID("w2")
			long := strings.Fields(text(60, 3))
			for i, c := range []*encoder.CrossEncoder{c, asked} {
				got := scores(t, c, "w5", "w6", []string{"w7 w8", strings.Join(long, " ")})
				// [CLS] w20 w5 w6 w21 ... w22 [SEP] leaves 13 tokens, and every word of text is one.
				for k, document := range []string{"w7 w8", strings.Join(wordsWithin(tok.Tokenize, long, 13), " ")} {
					ids := tok.Encode("w20 w5 w6 w21 "+document+" w22", 0)
					next := evaluate(t, m.Model(), func(in []*graph.Node) *graph.Node { return m.NextLogits(in[0], in[1]) },
						[][]int32{ids}, [][]int32{slices.Repeat([]int32{1}, len(ids))}).([][]float32)[0]
					want := encoder.LogProbability(float64(next[no]), float64(next[yes]))
					if !(math.Abs(float64(got[k])-want) <= 1e-5) {
						t.Errorf("judge %d: document %d scores %g, want %g", i, k, got[k], want)
					}
				}
			}
			dst := make([]float32, 1)
			err = c.Score(context.Background(), []string{text(30, 1)}, []string{""}, []string{""}, []string{"w1"}, dst)
			wantError(t, err, "prompt and query take")
		})
	}
	dir := goldenCopy(t, "t5_relu", "")
	for _, c := range []struct {
		judge encoder.Judge
		want  string
	}{
		{encoder.Judge{Prompt: "{query}", Yes: "w1", No: "w2"}, "must hold {document} once"},
		{encoder.Judge{Prompt: "{query} {document}", Yes: "w1", No: "w1"}, "two different words"},
		{encoder.Judge{Prompt: "{query} {document}", Yes: "w1", No: "qqqqq"}, `word "qqqqq" is not a token`},
	} {
		_, err := encoder.OpenJudge(dir, c.judge, backend(t))
		wantError(t, err, c.want)
	}
}

// wordsWithin is the longest run of words with at most limit tokens, found one by one.
func wordsWithin(tokenize func(string) []int32, words []string, limit int) []string {
	n := 0
	for n < len(words) && len(tokenize(strings.Join(words[:n+1], " "))) <= limit {
		n++
	}
	return words[:n]
}

func TestScoreErrors(t *testing.T) {
	c, err := encoder.OpenCrossEncoder(testkit.SharedPath(t, "goldens", "cross_bert_1label"), backend(t))
	if err != nil {
		t.Fatal(err)
	}
	one, dst := []string{"w1"}, make([]float32, 1)
	wantError(t, c.Score(context.Background(), one, one, nil, one, dst), "0 titles")
	wantError(t, c.Score(context.Background(), one, one, one, one, dst), "tokenizer.json")
}

// setNumber changes a number in a JSON file.
func setNumber(key string, n int) func([]byte) []byte {
	return func(data []byte) []byte {
		return regexp.MustCompile(`"`+key+`": -?\d+`).ReplaceAll(data, fmt.Appendf(nil, "%q: %d", key, n))
	}
}

// TestBrokenHeads: a configuration that does not fit the head is an error, and a tensor of
// another head does not replace a missing one.
func TestBrokenHeads(t *testing.T) {
	crossEncoder := func(dir string) error { _, err := encoder.OpenCrossEncoder(dir, backend(t)); return err }
	languageModel := func(dir string) error { _, err := encoder.OpenLanguageModel(dir, backend(t)); return err }
	const weights, config = "model.safetensors", "config.json"
	for _, c := range []struct {
		folder, file string
		open         func(dir string) error
		damage       func([]byte) []byte
		want         string
	}{
		{"cross_bert_1label", weights, crossEncoder, inHeader(`"classifier.bias"`, `"cls.bias"`), "missing tensors: classifier.bias"},
		{"cross_bert_2labels", config, crossEncoder, replace(`"hidden_size"`, `"id2label": {"0": "x"}, "hidden_size"`), "the configuration needs [1 "},
		{"cross_bert_2labels", config, crossEncoder, replace(`"hidden_size"`, `"id2label": {"0": "x", "1": "y", "2": "z"}, "hidden_size"`), "3 labels"},
		{"cross_xlmr_1label", weights, crossEncoder, inHeader("classifier.dense.weight", "lm_head.dense.weight"), "missing tensors: classifier.dense.weight"},
		{"cross_qwen3_1label", weights, crossEncoder, inHeader("score.weight", "scare.weight"), "unknown tensors for model_type qwen3: scare.weight"},
		{"cross_qwen3_1label", config, crossEncoder, replace(`"id2label": {`, `"id2label": {"7": "x",`), `tensor "score.weight" has shape [1 `},
		{"qwen3_bf16", config, languageModel, replace("", ""), "missing tensors: lm_head.weight"},
		{"llama_bidirec", config, languageModel, replace("LlamaBidirectionalModel", "LlamaForCausalLM"), "language models of model_type llama_bidirec are not supported"},
		{"llama_headdim_untied", weights, languageModel, inHeader("lm_head.weight", "score.weight"), "missing tensors: lm_head.weight"},
		{"t5_relu", weights, languageModel, inHeader("decoder.final_layer_norm.weight", "classification_head.x"), "missing tensors: decoder.final_layer_norm.weight"},
		{"t5_relu", config, languageModel, setNumber("num_decoder_layers", 9), "missing tensors: decoder.block."},
		{"t5_relu", config, languageModel, setNumber("num_decoder_layers", 1), "unknown tensors for model_type t5: decoder.block.1."},
		{"t5_relu", config, languageModel, setNumber("decoder_start_token_id", 99999), "decoder_start_token_id is 99999"},
	} {
		dir := goldenCopy(t, c.folder, "")
		damage(t, filepath.Join(dir, c.file), c.damage)
		wantError(t, c.open(dir), c.want)
	}
}
