package encoder_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/internal/testkit"
	"infbench/training/encoder"
	"infbench/training/weights"
)

// TestStories runs a trained Llama, from text to hidden states, against an independent numpy
// implementation (models/stories260k-hf/SOURCE.md), whose states have six decimals.
func TestStories(t *testing.T) {
	dir := testkit.SharedPath(t, "models", "stories260k-hf")
	data, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Hidden []struct {
			Text string
			IDs  []int32
			Last []float64 `json:"last_hidden_last_token"`
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.Hidden) == 0 {
		t.Fatalf("%d cases, %v", len(golden.Hidden), err)
	}
	e, err := encoder.Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range golden.Hidden {
		if got := e.Tokens().Document("", c.Text); !slices.Equal(got, c.IDs) {
			t.Errorf("%q: ids %v, want %v", c.Text, got, c.IDs)
		}
		mask := slices.Repeat([]int32{1}, len(c.IDs))
		out, err := model.CallOnce(e.Backend(), e.Store(), func(_ *model.Scope, ids, mask *graph.Node) *graph.Node {
			return encoder.Pool(encoder.Last, e.HiddenStates(ids.Graph(), ids, mask, nil), mask)
		}, [][]int32{c.IDs}, [][]int32{mask})
		if err != nil {
			t.Fatal(err)
		}
		if worst := distance2(out.Value().([][]float32), [][]float64{c.Last}); !(worst <= 1e-4) {
			t.Errorf("%q: hidden states differ by %g", c.Text, worst)
		}
	}
}

// TestModel2vec reads minishlab's layout: the table has another name, is not in a separate folder
// and has a config.json next to it, with a BERT vocabulary. A text is the mean of its tokens
// without [CLS] and [SEP] (sentence-transformers' StaticEmbedding.tokenize).
func TestModel2vec(t *testing.T) {
	tok := wordTokenizer(t, 20)
	table := make([]float32, 2*tok.VocabSize())
	for i := range table {
		table[i] = float32(i * i % 17)
	}
	dir := t.TempDir()
	writeTensors(t, dir, []weights.Tensor{{Name: "embeddings", Shape: []int{tok.VocabSize(), 2}, Values: table}})
	for name, content := range map[string]string{
		"tokenizer.json": string(tok.JSON()),
		"config.json":    `{"model_type": "model2vec", "architectures": ["StaticModel"], "tokenizer_name": "baai/bge-base-en-v1.5", "hidden_dim": 2, "seq_length": 1000000, "normalize": true}`,
		"modules.json": `[{"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"},
			{"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"}]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := encoder.Inspect(dir); err != nil || !found.Runs() {
		t.Fatalf("%+v, %v", found, err)
	}
	e, err := encoder.Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	var want [2]float64
	for _, word := range []string{"w3", "w5", "w3"} {
		id, ok := tok.ID(word)
		if !ok {
			t.Fatalf("no token %s", word)
		}
		for i := range want {
			want[i] += float64(table[2*int(id)+i])
		}
	}
	norm := math.Hypot(want[0], want[1])
	got := make([]float32, 4)
	if err := e.EncodeDocuments(t.Context(), []string{"", ""}, []string{"w3 w5 w3", ""}, got); err != nil {
		t.Fatal(err)
	}
	if worst := distance2([][]float32{got[:2]}, [][]float64{{want[0] / norm, want[1] / norm}}); !(worst <= 1e-6) {
		t.Errorf("vector differs by %g", worst)
	}
	if got[2] != 0 || got[3] != 0 {
		t.Errorf("empty text: %v", got[2:])
	}
}

// TestStatic compares the vector of a text with the mean of the word vectors
// in the original file.
func TestStatic(t *testing.T) {
	dir := testkit.SharedPath(t, "models", "glove-50d-5k-static")
	data, err := os.ReadFile(filepath.Join(dir, "original", "glove-50d-5k.json"))
	if err != nil {
		t.Fatal(err)
	}
	var original map[string][]float64
	if err := json.Unmarshal(data, &original); err != nil {
		t.Fatal(err)
	}
	e, err := encoder.Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(t.TempDir(), "model")
	if err := e.Save(saved); err != nil {
		t.Fatal(err)
	}
	again, err := encoder.Open(saved, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	want, norm := make([]float64, e.Dim()), 0.0
	for _, word := range []string{"water", "city", "water"} {
		for i, v := range original[word] {
			want[i] += v
		}
	}
	for _, v := range want {
		norm += v * v
	}
	for i := range want {
		want[i] /= math.Sqrt(norm)
	}
	for _, model := range []*encoder.Encoder{e, again} {
		got := make([]float32, 2*model.Dim())
		err := model.EncodeQueries(context.Background(), []string{"Water city xqzzy", "xqzzy"}, []string{"water", ""}, got)
		if err != nil {
			t.Fatal(err)
		}
		if worst := distance2([][]float32{got[:model.Dim()]}, [][]float64{want}); !(worst <= 1e-5) {
			t.Errorf("vector differs by %g", worst)
		}
		for _, v := range got[model.Dim():] {
			if v != 0 {
				t.Fatalf("a text of unknown words: %v", got[model.Dim():])
			}
		}
	}
}
