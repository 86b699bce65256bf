package tokenizer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"infbench/datasets/shared"
	"infbench/training/tokenizer"
)

// TestDecodeGoldens holds texts to HuggingFace's decodings of distilgpt2's and
// bert-base-uncased's ids, which leave out special tokens. Their text went through
// transformers' clean_up_tokenization at last, which is no part of the tokenizer.
func TestDecodeGoldens(t *testing.T) {
	var cases map[string][]struct {
		Input   string
		Encoded struct {
			IDs []int32 `json:"input_ids"`
		}
		Decoded string `json:"decoded_without_special"`
	}
	readJSON(t, &cases, "golden", "tokenizer_tests.json")
	for name, tok := range map[string]*tokenizer.Tokenizer{
		"distilgpt2":        openGPT2(t),
		"bert-base-uncased": open(t, "bert", "bert-base-uncased.tokenizer.json"),
	} {
		for _, c := range cases[name] {
			if got := cleanedUp(decode(t, tok, c.Encoded.IDs)); got != c.Decoded {
				t.Errorf("%s: %q, want %q", name, got, c.Decoded)
			}
		}
		if len(cases[name]) < 18 {
			t.Errorf("%s: %d cases", name, len(cases[name]))
		}
	}
}

// cleanedUp is transformers' clean_up_tokenization.
func cleanedUp(s string) string {
	for _, end := range []string{".", "?", "!", ",", " ", "n't", "'m", "'s", "'ve", "'re"} {
		if end == " " {
			s = strings.ReplaceAll(s, " ' ", "'")
			continue
		}
		s = strings.ReplaceAll(s, " "+end, end)
	}
	return s
}

// TestDecodeRoundTrip: a Llama tokenizer with bytes and byte-level ones lose nothing.
func TestDecodeRoundTrip(t *testing.T) {
	texts := []string{"", "Hello, world", " two  blanks ", "line\n\n\tend\r\n", "naïve café – 漢字 👩‍👩‍👧", "\u2028a\u00a0b", "x's 'll\"", "▂", strings.Repeat("ab ", 50)}
	stories, err := tokenizer.Open(shared.Path(t, "models", "stories260k-hf"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tok := range map[string]*tokenizer.Tokenizer{"stories260k": stories, "gpt2": openGPT2(t), "modernbert": open(t, "modernbert", "tokenizer.json")} {
		for _, text := range texts {
			if got := decode(t, tok, tok.Encode(text, 0)); got != text {
				t.Errorf("%s: %q, want %q", name, got, text)
			}
		}
	}
}

// TestDecoders: each kind as HuggingFace tokenizers documents and tests it
// (tokenizers/src/decoders).
func TestDecoders(t *testing.T) {
	for _, c := range []struct {
		decoder string
		tokens  []string
		want    string
	}{
		{`null`, []string{"Hey", "you"}, "Hey you"},
		{`{"type": "BPEDecoder", "suffix": "</w>"}`, []string{"He", "y</w>", "you</w>"}, "Hey you"},
		{`{"type": "ByteFallback"}`, []string{"<0x61>"}, "a"},
		{`{"type": "ByteFallback"}`, []string{"<0xE5>", "<0x8f>"}, "\uFFFD\uFFFD"},
		{`{"type": "ByteFallback"}`, []string{"<0xE5>", "<0x8f>", "<0xab>", "a"}, "叫a"},
		{`{"type": "ByteFallback"}`, []string{"<0xE5>", "<0x8f>", "a", "<0xzz>"}, "\uFFFD\uFFFDa<0xzz>"},
		{`{"type": "ByteLevel"}`, []string{"Ġthe", "ÃĤ", "漢"}, " theÂ漢"},
		{`{"type": "ByteLevel"}`, []string{"Ã"}, "\uFFFD"},
		{`{"type": "Metaspace", "replacement": "▁"}`, []string{"▁Hey", "▁you▁"}, "Hey you "},
		{`{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never"}`, []string{"▁Hey"}, " Hey"},
		{`{"type": "Strip", "content": "H", "start": 1, "stop": 0}`, []string{"HHey", " H"}, "Hey H"},
		{`{"type": "Strip", "content": "y", "start": 0, "stop": 1}`, []string{"Heyy"}, "Hey"},
		{`{"type": "Replace", "pattern": {"Regex": "_+"}, "content": " "}`, []string{"a__b"}, "a b"},
		{`{"type": "WordPiece", "prefix": "##", "cleanup": true}`, []string{"do", "n't", "##s", "!"}, "don'ts!"},
		{`{"type": "WordPiece", "prefix": "##", "cleanup": false}`, []string{"##uelo", "Ara", "##új", "##o", "!"}, "##uelo Araújo !"},
		{`{"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}`, []string{"▁a", "▁b"}, "a b"},
	} {
		vocab := map[string]int32{"UNK": 98}
		var ids []int32
		for i, token := range c.tokens {
			vocab[token] = int32(i)
			ids = append(ids, int32(i))
		}
		model, err := json.Marshal(vocab)
		if err != nil {
			t.Fatal(err)
		}
		tok, err := tokenizer.Read([]byte(`{"model": {"type": "WordLevel", "unk_token": "UNK", "vocab": ` + string(model) + `}, "decoder": ` + c.decoder + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := decode(t, tok, append(ids, 99)); got != c.want {
			t.Errorf("%s of %q: %q, want %q", c.decoder, c.tokens, got, c.want)
		}
	}
}

// TestUnknownDecoder: a file with a decoder that is not known encodes, and says so when
// it is asked for a text.
func TestUnknownDecoder(t *testing.T) {
	tok, err := tokenizer.Read([]byte(`{"model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0}}, "decoder": {"type": "CTC"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tok.Decode([]int32{0}); err == nil || !strings.Contains(err.Error(), `decoder type "CTC"`) {
		t.Errorf("%v", err)
	}
}

func decode(t testing.TB, tok *tokenizer.Tokenizer, ids []int32) string {
	t.Helper()
	text, err := tok.Decode(ids)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
