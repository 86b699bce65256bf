package encoder_test

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/training/encoder"
)

// TestDecodersSaved: the folder that Save writes for a decoder has the tensors of its base model,
// by name and bit for bit, and its original settings.
func TestDecodersSaved(t *testing.T) {
	for _, path := range goldenFiles(t, "*") {
		dir := filepath.Dir(path)
		var before, after map[string]any
		readJSON(t, filepath.Join(dir, "config.json"), &before)
		if !slices.Contains([]any{"llama", "llama_bidirec", "mistral", "qwen2", "qwen3"}, before["model_type"]) || strings.HasPrefix(filepath.Base(dir), "cross_") {
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			e, err := encoder.Open(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			saved := filepath.Join(t.TempDir(), "saved")
			if err := e.Save(saved); err != nil {
				t.Fatal(err)
			}
			source := map[string][]float32{}
			for _, w := range readTensors(t, dir) {
				if w.Name != "lm_head.weight" {
					source[strings.TrimPrefix(w.Name, "model.")] = w.Values
				}
			}
			for _, w := range readTensors(t, saved) {
				if !slices.Equal(w.Values, source[w.Name]) {
					t.Errorf("%s has other values", w.Name)
				}
				delete(source, w.Name)
			}
			if len(source) > 0 {
				t.Errorf("not saved: %v", slices.Sorted(maps.Keys(source)))
			}
			readJSON(t, filepath.Join(saved, "config.json"), &after)
			for key, value := range before {
				if got := after[key]; !reflect.DeepEqual(got, value) && !slices.Contains([]string{"architectures", "dtype", "torch_dtype"}, key) {
					t.Errorf("%s is %v, was %v", key, got, value)
				}
			}
		})
	}
}

// readJSON decodes a file.
func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestQwen3Embeds: as in Qwen3-Embedding, a text ends with the token that also pads, and its
// vector is the state at that token, wherever the padding is.
func TestQwen3Embeds(t *testing.T) {
	const file = `{"query": "w20 {instruction} w21 {query}", "query_without_instruction": "w22 {query}", "document": "{title} {text}",
		"document_without_title": "{text}", "max_query_tokens": 40, "max_document_tokens": 40, "append_eos": true, "padding_side": "`
	texts := []string{"w1 w2 w3", text(60, 3), ""}
	var sides [2][]float32
	for i, side := range []string{"left", "right"} {
		dir := goldenCopy(t, "qwen3_embedding", file+side+`"}`)
		rewrite(t, filepath.Join(dir, "tokenizer.json"), map[string]any{"post_processor": nil}) // else [SEP] is the end
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		sides[i] = make([]float32, len(texts)*e.Dim())
		if err := e.EncodeDocuments(t.Context(), make([]string, len(texts)), texts, sides[i]); err != nil {
			t.Fatal(err)
		}
		for row, text := range texts {
			ids := e.Tokens().Document("", text)
			if end := int32(goldenNumber(t, dir, "eos_token_id")); ids[len(ids)-1] != end || len(ids) > 40 {
				t.Errorf("%q: %d tokens, the last is %d", text, len(ids), ids[len(ids)-1])
			}
			mask := slices.Repeat([]int32{1}, len(ids))
			states := evaluate(t, e, func(in []*graph.Node) *graph.Node { return e.HiddenStates(in[0].Graph(), in[0], in[1], nil) },
				[][]int32{ids}, [][]int32{mask}).([][][]float32)[0]
			want := unit(widened(states[len(states)-1]))
			if worst := distance2([][]float32{sides[i][row*e.Dim() : (row+1)*e.Dim()]}, [][]float64{want}); !(worst <= embeddingTolerance) {
				t.Errorf("padded on the %s, %q: vector differs by %g", side, text, worst)
			}
		}
	}
	if worst := gap(sides[0], sides[1]); !(worst <= embeddingTolerance) {
		t.Errorf("padding on the left and on the right differ by %g", worst)
	}
}

// TestBidirecPooling: llama_bidirec's own key sets the pooling if no other file does, with the
// names in its code.
func TestBidirecPooling(t *testing.T) {
	for _, c := range []struct {
		pooling any
		file    bool // the folder has sentence-transformers' files
		want    encoder.Pooling
		err     string
	}{
		{"avg", false, encoder.Mean, ""},
		{nil, false, encoder.Mean, ""},
		{"last", false, encoder.Last, ""},
		{"cls", false, encoder.CLS, ""},
		{"last", true, encoder.Mean, ""},
		{"mean", false, "", `unknown pooling "mean"`},
		{3, false, "", "pooling: number where a text is wanted"},
	} {
		dir := goldenCopy(t, "llama_bidirec", "")
		rewrite(t, filepath.Join(dir, "config.json"), map[string]any{"pooling": c.pooling})
		if !c.file {
			for _, file := range []string{"modules.json", "1_Pooling"} {
				if err := os.RemoveAll(filepath.Join(dir, file)); err != nil {
					t.Fatal(err)
				}
			}
		}
		e, err := encoder.Open(dir, backend(t))
		if c.err != "" {
			wantError(t, err, c.err)
		} else if err != nil || e.Config().Text.Pooling != c.want {
			t.Errorf("%v: pooling %q, want %q; %v", c.pooling, e.Config().Text.Pooling, c.want, err)
		}
	}
	head := []shaped{{"score.weight", []int{1, 16}}}
	dir, _ := withHead(t, "llama_bidirec", "model.", map[string]any{
		"architectures": []string{"LlamaBidirectionalForSequenceClassification"}, "id2label": labels(1), "temperature": 0,
	}, head)
	_, err := encoder.OpenCrossEncoder(dir, backend(t))
	wantError(t, err, "temperature is 0")
}

func gap(a, b []float32) (worst float64) {
	for i := range a {
		worst = max(worst, math.Abs(float64(a[i]-b[i])))
	}
	return worst
}
