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

// Late-interaction folders follow their files. The expected numbers for PyLate's layout are those
// of PyLate 1.6 with sentence-transformers 5.3 and transformers 5.3 (models.ColBERT, encode);
// those for the other layout are of sentence-transformers 6.2 with transformers 5.24
// (MultiVectorEncoder, encode_query and encode_document): the number of vectors of each text, and
// MaxSim of each query with each document. Attention is eager unless a case sets another.
func TestLateFolderSays(t *testing.T) {
	queries := []lateText{{Text: "w39 [MASK] w41"}, {Text: " w47\n"}, {Text: "w39 w41 W41 w43 w44 w45 w46 w47 w48 w49 w50"}}
	documents := []lateText{{Text: "w39 . w41"}, {Text: "  w47 "}, {Text: "w40 w41 w42 w43 w44 w45 w46 w47 w48 w49 w50 w51 w52 w53 w54 w55"}}
	for _, c := range []struct {
		name, of              string
		files                 map[string]map[string]any // keys of files; nil: missing, or for modules.json one module less
		perQuery, perDocument []int
		scores                [][]float64
	}{
		{"PyLate: as saved", "goldens-beyond/colbert_bert", map[string]map[string]any{},
			[]int{8, 8, 8}, []int{5, 4, 14}, [][]float64{{7.7527306, 7.4074560, 7.7682684}, {7.4034077, 7.5505691, 7.0855833}, {7.7591596, 7.4159232, 7.8061844}}},
		{"PyLate: default prompt", "goldens-beyond/colbert_bert", map[string]map[string]any{"config_sentence_transformers.json": {"prompts": map[string]any{"query": "w5 w6 ", "document": ""}, "default_prompt_name": "query"}},
			[]int{8, 8, 8}, []int{7, 6, 14}, [][]float64{{7.9349532, 7.8687571, 7.8252803}, {7.8563634, 7.8581628, 7.7312993}, {7.9355293, 7.8735002, 7.8258272}}},
		{"PyLate: prompts are for the caller", "goldens-beyond/colbert_bert", map[string]map[string]any{"config_sentence_transformers.json": {"prompts": map[string]any{"query": "w5 w6 ", "document": "w7 "}}},
			[]int{8, 8, 8}, []int{5, 4, 14}, [][]float64{{7.7527306, 7.4074560, 7.7682684}, {7.4034077, 7.5505691, 7.0855833}, {7.7591596, 7.4159232, 7.8061844}}},
		{"PyLate: lower case before tokens", "goldens-beyond/colbert_bert", map[string]map[string]any{"sentence_bert_config.json": {"do_lower_case": true}},
			[]int{8, 8, 8}, []int{5, 4, 14}, [][]float64{{7.7095954, 7.5274689, 7.7847632}, {7.4034077, 7.5505691, 7.0855833}, {7.7591596, 7.4159232, 7.8061844}}},
		{"PyLate: an older name", "goldens-beyond/colbert_bert", map[string]map[string]any{"sentence_bert_config.json": nil, "sentence_roberta_config.json": {"max_seq_length": 20, "do_lower_case": true}},
			[]int{8, 8, 8}, []int{5, 4, 14}, [][]float64{{7.7095954, 7.5274689, 7.7847632}, {7.4034077, 7.5505691, 7.0855833}, {7.7591596, 7.4159232, 7.8061844}}},
		{"PyLate: filled on the left", "goldens-beyond/colbert_bert", map[string]map[string]any{"tokenizer_config.json": {"padding_side": "left"}},
			[]int{8, 8, 8}, []int{5, 4, 14}, [][]float64{{7.5504414, 7.2958407, 7.8156242}, {7.6876608, 7.6121446, 7.7099973}, {7.7591596, 7.4159232, 7.8061844}}},
		{"PyLate: filled on the left, attended", "goldens-beyond/colbert_bert", map[string]map[string]any{"tokenizer_config.json": {"padding_side": "left"}, "config_sentence_transformers.json": {"attend_to_expansion_tokens": true}},
			[]int{8, 8, 8}, []int{5, 4, 14}, [][]float64{{7.5094217, 7.3383481, 7.8187693}, {7.3629820, 7.2936647, 7.6489657}, {7.7591596, 7.4159232, 7.8061844}}},
		{"PyLate: filled on the left, no prefix", "goldens-beyond/colbert_bert", map[string]map[string]any{"tokenizer_config.json": {"padding_side": "left"}, "config_sentence_transformers.json": {"query_prefix": ""}},
			[]int{8, 8, 8}, []int{5, 4, 14}, [][]float64{{7.5303422, 7.1775088, 7.7946748}, {7.7173918, 7.5685000, 7.7987095}, {7.8273799, 7.5873695, 7.8147982}}},
		{"PyLate: white space, nothing in the window", "goldens-today/colbert_modernbert", map[string]map[string]any{"tokenizer.json": {"pre_tokenizer": nil}, "sentence_bert_config.json": {"model_args": map[string]any{"attn_implementation": "sdpa"}}},
			[]int{16, 16, 16}, []int{4, 4, 4}, [][]float64{{10.0024582, 7.8759175, 10.0024582}, {4.7956585, 3.7014323, 4.7956585}, {6.7305435, 5.6329163, 6.7305435}}},
		{"PyLate: nothing in the window", "goldens-today/colbert_modernbert", map[string]map[string]any{"sentence_bert_config.json": {"model_args": map[string]any{"attn_implementation": "sdpa"}}},
			[]int{16, 16, 16}, []int{5, 4, 19}, [][]float64{{3.6790987, 2.7661930, 9.6340479}, {2.5600145, 3.7014323, 8.5158247}, {7.3018135, 7.5202559, 10.8292882}}},
		{"PyLate: nothing in the window, eager", "goldens-today/colbert_modernbert", map[string]map[string]any{"sentence_bert_config.json": {"model_args": map[string]any{"attn_implementation": "eager"}}},
			[]int{16, 16, 16}, []int{5, 4, 19}, [][]float64{{5.1710733, 2.6321634, 9.0415316}, {3.9404392, 5.4134069, 8.6481652}, {7.3018138, 7.5202571, 10.8292891}}},
		{"as saved", "goldens-beyond/late_modernbert", map[string]map[string]any{},
			[]int{8, 8, 8}, []int{5, 4, 14}, [][]float64{{4.5957010, 5.0291604, 5.4918435}, {5.6111314, 6.1851017, 5.3496789}, {5.4509914, 6.1533312, 5.8329819}}},
		{"length of a text", "goldens-beyond/late_modernbert", map[string]map[string]any{"sentence_bert_config.json": {"processing_kwargs": map[string]any{"text": map[string]any{"max_length": 6}}}},
			[]int{8, 8, 8}, []int{5, 4, 6}, [][]float64{{4.5957010, 5.0291604, 5.4072981}, {5.6111314, 6.1851017, 5.9453100}, {5.4509914, 6.1533312, 5.9490291}}},
		{"length of all inputs", "goldens-beyond/late_modernbert", map[string]map[string]any{"sentence_bert_config.json": {"processing_kwargs": map[string]any{"common": map[string]any{"max_length": 5}, "text": map[string]any{"max_length": 9}}}},
			[]int{8, 8, 8}, []int{4, 4, 5}, [][]float64{{5.5584468, 5.9485809, 5.2469590}, {5.8132442, 6.1851017, 5.0201069}, {4.3341305, 5.1915360, 4.4469110}}},
		{"documents filled up", "goldens-beyond/late_modernbert", map[string]map[string]any{"sentence_bert_config.json": {"processing_kwargs": map[string]any{"text": map[string]any{"max_length": 11, "padding": "max_length"}}}},
			[]int{8, 8, 8}, []int{5, 4, 11}, [][]float64{{4.5957010, 5.0291610, 6.3276049}, {5.6111314, 6.1851020, 6.0323808}, {5.4509914, 6.1533315, 6.3242268}}},
		{"an older name", "goldens-beyond/late_modernbert", map[string]map[string]any{"sentence_bert_config.json": nil, "sentence_distilbert_config.json": {"max_seq_length": 20, "do_lower_case": false, "document_length": 6, "query_expansion": map[string]any{"strategy": "fixed", "attend": false, "length": 10}}},
			[]int{10, 10, 10}, []int{5, 4, 6}, [][]float64{{5.1014439, 6.0867245, 6.6941526}, {6.6311579, 7.5960966, 7.1345071}, {4.6150280, 4.9495952, 5.2386961}}},
		{"filled on the left", "goldens-beyond/late_modernbert", map[string]map[string]any{"tokenizer_config.json": {"padding_side": "left"}},
			[]int{8, 8, 8}, []int{5, 4, 14}, [][]float64{{3.4392411, 4.1673952, 5.4913258}, {6.2149309, 5.9490514, 6.1215030}, {5.4509914, 6.1533312, 5.8329819}}},
		{"filled on the left, by hand", "goldens-beyond/late_modernbert", map[string]map[string]any{"tokenizer_config.json": {"padding_side": "left"}, "sentence_bert_config.json": {"query_expansion": map[string]any{"strategy": "min", "attend": false, "length": 8}}},
			[]int{8, 8, 14}, []int{5, 4, 14}, [][]float64{{4.5957010, 5.0291604, 5.4918435}, {5.6111314, 6.1851017, 5.3496789}, {10.4096246, 9.6063770, 11.6728552}}},
		{"filled on the left, in two", "goldens-beyond/late_modernbert", map[string]map[string]any{"tokenizer_config.json": {"padding_side": "left"}, "sentence_bert_config.json": {"processing_kwargs": map[string]any{"common": map[string]any{"max_length": 5}}}},
			[]int{8, 8, 8}, []int{4, 4, 5}, [][]float64{{5.5584468, 5.9485809, 5.2469590}, {5.6322652, 6.1392040, 5.0081856}, {4.3341305, 5.1915360, 4.4469110}}},
		{"no mask, not attended", "goldens-beyond/late_modernbert", map[string]map[string]any{"modules.json": nil},
			[]int{6, 4, 8}, []int{6, 4, 14}, [][]float64{{3.6854897, 3.7294593, 4.2402886}, {3.1580871, 3.1221262, 3.0778712}, {5.5404730, 6.1533312, 5.8329819}}},
		{"no mask, attended", "goldens-beyond/late_modernbert", map[string]map[string]any{"modules.json": nil, "sentence_bert_config.json": {"query_expansion": map[string]any{"strategy": "fixed", "attend": true, "length": 8}}},
			[]int{8, 8, 8}, []int{6, 4, 14}, [][]float64{{4.7117988, 4.9080300, 5.8034168}, {5.6127058, 5.4199461, 6.4861211}, {5.5404730, 6.1533312, 5.8329819}}},
		{"a prompt by its name", "goldens-beyond/late_modernbert", map[string]map[string]any{"config_sentence_transformers.json": {"prompts": map[string]any{"query": "w40 ", "document": "w41 ", "web": "w42 w43 "}}, "infbench.json": {"query_prompt": "web"}},
			[]int{8, 8, 8}, []int{5, 4, 14}, [][]float64{{3.5547642, 4.0436374, 5.4760042}, {3.0406184, 3.5582185, 5.5085351}, {4.2014891, 5.0023654, 6.5461651}}},
		{"nothing in the window", "goldens-today/colbert_modernbert_st6", map[string]map[string]any{"sentence_bert_config.json": {"model_kwargs": map[string]any{"attn_implementation": "sdpa"}}},
			[]int{16, 16, 16}, []int{5, 4, 19}, [][]float64{{3.6790987, 2.7661930, 9.6340479}, {2.5600145, 3.7014323, 8.5158247}, {7.3018135, 7.5202559, 10.8292882}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copied(t, testkit.SharedPath(t, filepath.FromSlash(c.of)))
			for name, keys := range c.files {
				file := filepath.Join(dir, name)
				switch {
				case name == "modules.json":
					withoutModule(t, file, "MultiVectorMask")
				case keys == nil:
					if err := os.Remove(file); err != nil {
						t.Fatal(err)
					}
				case !exists(dir, name):
					writeJSON(t, file, keys)
				default:
					rewrite(t, file, keys)
				}
			}
			m, err := encoder.OpenMultiVector(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			q, d := tokenVectors(t, m, queries, true), tokenVectors(t, m, documents, false)
			if got := lengthsOf(q); !slices.Equal(got, c.perQuery) {
				t.Errorf("queries have %d vectors, want %d", got, c.perQuery)
			}
			if got := lengthsOf(d); !slices.Equal(got, c.perDocument) {
				t.Errorf("documents have %d vectors, want %d", got, c.perDocument)
			}
			for i := range q {
				for k := range d {
					if got, want := maxSim(q[i], d[k]), c.scores[i][k]; !(math.Abs(got-want) <= maxSimTolerance) {
						t.Errorf("query %d, document %d: MaxSim %g, want %g", i, k, got, want)
					}
				}
			}
		})
	}
}

// Remarks note when libraries differ on the tokens that fill queries. Padding that moves
// documents in their rows is an error.
func TestLateFilling(t *testing.T) {
	pylate, st6 := testkit.SharedPath(t, "goldens-today", "colbert_modernbert"), testkit.SharedPath(t, "goldens-beyond", "late_modernbert")
	for _, c := range []struct {
		name, of, file string
		keys           map[string]any
		remarks        int
	}{
		{"beyond the window", pylate, "sentence_bert_config.json", nil, 1},
		{"attended", pylate, "config_sentence_transformers.json", map[string]any{"attend_to_expansion_tokens": true}, 0},
		{"not filled", pylate, "config_sentence_transformers.json", map[string]any{"do_query_expansion": false}, 0},
		{"wide window", pylate, "config.json", map[string]any{"local_attention": 24}, 0},
		{"no window", pylate, "config.json", map[string]any{"global_attn_every_n_layers": 1}, 0},
		{"named", pylate, "sentence_bert_config.json", map[string]any{"model_args": map[string]any{"attn_implementation": "eager"}}, 0},
		{"within the window", st6, "sentence_bert_config.json", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copied(t, c.of)
			rewrite(t, filepath.Join(dir, c.file), c.keys)
			m, err := encoder.OpenMultiVector(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			info, err := encoder.Inspect(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, list := range [][]string{m.Remarks(), info.Notes} {
				list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !strings.Contains(s, "local_attention") })
				if len(list) != c.remarks {
					t.Errorf("remarks %q, want %d", list, c.remarks)
				}
			}
		})
	}
	dir := copied(t, st6)
	rewrite(t, filepath.Join(dir, "tokenizer_config.json"), map[string]any{"padding_side": "left"})
	rewrite(t, filepath.Join(dir, "sentence_bert_config.json"), map[string]any{"processing_kwargs": map[string]any{"text": map[string]any{"padding": "max_length", "max_length": 12}}})
	_, err := encoder.OpenMultiVector(dir, backend(t))
	wantError(t, err, "processing_kwargs: padding on the left")
}

func lengthsOf(texts [][][]float32) (list []int) {
	for _, vectors := range texts {
		list = append(list, len(vectors))
	}
	return list
}

// withoutModule removes a module from modules.json.
func withoutModule(t *testing.T, file, kind string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var modules []map[string]any
	if err := json.Unmarshal(data, &modules); err != nil {
		t.Fatal(err)
	}
	writeJSON(t, file, slices.DeleteFunc(modules, func(m map[string]any) bool { return strings.HasSuffix(m["type"].(string), "."+kind) }))
}
func writeJSON(t *testing.T, file string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
