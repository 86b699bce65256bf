package encoder_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/encoder"
	"infbench/training/weights"
)

// The tolerances of goldens-today/README.md.
const (
	tokenTolerance  = 5e-6
	maxSimTolerance = 2e-5
)

// lateGolden holds outputs of PyLate and sentence-transformers 6.
type lateGolden struct {
	Late *struct {
		QueryLength    int `json:"query_length"`
		DocumentLength int `json:"document_length"`
		Queries        []lateText
		Documents      []lateText
		MaxSim         [][]float64 `json:"maxsim"`
		Variants       []struct {
			Name    string
			Attend  bool `json:"attend_to_expansion_tokens"`
			Expand  bool `json:"do_query_expansion"`
			Query   int
			Vectors [][]float64
		}
	} `json:"late_interaction"`
}

type lateText struct {
	Text    string
	Vectors [][]float64
}

// goldensToday calls check for every folder of goldens-today whose golden.json has a key.
func goldensToday(t *testing.T, key string, check func(t *testing.T, dir string, data []byte)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testkit.SharedPath(t, "goldens-today"), "*", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(data, &keys); err != nil {
			t.Fatal(err)
		}
		if keys[key] == nil {
			continue
		}
		found++
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) { check(t, filepath.Dir(file), data) })
	}
	if found == 0 {
		t.Fatalf("no folder of %d has %s", len(files), key)
	}
}

// TestLateGoldens compares token vectors and MaxSim of every late-interaction folder with
// PyLate's, in the layouts of Stanford, PyLate and sentence-transformers 6.
func TestLateGoldens(t *testing.T) {
	goldensToday(t, "late_interaction", func(t *testing.T, dir string, data []byte) {
		var golden lateGolden
		if err := json.Unmarshal(data, &golden); err != nil {
			t.Fatal(err)
		}
		m, err := encoder.OpenMultiVector(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		queries := tokenVectors(t, m, golden.Late.Queries, true)
		documents := tokenVectors(t, m, golden.Late.Documents, false)
		for i, q := range golden.Late.Queries {
			if d := distance2(queries[i], q.Vectors); !(d <= tokenTolerance) {
				t.Errorf("query %d: vectors differ by %g", i, d)
			}
		}
		for i, d := range golden.Late.Documents {
			if d := distance2(documents[i], d.Vectors); !(d <= tokenTolerance) {
				t.Errorf("document %d: vectors differ by %g", i, d)
			}
		}
		for i := range queries {
			for k := range documents {
				if got, want := maxSim(queries[i], documents[k]), golden.Late.MaxSim[i][k]; !(math.Abs(got-want) <= maxSimTolerance) {
					t.Errorf("query %d, document %d: MaxSim %g, want %g", i, k, got, want)
				}
			}
		}
		if got := m.MaxTokens(); got != golden.Late.DocumentLength {
			t.Errorf("documents have %d vectors at most, want %d", got, golden.Late.DocumentLength)
		}
		info, err := encoder.Inspect(dir)
		if err != nil || !info.Runs() || info.Kind != encoder.KindLate || info.Dim != m.Dim() || info.MaxQuery != golden.Late.QueryLength {
			t.Errorf("inspection %+v, %v", info, err)
		}
		_, err = encoder.Open(dir, backend(t))
		wantError(t, err, "late-interaction model")
		for _, v := range golden.Late.Variants {
			changed := lateVariant(t, dir, v.Attend, v.Expand)
			if changed == "" {
				continue
			}
			m, err := encoder.OpenMultiVector(changed, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			got := tokenVectors(t, m, golden.Late.Queries[v.Query:v.Query+1], true)[0]
			if d := distance2(got, v.Vectors); !(d <= tokenTolerance) {
				t.Errorf("%s: vectors differ by %g", v.Name, d)
			}
		}
	})
}

// tokenVectors are the vectors of texts, encoded together.
func tokenVectors(t *testing.T, m *encoder.MultiVector, texts []lateText, ofQueries bool) [][][]float32 {
	t.Helper()
	all, none := make([]string, len(texts)), make([]string, len(texts))
	for i, text := range texts {
		all[i] = text.Text
	}
	encode := func() ([]float32, []int, error) { return m.EncodeDocumentTokens(t.Context(), none, all) }
	if ofQueries {
		encode = func() ([]float32, []int, error) { return m.EncodeQueryTokens(t.Context(), all, none) }
	}
	values, counts, err := encode()
	if err != nil {
		t.Fatal(err)
	}
	vectors := make([][][]float32, len(counts))
	for i, n := range counts {
		for range n {
			vectors[i] = append(vectors[i], values[:m.Dim()])
			values = values[m.Dim():]
		}
	}
	if len(values) != 0 {
		t.Fatalf("%d values belong to no text", len(values))
	}
	return vectors
}

// maxSim computes MaxSim by its definition.
func maxSim(query, document [][]float32) float64 {
	sum := 0.0
	for _, q := range query {
		best := math.Inf(-1)
		for _, d := range document {
			dot := 0.0
			for k := range q {
				dot += float64(q[k]) * float64(d[k])
			}
			best = max(best, dot)
		}
		sum += best
	}
	return sum
}

// lateVariant copies a folder and changes the expansion of queries. It returns "" if the folder's
// layout has no such variant.
func lateVariant(t *testing.T, dir string, attend, expand bool) string {
	t.Helper()
	dir = copied(t, dir)
	switch {
	case exists(dir, "artifact.metadata"):
		rewrite(t, filepath.Join(dir, "artifact.metadata"), map[string]any{"attend_to_mask_tokens": attend})
		if !expand { // Stanford's layout cannot express this, but PyLate's keys next to it can
			return ""
		}
	case exists(dir, "2_MultiVectorMask"):
		expansion := map[string]any{"strategy": "fixed", "attend": attend, "token": nil, "length": 16}
		var file map[string]map[string]any
		data, err := os.ReadFile(filepath.Join(dir, "sentence_bert_config.json"))
		if err == nil {
			_ = json.Unmarshal(data, &file)
		}
		if before := file["query_expansion"]; before != nil {
			expansion["length"] = before["length"]
		}
		change := map[string]any{"query_expansion": expansion}
		if !expand {
			change = map[string]any{"query_expansion": nil, "query_length": expansion["length"]}
		}
		rewrite(t, filepath.Join(dir, "sentence_bert_config.json"), change)
	default:
		rewrite(t, filepath.Join(dir, "config_sentence_transformers.json"), map[string]any{"attend_to_expansion_tokens": attend, "do_query_expansion": expand})
	}
	return dir
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// copied returns a copy of a folder.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// A vector does not depend on the other texts in the same call.
func TestTokenVectorsOfOneText(t *testing.T) {
	goldensToday(t, "late_interaction", func(t *testing.T, dir string, data []byte) {
		var golden lateGolden
		if err := json.Unmarshal(data, &golden); err != nil {
			t.Fatal(err)
		}
		m, err := encoder.OpenMultiVector(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		together := tokenVectors(t, m, golden.Late.Documents, false)
		for i := range golden.Late.Documents {
			alone := tokenVectors(t, m, golden.Late.Documents[i:i+1], false)[0]
			for k := range alone {
				if !slices.Equal(alone[k], together[i][k]) {
					t.Fatalf("document %d: vector %d differs when encoded with others", i, k)
				}
			}
		}
	})
}

// Broken late-interaction folders return errors that name the problem and the place.
func TestBrokenLateFolders(t *testing.T) {
	stanford, pylate, st6 := testkit.SharedPath(t, "goldens-today", "colbert_bert_stanford"), testkit.SharedPath(t, "goldens-today", "colbert_modernbert"), testkit.SharedPath(t, "goldens-today", "colbert_modernbert_st6")
	for _, c := range []struct {
		name, of, file string
		change         map[string]any
		want           string
	}{
		{"no projection", stanford, "", nil, "linear.weight"},
		{"another similarity", stanford, "artifact.metadata", map[string]any{"similarity": "l2"}, `artifact.metadata: unknown similarity "l2"`},
		{"no room", stanford, "artifact.metadata", map[string]any{"query_maxlen": 2}, "a length of 2 tokens"},
		{"too long", stanford, "artifact.metadata", map[string]any{"doc_maxlen": 100}, "a maximum of 100 tokens is not in [1,64]"},
		{"prefix", stanford, "artifact.metadata", map[string]any{"query_token_id": "[nowhere]"}, `the prefix "[nowhere]" is not a token`},
		{"broken", stanford, "artifact.metadata", map[string]any{"doc_maxlen": "x"}, "artifact.metadata"},
		{"similarity", pylate, "config_sentence_transformers.json", map[string]any{"similarity_fn_name": "cosine"}, `similarity_fn_name "cosine" is not supported for late interaction`},
		{"residual", pylate, "1_Dense/config.json", map[string]any{"use_residual": true}, "use_residual true is not supported"},
		{"width", pylate, "1_Dense/config.json", map[string]any{"in_features": 31}, "in_features 32"},
		{"mask token", pylate, "tokenizer_config.json", map[string]any{"mask_token": "<hidden>"}, `filled up with "<hidden>"`},
		{"strategy", st6, "sentence_bert_config.json", map[string]any{"query_expansion": map[string]any{"strategy": "fix", "length": 16}}, `unknown query_expansion strategy "fix"; did you mean "fixed"?`},
		{"only", st6, "2_MultiVectorMask/config.json", map[string]any{"keep_only_token_ids": []int{1}}, "keep_only_token_ids is not supported"},
		{"tasks", st6, "2_MultiVectorMask/config.json", map[string]any{"skiplist_tasks": []string{"query"}}, "skiplist_tasks"},
		{"no mask", st6, "2_MultiVectorMask/config.json", nil, "2_MultiVectorMask: config.json is missing, but modules.json lists this folder"},
		{"random rows", pylate, "tokenizer_config.json", map[string]any{"added_tokens_decoder": map[string]any{"211": map[string]any{"content": "w40", "special": true, "normalized": false, "lstrip": false, "rstrip": false, "single_word": false}}, "extra_special_tokens": []string{"riverbank"}}, `tokenizer_config.json: special token "riverbank": none of the network's 211 rows is for it`},
		{"default prompt", pylate, "config_sentence_transformers.json", map[string]any{"prompts": map[string]string{"query": "w1 "}, "default_prompt_name": "querry"}, `config_sentence_transformers.json: default_prompt_name: unknown prompt "querry"; did you mean "query"?`},
		{"dense", st6, "1_Dense/config.json", map[string]any{"module_input_name": "sentence_embedding"}, `a Dense of "sentence_embedding"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copied(t, c.of)
			switch {
			case c.file == "":
				withoutTensor(t, dir, "linear.weight")
			case c.change != nil:
				rewrite(t, filepath.Join(dir, c.file), c.change)
			default:
				damage(t, filepath.Join(dir, c.file), nil)
			}
			_, err := encoder.OpenMultiVector(dir, backend(t))
			wantError(t, err, c.want)
			info, err := encoder.Inspect(dir)
			if err != nil || info.Runs() {
				t.Errorf("models check reports that it runs: %+v, %v", info, err)
			}
		})
	}
}

// withoutTensor removes a tensor from a folder's weights.
func withoutTensor(t *testing.T, dir, name string) {
	t.Helper()
	list := readTensors(t, dir)
	kept := slices.DeleteFunc(slices.Clone(list), func(w weights.Tensor) bool { return w.Name == name })
	if len(kept) == len(list) {
		t.Fatalf("%s holds no tensor %s", dir, name)
	}
	writeTensors(t, dir, kept)
}
