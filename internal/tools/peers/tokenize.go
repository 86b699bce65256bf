package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"infbench/internal/disk"
	"infbench/training/tokenizer"
)

const (
	modernBERT = "data/tokenizers/modernbert/tokenizer.json"
	bertWords  = "data/tokenizers/bert/vocab.txt"
)

// tokenizeModels are the kinds of tokenizers, each in a file with its name.
var tokenizeModels = []string{"WordPiece", "BPE", "Unigram"}

// tokenizeBout tokenises real texts one by one.
func tokenizeBout() bout {
	b := bout{
		name:   "tokenize",
		note:   "tokenizers is Rust behind Python, with a call and offsets for each text; Unigram's vocabulary is derived from BERT's",
		sides:  []side{oursBy("tokenize"), theirsBy("tokenize_rust", "tokenizers", "tokenize_rust.py")},
		shared: []string{scifact, wordPiece, modernBERT, bertWords},
		prepare: func(_ context.Context, j *job) error {
			j.Timed = j.size(2, 1)
			var some []string
			for text, err := range abstracts(j.Shared) {
				if err != nil {
					return err
				}
				if some = append(some, text); len(some) == j.size(1500, 50) {
					break
				}
			}
			if err := writeLines(j.path("texts.txt"), some); err != nil {
				return err
			}
			return j.writeTokenizers()
		},
		check: sameTokens,
	}
	for _, model := range tokenizeModels {
		b.rows = append(b.rows, row{name: "tokenize/" + model, work: model + ", 1,500 of SciFact's abstracts one by one", against: []int{1}, ours: model, theirs: model})
	}
	return b
}

// writeTokenizers writes a tokenizer.json of each kind.
func (j *job) writeTokenizers() error {
	for model, name := range map[string]string{"WordPiece": wordPiece, "BPE": modernBERT} {
		data, err := os.ReadFile(filepath.Join(j.Shared, filepath.FromSlash(name)))
		if err == nil {
			data, err = untruncated(data)
		}
		if err == nil {
			err = disk.WriteBytes(j.path(model+".json"), data)
		}
		if err != nil {
			return err
		}
	}
	words, err := os.ReadFile(filepath.Join(j.Shared, filepath.FromSlash(bertWords)))
	if err != nil {
		return err
	}
	return writeJSON(j.path("Unigram.json"), unigramOf(strings.Fields(string(words))))
}

// untruncated returns a tokenizer.json without length limits, which each side would apply
// differently.
func untruncated(data []byte) ([]byte, error) {
	var document map[string]json.RawMessage
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	document["truncation"], document["padding"] = json.RawMessage("null"), json.RawMessage("null")
	return json.Marshal(document)
}

// unigramOf returns a Unigram tokenizer.json over the words of a WordPiece vocabulary, with
// probabilities by Zipf's law. Scores are multiples of 2⁻¹⁰, whose sums are exact: so equal
// sums in either order are a tie for both programs, however they parse decimals.
func unigramOf(words []string) map[string]any {
	pieces := [][2]any{{"<unk>", 0.0}}
	for i, word := range words {
		piece := "▁" + word
		if tail, inside := strings.CutPrefix(word, "##"); inside {
			piece = tail
		}
		pieces = append(pieces, [2]any{piece, -math.Round(1024*math.Log(float64(i+10))) / 1024})
	}
	return map[string]any{
		"version": "1.0", "added_tokens": []any{}, "normalizer": map[string]any{"type": "Lowercase"},
		"pre_tokenizer": map[string]any{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
		"model":         map[string]any{"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": false},
	}
}

func tokenizeSide(_ context.Context, j *job) (map[string][]float64, error) {
	some, err := readLines(j.path("texts.txt"))
	if err != nil {
		return nil, err
	}
	all := map[string][]float64{}
	for _, model := range tokenizeModels {
		data, err := os.ReadFile(j.path(model + ".json"))
		if err != nil {
			return nil, err
		}
		tok, err := tokenizer.Read(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", model, err)
		}
		ids := make([][]int32, len(some))
		all[model], err = j.repeat(func() error {
			for i, text := range some {
				ids[i] = tok.Encode(text, 0)
			}
			return nil
		})
		if err == nil && j.Check {
			err = writeJSON(j.path("tokenize."+model), ids)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// sameTokens compares the tokens of every text.
func sameTokens(j *job, ours, theirs string) error {
	for _, model := range tokenizeModels {
		var a, b [][]int32
		if err := readJSON(j.path(ours+"."+model), &a); err != nil {
			return err
		}
		if err := readJSON(j.path(theirs+"."+model), &b); err != nil {
			return err
		}
		if len(a) != len(b) || len(a) == 0 {
			return fmt.Errorf("%s: %d texts and %d", model, len(a), len(b))
		}
		for i := range a {
			if x, y := fmt.Sprint(a[i]), fmt.Sprint(b[i]); x != y {
				return fmt.Errorf("%s: text %d: tokens %s", model, i, firstDifference(x, y))
			}
		}
	}
	return nil
}

// firstDifference shows the place where two texts differ first.
func firstDifference(a, b string) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	cut := func(s string) string { return s[max(0, at-20):min(len(s), at+20)] }
	return fmt.Sprintf("...%s... and ...%s...", cut(a), cut(b))
}

// oneLine is a text without line breaks.
func oneLine(text string) string {
	return string(bytes.Join(bytes.FieldsFunc([]byte(text), func(r rune) bool { return r == '\n' || r == '\r' }), []byte(" ")))
}
