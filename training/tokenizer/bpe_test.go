package tokenizer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"infbench/training/tokenizer"
)

// openGPT2 opens the folder of GPT-2's vocab.json and merges.txt.
func openGPT2(t testing.TB) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.Open(filepath.Dir(sharedFile(t, "gpt2", "vocab.json")))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// TestGPT2Goldens checks HuggingFace's encodings by distilgpt2, whose
// tokenizer is GPT-2's.
func TestGPT2Goldens(t *testing.T) {
	var cases map[string][]struct {
		Input   string
		Encoded struct {
			IDs []int32 `json:"input_ids"`
		}
	}
	readJSON(t, &cases, "golden", "tokenizer_tests.json")
	tok := openGPT2(t)
	if len(cases["distilgpt2"]) < 18 {
		t.Fatalf("%d cases", len(cases["distilgpt2"]))
	}
	for _, c := range cases["distilgpt2"] {
		if got := tok.Encode(c.Input, 0); !slices.Equal(got, c.Encoded.IDs) {
			t.Errorf("%q = %v, want %v", c.Input, tokens(tok, got), tokens(tok, c.Encoded.IDs))
		}
	}
}

// TestSentencePieceGoldens checks tokenisations that come with stories260K, a Llama-2 tokenizer of
// 512 pieces, made by llama2.c's own encoder. They follow tokenizer.json alone: transformers 5.24's
// LlamaTokenizer drops one of two blanks at the start of a text.
func TestSentencePieceGoldens(t *testing.T) {
	path := filepath.Join(filepath.Dir(filepath.Dir(sharedFile(t, "SOURCE.md"))), "..", "models", "stories260k-hf")
	tok, err := tokenizer.OpenAs(path, tokenizer.AsFile)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(path, "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Tokenize []struct {
			Text string
			IDs  []int32
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.Tokenize) == 0 {
		t.Fatalf("%d cases, %v", len(golden.Tokenize), err)
	}
	for _, c := range golden.Tokenize {
		if got := tok.Encode(c.Text, 0); !slices.Equal(got, c.IDs) {
			t.Errorf("%q = %v, want %v", c.Text, tokens(tok, got), tokens(tok, c.IDs))
		}
	}
}

// TestByteLevelLossless: the bytes of the tokens are the bytes of the text, for GPT-2 unchanged,
// for ModernBERT in NFC.
func TestByteLevelLossless(t *testing.T) {
	modern := open(t, "modernbert", "tokenizer.json")
	gpt2 := openGPT2(t)
	var questions []struct{ Original string }
	readJSON(t, &questions, "golden", "question_tokens.json")
	texts := []string{"  two  blanks\n\n\tand more   ", "naïve cafe\u0301 \u00a0 中文 👩‍👩‍👧 it's IT'S 12345", "\x00\x7f\u00ad"}
	for i := 0; i < len(questions); i += 100 {
		texts = append(texts, questions[i].Original)
	}
	for _, text := range texts {
		if got := written(gpt2, gpt2.Tokenize(text)); got != text {
			t.Errorf("GPT-2: %q became %q", text, got)
		}
		if got, want := written(modern, modern.Tokenize(text)), norm.NFC.String(text); got != want {
			t.Errorf("ModernBERT: %q became %q", want, got)
		}
	}
}

// written decodes GPT-2's characters for bytes, implemented again here.
func written(tok *tokenizer.Tokenizer, ids []int32) string {
	byteOf, next := map[rune]byte{}, rune(256)
	for b := range 256 {
		r := rune(b)
		if !(r >= '!' && r <= '~' || r >= '¡' && r <= '¬' || r >= '®' && r <= 'ÿ') {
			r, next = next, next+1
		}
		byteOf[r] = byte(b)
	}
	var out []byte
	for _, id := range ids {
		token := tok.Token(id)
		if strings.Trim(token, " ") == "" { // ModernBERT adds runs of blanks unchanged
			out = append(out, token...)
			continue
		}
		for _, r := range token {
			out = append(out, byteOf[r])
		}
	}
	return string(out)
}

// TestModernBERT: runs of blanks are added tokens, special tokens surround the
// text (the template of its tokenizer.json).
func TestModernBERT(t *testing.T) {
	tok := open(t, "modernbert", "tokenizer.json")
	for _, c := range []struct{ text, want string }{
		{"hello", "[CLS]|hello|[SEP]"},
		{"a    b", "[CLS]|a|    |b|[SEP]"},
		{"x [MASK]", "[CLS]|x|[MASK]|[SEP]"}, // the mask includes the blank before it
	} {
		if got := strings.Join(tokens(tok, tok.Encode(c.text, 0)), "|"); got != c.want {
			t.Errorf("%q = %s, want %s", c.text, got, c.want)
		}
	}
}

// bpeJSON is a tokenizer.json over a small BPE model.
func bpeJSON(settings, vocab, merges, rest string) []byte {
	return []byte(`{"version": "1.0", "model": {"type": "BPE", ` + settings + `"vocab": ` + vocab + `, "merges": ` + merges + `}` + rest + `}`)
}

// TestBPE follows the algorithm by hand: the pair learnt first is merged first, at any place; equal
// pairs from the left.
func TestBPE(t *testing.T) {
	const vocab = `{"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5, "aa": 6, "?": 7, "<0xC3>": 8, "<0xA9>": 9, "aaa": 10, "xyz": 11}`
	for _, c := range []struct{ settings, merges, text, want string }{
		{"", `["b c", "a b"]`, "abc", "a bc"},
		{"", `["a b", "b c", "ab c"]`, "abcab", "abc ab"},
		{"", `[["a", "a"], ["aa", "a"]]`, "aaaaa", "aa aaa"},
		{"", `[]`, "axb", "a b"},
		{`"unk_token": "?", `, `[]`, "axyb", "a ? ? b"},
		{`"unk_token": "?", "fuse_unk": true, `, `[]`, "axyb", "a ? b"},
		{`"unk_token": "?", "byte_fallback": true, `, `[]`, "aéb", "a <0xC3> <0xA9> b"},
		{`"unk_token": "?", "byte_fallback": true, `, `[]`, "aüb", "a ? b"},
		// HuggingFace tokenizers 0.23.2: bytes come before an unknown character that is held back.
		{`"unk_token": "?", "byte_fallback": true, `, `[]`, "aüéüb", "a <0xC3> <0xA9> ? ? b"},
		{`"unk_token": "?", "byte_fallback": true, "fuse_unk": true, `, `[]`, "aüéüb", "a <0xC3> <0xA9> ? b"},
		{`"ignore_merges": true, `, `[]`, "xyz", "xyz"},
	} {
		tok, err := tokenizer.Read(bpeJSON(c.settings, vocab, c.merges, ""))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tokens(tok, tok.Tokenize(c.text)), " "); got != c.want {
			t.Errorf("%s %s: %q = %q, want %q", c.settings, c.merges, c.text, got, c.want)
		}
	}
	for _, c := range []struct{ settings, merges, want string }{
		{"", `["a d"]`, `"d" is not in the vocab`},
		{"", `["c a"]`, `"ca" is not in the vocab`},
		{"", `["abc"]`, `merge "abc" is not a pair`},
		{`"dropout": 0.1, `, `[]`, "dropout"},
		{`"unk_token": "!", `, `[]`, `unk_token "!"`},
	} {
		_, err := tokenizer.Read(bpeJSON(c.settings, vocab, c.merges, ""))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: error %v, want %q", c.settings, c.merges, err, c.want)
		}
	}
}

// TestLinearBPE: a SentencePiece model reads a complete document as one word.
func TestLinearBPE(t *testing.T) {
	tok, err := tokenizer.Read(bpeJSON("", `{"a": 0, "aa": 1, "aaaa": 2}`, `["a a", "aa aa"]`, ""))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(tok.Tokenize(strings.Repeat("a", 400_000))); got != 100_000 {
		t.Errorf("%d tokens", got)
	}
}

// TestWordsApart: if no merge crosses the start of a word, a document is segmented word by word;
// otherwise it is not.
func TestWordsApart(t *testing.T) {
	const vocab = `{"a": 0, "b": 1, "▁": 2, "▁▁": 3, "▁a": 4, "ab": 5, "a▁": 6, "?": 7, "▁▁▁a": 8}`
	for _, c := range []struct{ merges, text, want string }{
		{`["▁ ▁", "▁ a", "a b"]`, "▁ab▁▁▁ab▁xa▁", "▁a b ▁▁ ▁a b ▁ ? a ▁"},
		{`["a ▁", "▁ a"]`, "▁a▁a", "▁ a▁ a"},
		{`["▁ ▁", "▁ a", "▁▁ ▁a"]`, "b▁▁▁a▁▁a", "b ▁▁▁a ▁▁ a"},
	} {
		tok, err := tokenizer.Read(bpeJSON(`"unk_token": "?", "fuse_unk": true, `, vocab, c.merges, ""))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tokens(tok, tok.Tokenize(c.text)), " "); got != c.want {
			t.Errorf("%s: %q = %q, want %q", c.merges, c.text, got, c.want)
		}
	}
}
