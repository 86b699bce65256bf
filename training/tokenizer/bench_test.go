package tokenizer_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/training/tokenizer"
)

// The expressions that split words for Llama 3 and for Qwen 2.
const (
	llama3Split = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen2Split  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// BenchmarkPretrained tokenises SciFact's abstracts in one goroutine with the available
// vocabularies. The target is 4 MB/s. GPT-2's vocabulary replaces those of Llama 3 and Qwen 2,
// which have other splits.
func BenchmarkPretrained(b *testing.B) {
	texts := scifact(b, 1000)
	for _, c := range []struct {
		name string
		open func(b *testing.B) *tokenizer.Tokenizer
	}{
		{"WordPiece", func(b *testing.B) *tokenizer.Tokenizer { return open(b, "bert", "bert-base-uncased.tokenizer.json") }},
		{"GPT-2", func(b *testing.B) *tokenizer.Tokenizer { return openGPT2(b) }},
		{"Llama3", func(b *testing.B) *tokenizer.Tokenizer { return openSplit(b, llama3Split) }},
		{"Qwen2", func(b *testing.B) *tokenizer.Tokenizer { return openSplit(b, qwen2Split) }},
		{"ModernBERT", func(b *testing.B) *tokenizer.Tokenizer { return open(b, "modernbert", "tokenizer.json") }},
		{"Unigram", func(b *testing.B) *tokenizer.Tokenizer { return openUnigram(b) }},
		{"SentencePieceBPE", func(b *testing.B) *tokenizer.Tokenizer { return openStories(b) }},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkTokenize(b, c.open(b), texts) })
	}
}

// BenchmarkGenerated is BenchmarkPretrained on generated text and vocabularies.
func BenchmarkGenerated(b *testing.B) {
	texts := generatedTexts(500)
	for _, c := range []struct {
		name string
		open func(texts []string) (*tokenizer.Tokenizer, error)
	}{
		{"WordPiece", func(texts []string) (*tokenizer.Tokenizer, error) {
			return tokenizer.BuildWordPiece(slices.Values(texts), 5000)
		}},
		{"ByteLevelBPE", generatedBPE},
		{"Unigram", generatedUnigram},
	} {
		b.Run(c.name, func(b *testing.B) {
			tok, err := c.open(texts)
			if err != nil {
				b.Fatal(err)
			}
			benchmarkTokenize(b, tok, texts)
		})
	}
}

func benchmarkTokenize(b *testing.B, tok *tokenizer.Tokenizer, texts []string) {
	n := 0
	for _, text := range texts {
		n += len(text)
	}
	b.SetBytes(int64(n))
	for b.Loop() {
		for _, text := range texts {
			tok.Tokenize(text)
		}
	}
}

// scifact returns the first n documents of SciFact.
func scifact(b *testing.B, n int) []string {
	b.Helper()
	path := filepath.Join(filepath.Dir(filepath.Dir(sharedFile(b, "SOURCE.md"))), "scifact", "beir", "corpus.jsonl")
	file, err := os.Open(path)
	if err != nil {
		b.Skipf("SKIP: shared data absent at %s", path)
	}
	defer file.Close()
	var texts []string
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && len(texts) < n {
		var document struct{ Title, Text string }
		if err := json.Unmarshal(lines.Bytes(), &document); err != nil {
			b.Fatal(err)
		}
		texts = append(texts, document.Title+" "+document.Text)
	}
	if err := lines.Err(); err != nil || len(texts) != n {
		b.Fatalf("%d documents, %v", len(texts), err)
	}
	return texts
}

// generatedTexts returns n documents of 200 words drawn from 5,000 by Zipf's law.
func generatedTexts(n int) []string {
	rng := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 5000)
	for i := range words {
		for range 2 + rng.IntN(8) {
			words[i] += string(rune('a' + rng.IntN(26)))
		}
	}
	texts := make([]string, n)
	for i := range texts {
		var text strings.Builder
		for range 200 {
			word := words[int(math.Exp(rng.Float64()*math.Log(float64(len(words)))))-1]
			fmt.Fprintf(&text, "%s%s ", word, []string{"", "", "", ",", ". The"}[rng.IntN(5)])
		}
		texts[i] = text.String()
	}
	return texts
}

// generatedBPE learns the merges that build every word of the texts from the left.
func generatedBPE(texts []string) (*tokenizer.Tokenizer, error) {
	vocab, merges := map[string]int{}, [][2]string{}
	add := func(token string) bool {
		_, known := vocab[token]
		if !known {
			vocab[token] = len(vocab)
		}
		return !known
	}
	for _, text := range texts {
		for word := range strings.FieldsSeq(text) {
			for _, r := range "Ġ" + word {
				add(string(r))
			}
			prefix := ""
			for _, r := range "Ġ" + word {
				if prefix != "" && add(prefix+string(r)) {
					merges = append(merges, [2]string{prefix, string(r)})
				}
				prefix += string(r)
			}
		}
	}
	return readParts(map[string]any{"type": "ByteLevel", "add_prefix_space": true}, map[string]any{"type": "BPE", "vocab": vocab, "merges": merges})
}

// generatedUnigram has the words of the texts and their letters as pieces; longer pieces are
// better.
func generatedUnigram(texts []string) (*tokenizer.Tokenizer, error) {
	pieces, known := [][2]any{{"<unk>", 0.0}}, map[string]bool{}
	add := func(piece string, score float64) {
		if !known[piece] {
			known[piece] = true
			pieces = append(pieces, [2]any{piece, score})
		}
	}
	for _, text := range texts {
		for word := range strings.FieldsSeq(text) {
			add("▁"+word, -8)
			for at, r := range word {
				add(word[at:], -10)
				add(string(r), -12)
			}
		}
	}
	return readParts(map[string]any{"type": "Metaspace", "replacement": "▁"}, map[string]any{"type": "Unigram", "unk_id": 0, "vocab": pieces})
}

// readParts reads a tokenizer.json with a pre-tokenizer and a model.
func readParts(words, model map[string]any) (*tokenizer.Tokenizer, error) {
	data, err := json.Marshal(map[string]any{"version": "1.0", "pre_tokenizer": words, "model": model})
	if err != nil {
		return nil, err
	}
	return tokenizer.Read(data)
}

// openSplit opens GPT-2's tokenizer with another split.
func openSplit(t testing.TB, expression string) *tokenizer.Tokenizer {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal(openGPT2(t).JSON(), &document); err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	document["pre_tokenizer"] = object{"type": "Sequence", "pretokenizers": []object{
		{"type": "Split", "pattern": object{"Regex": expression}, "behavior": "Isolated", "invert": false},
		{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false},
	}}
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// openUnigram has XLM-R's steps over BERT's vocabulary, with probabilities of pieces by Zipf's law.
func openUnigram(t testing.TB) *tokenizer.Tokenizer {
	t.Helper()
	data, err := os.ReadFile(sharedFile(t, "bert", "vocab.txt"))
	if err != nil {
		t.Fatal(err)
	}
	pieces := [][2]any{{"<unk>", 0}}
	for i, token := range strings.Fields(string(data)) {
		if tail, ok := strings.CutPrefix(token, "##"); ok {
			token = tail
		} else {
			token = "▁" + token
		}
		pieces = append(pieces, [2]any{token, -math.Log(float64(i + 10))})
	}
	type object = map[string]any
	file, err := json.Marshal(object{
		"version":    "1.0",
		"normalizer": object{"type": "Precompiled", "precompiled_charsmap": charsmap()},
		"pre_tokenizer": object{"type": "Sequence", "pretokenizers": []object{
			{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true},
		}},
		"model": object{"type": "Unigram", "unk_id": 0, "vocab": pieces},
	})
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// openStories opens the SentencePiece tokenizer of stories260K.
func openStories(t testing.TB) *tokenizer.Tokenizer {
	t.Helper()
	path := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(sharedFile(t, "SOURCE.md")))), "models", "stories260k-hf")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("SKIP: shared data absent at %s", path)
	}
	tok, err := tokenizer.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}
