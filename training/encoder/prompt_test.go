package encoder_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
)

// ownFile writes an infbench.json with prompts into a model folder.
func ownFile(t *testing.T, dir string, settings map[string]any) {
	t.Helper()
	file := map[string]any{
		"query": "w20 {instruction} w21 {query}", "query_without_instruction": "w22 {query}",
		"document": "w23 w24 {title} {text}", "document_without_title": "{text}",
		"max_query_tokens": 40, "max_document_tokens": 40,
	}
	for key, value := range settings {
		file[key] = value
	}
	data, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "infbench.json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// meanFrom is the mean of a text's states without the first left tokens, scaled to length 1.
func meanFrom(t *testing.T, e *encoder.Encoder, text string, left int) []float64 {
	t.Helper()
	ids := e.Tokenizer().Encode(text, 0)
	out, err := model.CallOnce(e.Backend(), e.Store(), func(_ *model.Scope, ids, mask *graph.Node) *graph.Node {
		return e.HiddenStates(ids.Graph(), ids, mask, nil)
	}, [][]int32{ids}, [][]int32{slices.Repeat([]int32{1}, len(ids))})
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for _, row := range out.Value().([][][]float32)[0][left:] {
		wide := make([]float64, len(row))
		for i, v := range row {
			wide[i] = float64(v)
		}
		rows = append(rows, wide)
	}
	return unit(mean(rows))
}

// TestPromptPooling: each value leaves out the same tokens as its library, whatever is encoded in
// the same batch, and Save keeps it.
func TestPromptPooling(t *testing.T) {
	for _, c := range []struct {
		way                                    encoder.PromptPooling
		query, instruction, title, text, whole string
		prompt                                 string
		special                                int // tokens left out in addition to those of prompt
	}{
		{encoder.IncludePrompt, "w1 w2", "w3", "", "", "w20 w3 w21 w1 w2", "", 0},
		{encoder.ExcludePrompt, "w1 w2", "w3", "", "", "w20 w3 w21 w1 w2", "w20 w3 w21", 1},
		{encoder.ExcludePrompt, "w1 w2", "", "", "", "w22 w1 w2", "w22", 1},
		{encoder.ExcludePrompt, "", "", "w1", "w2", "w23 w24 w1 w2", "w23 w24", 1},
		{encoder.ExcludePrompt, "", "", "", "w2", "w2", "", 0}, // without a prompt all tokens count
		{encoder.ExcludePromptBare, "w1 w2", "w3", "", "", "w20 w3 w21 w1 w2", "w20 w3 w21", 0},
		// Instructor puts a stripped text directly after a stripped instruction.
		{encoder.ExcludePromptTrimmed, " w1 w2 ", "w3", "", "", "w20 w3 w21w1 w2", "w20 w3 w21", 1},
		{encoder.ExcludePromptTrimmed, "", "", "", " w2", "w2", "", 0},
	} {
		dir := filepath.Join(t.TempDir(), "model")
		if err := tiny(t).Save(dir); err != nil {
			t.Fatal(err)
		}
		ownFile(t, dir, map[string]any{"prompt_pooling": c.way})
		for range 2 {
			e, err := encoder.Open(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float32, 2*e.Dim())
			if c.query != "" {
				err = e.EncodeQueries(context.Background(), []string{c.query, "w9"}, []string{c.instruction, "w4 w5 w6 w7"}, got)
			} else {
				err = e.EncodeDocuments(context.Background(), []string{c.title, "w9"}, []string{c.text, "w10 w11 w12"}, got)
			}
			if err != nil {
				t.Fatal(err)
			}
			want := meanFrom(t, e, c.whole, len(e.Tokenizer().Tokenize(c.prompt))+c.special)
			if worst := distance2([][]float32{got[:e.Dim()]}, [][]float64{want}); !(worst <= embeddingTolerance) {
				t.Errorf("%s: %q: vector differs by %g", c.way, c.whole, worst)
			}
			dir = filepath.Join(t.TempDir(), "saved")
			if err := e.Save(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestIncludePrompt: sentence-transformers' switch means ExcludePrompt, and has no effect if the
// pooling takes one token; infbench.json wins.
func TestIncludePrompt(t *testing.T) {
	for _, c := range []struct {
		mode string
		own  map[string]any
		want encoder.PromptPooling
		err  string
	}{
		{"pooling_mode_mean_tokens", nil, encoder.ExcludePrompt, ""},
		{"pooling_mode_cls_token", nil, encoder.IncludePrompt, ""},
		{"pooling_mode_lasttoken", nil, encoder.IncludePrompt, ""},
		{"pooling_mode_weightedmean_tokens", nil, "", "include_prompt false with weighted_mean pooling"},
		{"pooling_mode_mean_tokens", map[string]any{"prompt_pooling": "include"}, encoder.IncludePrompt, ""},
		{"pooling_mode_mean_tokens", map[string]any{"prompt_pooling": "exclude(trim)"}, encoder.ExcludePromptTrimmed, ""},
		{"pooling_mode_mean_tokens", map[string]any{"prompt_pooling": "exclud"}, "", `did you mean "exclude"?`},
		{"pooling_mode_cls_token", map[string]any{"prompt_pooling": "exclude"}, "", "needs mean pooling, not cls"},
		{"pooling_mode_mean_tokens", map[string]any{"interaction": "cross_attention"}, "", "separately encoded instruction is not supported"},
	} {
		dir := filepath.Join(t.TempDir(), "model")
		if err := tiny(t).Save(dir); err != nil {
			t.Fatal(err)
		}
		pooling := `{"word_embedding_dimension": 64, "` + c.mode + `": true, "include_prompt": false}`
		if err := os.WriteFile(filepath.Join(dir, "1_Pooling", "config.json"), []byte(pooling), 0o644); err != nil {
			t.Fatal(err)
		}
		ownFile(t, dir, c.own)
		e, err := encoder.Open(dir, backend(t))
		if c.err != "" {
			wantError(t, err, c.err)
		} else if err != nil {
			t.Errorf("%s: %v", c.mode, err)
		} else if got := e.Config().Text.Prompt; got != c.want {
			t.Errorf("%s, %v: %s, want %s", c.mode, c.own, got, c.want)
		}
	}
}
