package encoder_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// The tolerances of goldens-today/README.md.
const (
	weightTolerance = 2e-5
	scoreTolerance  = 1e-4
)

// sparseGolden holds outputs of sentence-transformers.
type sparseGolden struct {
	Retrieval *struct {
		Queries, Documents []sparseText
		Scores             [][]float64
	}
}

type sparseText struct {
	Text    string
	Indices []int32
	Values  []float64
}

// TestSparseGoldens compares the weights and scores of every sparse folder with those of
// sentence-transformers.
func TestSparseGoldens(t *testing.T) {
	goldensToday(t, "retrieval", func(t *testing.T, dir string, data []byte) {
		var golden sparseGolden
		if err := json.Unmarshal(data, &golden); err != nil {
			t.Fatal(err)
		}
		s, err := encoder.OpenSparse(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		queries := termWeights(t, s, golden.Retrieval.Queries, true)
		documents := termWeights(t, s, golden.Retrieval.Documents, false)
		for i, q := range golden.Retrieval.Queries {
			compareWeights(t, "query", i, queries[i], q)
		}
		for i, d := range golden.Retrieval.Documents {
			compareWeights(t, "document", i, documents[i], d)
		}
		for i := range queries {
			for k := range documents {
				got, want := 0.0, golden.Retrieval.Scores[i][k]
				for term, w := range queries[i] {
					got += w * documents[k][term]
				}
				if !(math.Abs(got-want) <= scoreTolerance) {
					t.Errorf("query %d, document %d: score %g, want %g", i, k, got, want)
				}
			}
		}
		info, err := encoder.Inspect(dir)
		if err != nil || !info.Runs() || info.Kind != encoder.KindSparse || info.Vocabulary != s.Terms() {
			t.Errorf("inspection %+v, %v", info, err)
		}
		_, err = encoder.Open(dir, backend(t))
		wantError(t, err, "sparse model")
	})
}

// termWeights are the weights of texts, encoded together.
func termWeights(t *testing.T, s *encoder.Sparse, texts []sparseText, ofQueries bool) []map[int32]float64 {
	t.Helper()
	all, none := make([]string, len(texts)), make([]string, len(texts))
	for i, text := range texts {
		all[i] = text.Text
	}
	encode := func() ([]int32, []float32, []int, error) { return s.EncodeDocumentTerms(t.Context(), none, all) }
	if ofQueries {
		encode = func() ([]int32, []float32, []int, error) { return s.EncodeQueryTerms(t.Context(), all, none) }
	}
	terms, weights, counts, err := encode()
	if err != nil {
		t.Fatal(err)
	}
	list := make([]map[int32]float64, len(counts))
	for i, n := range counts {
		list[i] = map[int32]float64{}
		for k, term := range terms[:n] {
			if k > 0 && term <= terms[k-1] {
				t.Fatalf("text %d: token %d after %d", i, term, terms[k-1])
			}
			list[i][term] = float64(weights[k])
		}
		terms, weights = terms[n:], weights[n:]
	}
	return list
}

// compareWeights requires the same tokens with the same weights.
func compareWeights(t *testing.T, kind string, i int, got map[int32]float64, want sparseText) {
	t.Helper()
	if len(got) != len(want.Indices) {
		t.Errorf("%s %d: %d weights, want %d", kind, i, len(got), len(want.Indices))
	}
	for k, term := range want.Indices {
		if !(math.Abs(got[term]-want.Values[k]) <= weightTolerance) {
			t.Errorf("%s %d: token %d weighs %g, want %g", kind, i, term, got[term], want.Values[k])
		}
	}
}

// Both poolings and activations match sentence-transformers. Cases hold token ids; the
// vocabulary's words restore the texts.
func TestSpladePoolings(t *testing.T) {
	type sparseCase struct {
		IDs   [][]int32    `json:"input_ids"`
		Mask  [][]int32    `json:"attention_mask"`
		Max   []sparseText `json:"sparse"`
		Sum   []sparseText `json:"sparse_sum"`
		Twice []sparseText `json:"sparse_max_log1p_relu"`
	}
	checked := 0
	goldensToday(t, "retrieval", func(t *testing.T, dir string, data []byte) {
		var golden struct{ Cases []sparseCase }
		if err := json.Unmarshal(data, &golden); err != nil {
			t.Fatal(err)
		}
		if !exists(dir, "1_SpladePooling") {
			t.Skip("queries and documents are read by different modules: see TestSparseGoldens")
		}
		for _, c := range []struct {
			strategy, activation string
			of                   func(sparseCase) []sparseText
		}{
			{"max", "relu", func(c sparseCase) []sparseText { return c.Max }},
			{"sum", "relu", func(c sparseCase) []sparseText { return c.Sum }},
			{"max", "log1p_relu", func(c sparseCase) []sparseText { return c.Twice }},
		} {
			changed := copied(t, dir)
			rewrite(t, filepath.Join(changed, "1_SpladePooling", "config.json"), map[string]any{"pooling_strategy": c.strategy, "activation_function": c.activation})
			s, err := encoder.OpenSparse(changed, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range golden.Cases {
				for i, want := range c.of(one) {
					want.Text = wordsOf(s.Networks()[0], one.IDs[i], one.Mask[i])
					compareWeights(t, c.strategy+" of "+c.activation+", text", i, termWeights(t, s, []sparseText{want}, false)[0], want)
					checked++
				}
			}
		}
	})
	if checked == 0 {
		t.Error("no case was compared")
	}
}

// wordsOf is the text of the tokens between the special ones.
func wordsOf(e *encoder.Encoder, ids, mask []int32) string {
	text := ""
	for k, id := range ids {
		if token := e.Tokenizer().Token(id); mask[k] == 1 && token != "[CLS]" && token != "[SEP]" {
			text += token + " "
		}
	}
	return text
}

// Broken sparse folders return errors that name the problem and the place.
func TestBrokenSparseFolders(t *testing.T) {
	bert, router := testkit.SharedPath(t, "goldens-today", "splade_bert"), testkit.SharedPath(t, "goldens-today", "splade_doc_idf")
	for _, c := range []struct {
		name, of, file string
		change         map[string]any
		tensor         string
		want           string
	}{
		{"no head", bert, "", nil, "cls.predictions.bias", "missing tensors: cls.predictions.bias"},
		{"pooling", bert, "1_SpladePooling/config.json", map[string]any{"pooling_strategy": "mex"}, "", `unknown pooling_strategy "mex"; did you mean "max"?`},
		{"activation", bert, "1_SpladePooling/config.json", map[string]any{"activation_function": "gelu"}, "", `unknown activation_function "gelu"`},
		{"dimension", bert, "1_SpladePooling/config.json", map[string]any{"word_embedding_dimension": 7}, "", "word_embedding_dimension is 7"},
		{"similarity", bert, "config_sentence_transformers.json", map[string]any{"similarity_fn_name": "cosine"}, "", `similarity_fn_name "cosine" is not supported for sparse models`},
		{"family", bert, "config.json", map[string]any{"model_type": "mpnet"}, "", ""},
		{"structure", router, "router_config.json", map[string]any{"structure": map[string]any{"query": []string{"x"}}}, "", `has a module "x" without a type`},
		{"route", router, "router_config.json", map[string]any{"structure": map[string]any{"queries": []string{}}}, "", `unknown route "queries" (known: query, document)`},
		{"nothing", router, "router_config.json", map[string]any{"structure": map[string]any{}}, "", "route"},
		{"no pooling", bert, "1_SpladePooling/config.json", nil, "", "1_SpladePooling: config.json is missing"},
		{"table", router, "query_0_SparseStaticEmbedding", nil, "weight", "a table of weights is one tensor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copied(t, c.of)
			switch {
			case c.tensor != "":
				withoutTensor(t, filepath.Join(dir, c.file), c.tensor)
			case c.change != nil:
				rewrite(t, filepath.Join(dir, c.file), c.change)
			default:
				damage(t, filepath.Join(dir, c.file), nil)
			}
			_, err := encoder.OpenSparse(dir, backend(t))
			wantError(t, err, c.want)
			info, err := encoder.Inspect(dir)
			if err != nil || info.Runs() {
				t.Errorf("models check reports that it runs: %+v, %v", info, err)
			}
		})
	}
}
