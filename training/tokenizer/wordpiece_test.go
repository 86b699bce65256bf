package tokenizer_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"infbench/training/tokenizer"
)

// TestSQuADGoldens checks 10,570 SQuAD questions against ids made with
// HuggingFace's bert-base-uncased (data/tokenizers/SOURCE.md), with the
// vocabulary read from tokenizer.json in two vintages and from vocab.txt.
func TestSQuADGoldens(t *testing.T) {
	var questions []struct {
		Original  string
		WordPiece []string
	}
	var ids [][]int32
	readJSON(t, &questions, "golden", "question_tokens.json")
	readJSON(t, &ids, "golden", "tokenized_questions.json")
	if len(questions) != 10570 || len(ids) != len(questions) {
		t.Fatalf("%d questions, %d id lists; want 10570", len(questions), len(ids))
	}
	for name, tok := range map[string]*tokenizer.Tokenizer{
		"bert-base-uncased":      open(t, "bert", "bert-base-uncased.tokenizer.json"),
		"all-minilm-l6-v2":       open(t, "bert", "all-minilm-l6-v2.tokenizer.json"),
		"vocab.txt of bert-base": openVocab(t),
	} {
		wrong := 0
		for i, q := range questions {
			got := tok.Tokenize(q.Original)
			if slices.Equal(got, ids[i]) {
				continue
			}
			if wrong++; wrong <= 5 {
				t.Errorf("%s: %q = %v, want %v", name, q.Original, tokens(tok, got), q.WordPiece)
			}
		}
		if wrong > 0 {
			t.Errorf("%s: %d of %d differ", name, wrong, len(questions))
		}
	}
}

func tokens(tok *tokenizer.Tokenizer, ids []int32) []string {
	var out []string
	for _, id := range ids {
		out = append(out, tok.Token(id))
	}
	return out
}

func openVocab(t testing.TB) *tokenizer.Tokenizer {
	t.Helper()
	data, err := os.ReadFile(sharedFile(t, "bert", "vocab.txt"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/vocab.txt", data, 0o644); err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// TestLibraryGoldens checks texts with symbols, emoji and several scripts
// against HuggingFace's encodings with special tokens.
func TestLibraryGoldens(t *testing.T) {
	var cases map[string][]struct {
		Input   string
		Encoded struct {
			IDs []int32 `json:"input_ids"`
		}
	}
	readJSON(t, &cases, "golden", "tokenizer_tests.json")
	tok := open(t, "bert", "bert-base-uncased.tokenizer.json")
	if len(cases["bert-base-uncased"]) < 18 {
		t.Fatalf("%d cases", len(cases["bert-base-uncased"]))
	}
	for _, c := range cases["bert-base-uncased"] {
		if got := tok.Encode(c.Input, 0); !slices.Equal(got, c.Encoded.IDs) {
			t.Errorf("%q = %v, want %v", c.Input, tokens(tok, got), tokens(tok, c.Encoded.IDs))
		}
	}
}

// toy is a vocabulary for tests by hand.
func toy(t testing.TB) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.NewWordPiece([]string{
		"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
		"un", "##friend", "##ly", "friend", "a", "##a", "é", "e", "!", "中", "i",
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// TestWordPiece is by hand from the rules of Devlin et al. 2018 and of
// HuggingFace's BertNormalizer.
func TestWordPiece(t *testing.T) {
	tok := toy(t)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{" \t\n", ""},
		{"Unfriendly", "un ##friend ##ly"},
		{"unfriendlyx", "[UNK]"}, // one unknown end makes the complete word unknown
		{"friend!a", "friend ! a"},
		{"é É e\u0301", "e e e"},         // accents are removed before the lookup in the vocabulary
		{"a\u200da\u0000a", "a ##a ##a"}, // format and control characters are removed
		{"a\u00a0a\u3000a", "a a a"},     // any white space splits
		{"a中a", "a 中 a"},
		{"İ", "i"},
		{"a\xffa", "a ##a"},             // invalid bytes are read as U+FFFD, which is removed
		{"[MASK]a", "[MASK] a"},         // special tokens in the text are matched
		{"[mask]", "[UNK] [UNK] [UNK]"}, // but not after normalisation
		{strings.Repeat("a", 100), "a" + strings.Repeat(" ##a", 99)},
		{strings.Repeat("a", 101), "[UNK]"}, // max_input_chars_per_word
	} {
		if got := strings.Join(tokens(tok, tok.Tokenize(c.text)), " "); got != c.want {
			t.Errorf("%q = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestEncodeLimits(t *testing.T) {
	tok := toy(t)
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"a a a", 0, "[CLS] a a a [SEP]"},
		{"a a a", 5, "[CLS] a a a [SEP]"},
		{"a e a", 4, "[CLS] a e [SEP]"},
		{"a", 2, "[CLS] [SEP]"},
		{"a", 1, "[CLS]"},
		{"", 9, "[CLS] [SEP]"},
	} {
		if got := strings.Join(tokens(tok, tok.Encode(c.text, c.limit)), " "); got != c.want {
			t.Errorf("Encode(%q, %d) = %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

// TestEncodePair shortens like truncate_encodings of HuggingFace tokenizers with LongestFirst,
// worked out by hand from its source.
func TestEncodePair(t *testing.T) {
	tok := toy(t)
	for _, c := range []struct {
		a, b  string
		limit int
		want  string
		types []int32
	}{
		{"a", "e e", 0, "[CLS] a [SEP] e e [SEP]", []int32{0, 0, 0, 1, 1, 1}},
		{"a", "e e e e", 6, "[CLS] a [SEP] e e [SEP]", []int32{0, 0, 0, 1, 1, 1}},
		{"a a a a", "e", 6, "[CLS] a a [SEP] e [SEP]", []int32{0, 0, 0, 0, 1, 1}},
		{"a a a a", "e e e e", 8, "[CLS] a a [SEP] e e e [SEP]", []int32{0, 0, 0, 0, 1, 1, 1, 1}},
		{"a a a a a", "e e e e", 8, "[CLS] a a a [SEP] e e [SEP]", []int32{0, 0, 0, 0, 0, 1, 1, 1}},
		{"a", "e", 3, "[CLS] [SEP] [SEP]", []int32{0, 0, 1}},
	} {
		ids, types := tok.EncodePair(c.a, c.b, c.limit)
		if got := strings.Join(tokens(tok, ids), " "); got != c.want || !slices.Equal(types, c.types) {
			t.Errorf("EncodePair(%q, %q, %d) = %q %v, want %q %v", c.a, c.b, c.limit, got, types, c.want, c.types)
		}
	}
}
