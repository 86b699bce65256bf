package tokenizer_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"infbench/training/tokenizer"
)

// TestUnigram: the first case is the example in the documentation of HuggingFace's Unigram. The
// second is the word on which greedy matching and the best sum of scores differ. The others are by
// hand.
func TestUnigram(t *testing.T) {
	const letters = `[["<unk>", 0.0], ["a", 0.0], ["b", 0.0], ["c", 0.0], ["d", 0.0], ["cd", 1.0], ["ab", 2.0], ["abc", 5.0], ["abcd", 10.0]]`
	const words = `[["<unk>", 0.0], ["un", -1.0], ["friend", -1.5], ["ly", -1.0], ["unfr", -2.0], ["iendly", -3.0], ["i", -9.0]]`
	const bytes = `[["<unk>", 0.0], ["a", -1.0], ["<0xC3>", -5.0], ["<0xA9>", -5.0]]`
	for _, c := range []struct{ vocab, settings, text, want string }{
		{letters, "", "abcdacdxx", "abcd a cd <unk>"},
		{words, "", "unfriendly", "un friend ly"},
		{words, "", "unxyly", "un <unk> ly"},
		{words, "", "", ""},
		{bytes, `, "byte_fallback": true`, "aéa", "a <0xC3> <0xA9> a"},
		{bytes, `, "byte_fallback": true`, "aüa", "a <unk> a"},
		{bytes, "", "aéa", "a <unk> a"},
	} {
		tok, err := tokenizer.Read([]byte(`{"version": "1.0", "model": {"type": "Unigram", "unk_id": 0, "vocab": ` + c.vocab + c.settings + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tokens(tok, tok.Tokenize(c.text)), " "); got != c.want {
			t.Errorf("%q = %q, want %q", c.text, got, c.want)
		}
	}
	// The later one of duplicate pieces counts (HuggingFace tokenizers 0.23.3).
	for _, c := range []struct {
		vocab, text string
		ids         []int32
	}{
		{`[["<unk>", 0], ["a", -1], ["b", -2], ["a", -3], ["hello", -4]]`, "aba", []int32{3, 2, 3}},
		{`[["<unk>", 0], ["a", -5], ["ab", -2], ["b", -3], ["a", -1]]`, "aab", []int32{4, 2}},
		{`[["<unk>", 0], ["a", -5], ["<unk>", -1]]`, "ab<unk>", []int32{1, 0, 2}},
	} {
		tok, err := tokenizer.Read([]byte(`{"version": "1.0", "model": {"type": "Unigram", "unk_id": 0, "vocab": ` + c.vocab + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := tok.Tokenize(c.text); !slices.Equal(got, c.ids) {
			t.Errorf("%s: %q is %v, want %v", c.vocab, c.text, got, c.ids)
		}
	}
	for _, model := range []string{
		`{"type": "Unigram", "vocab": [["a", 0.0]]}`,
		`{"type": "Unigram", "unk_id": 1, "vocab": [["a", 0.0]]}`,
	} {
		if _, err := tokenizer.Read([]byte(`{"version": "1.0", "model": ` + model + `}`)); err == nil {
			t.Errorf("%s: no error", model)
		}
	}
}

// normalised returns the result of a normalizer section for text: the model has one word, the text
// itself.
func normalised(t *testing.T, section, text, want string) string {
	t.Helper()
	word, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Read([]byte(`{"version": "1.0", "normalizer": ` + section +
		`, "model": {"type": "WordLevel", "unk_token": "<unk>", "vocab": {"<unk>": 0, ` + string(word) + `: 1}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(tokens(tok, tok.Tokenize(text)), "|")
}

func TestNormalizers(t *testing.T) {
	for _, c := range []struct{ section, text, want string }{
		{`{"type": "Lowercase"}`, "ÀİΣ", "ài\u0307σ"},
		{`{"type": "NFC"}`, "e\u0301ﬁ", "éﬁ"},
		{`{"type": "NFD"}`, "é", "e\u0301"},
		{`{"type": "NFKC"}`, "e\u0301ﬁ²", "éfi2"},
		{`{"type": "NFKD"}`, "éﬁ", "e\u0301fi"},
		{`{"type": "StripAccents"}`, "e\u0301é", "eé"},
		{`{"type": "Strip", "strip_left": true, "strip_right": false}`, "\u00a0 a ", "a "},
		{`{"type": "Prepend", "prepend": "▁"}`, "a b", "▁a b"},
		{`{"type": "Replace", "pattern": {"String": " "}, "content": "▁"}`, "a  b", "a▁▁b"},
		{`{"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "$1"}`, "a   b c", "a$1b c"},
		// From here to StripAccents: HuggingFace tokenizers 0.23.2.
		{`{"type": "Nmt"}`, "a\ab\u200bc\u2581d\ufffde\u0085", "ab c d e\u0085"},
		{`{"type": "ByteLevel"}`, "é a", "Ã©Ġa"},
		{`{"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "}`, "a \u00a0\tb", "a b"},
		{`{"type": "Replace", "pattern": {"Regex": "^ +"}, "content": "_"}`, " a\n b", "_a\n_b"},
		{`{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}`,
			"A\u0378\ue000\u00ad", "a\u0378"}, // U+0378 is not assigned
		{`{"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]}`, "ÉA", "ea"},
		{`{"type": "Precompiled", "precompiled_charsmap": "` + charsmap() + `"}`, "xAyB", "xayB"},
	} {
		if got := normalised(t, c.section, c.text, c.want); got != c.want {
			t.Errorf("%s: %q is not %q", c.section, c.text, c.want)
		}
	}
	for section, want := range map[string]string{
		`{"type": "Replace", "pattern": {"Regex": "(a)\\1"}, "content": " "}`: `not supported`,
		`{"type": "Replace", "pattern": {}, "content": " "}`:                  `neither`,
		`{"type": "Precompiled", "precompiled_charsmap": "AAAA/w=="}`:         `damaged`,
		`{"type": "Nmtt"}`: `unknown normalizer type "Nmtt"`,
	} {
		_, err := tokenizer.Read([]byte(`{"version": "1.0", "normalizer": ` + section + `, "model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0}}}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", section, err, want)
		}
	}
}

// charsmap is a SentencePiece character map from A to a, built by hand: a root whose children start
// at unit 0, the unit of 'A' with a value, and its value.
func charsmap() string {
	units := make([]uint32, 256)
	units[0] = 0                        // root: offset 0
	units['A'] = 'A' | 1<<8 | (1 << 10) // label A, has a value, offset 1: the value is at 'A'^1
	units['A'^1] = 1 << 31              // value 0, the start of the replacements
	raw := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
	for _, u := range units {
		raw = binary.LittleEndian.AppendUint32(raw, u)
	}
	return base64.StdEncoding.EncodeToString(append(raw, 'a', 0))
}

// TestPostProcessors: RoBERTa's form, and Llama 3's sequence.
func TestPostProcessors(t *testing.T) {
	const model = `, "model": {"type": "WordLevel", "unk_token": "<unk>", "vocab": {"<unk>": 0, "<s>": 1, "</s>": 2, "a": 3, "b": 4}}}`
	roberta := `{"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1], "trim_offsets": true, "add_prefix_space": false}`
	llama := `{"type": "Sequence", "processors": [{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false, "use_regex": true},
	  {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
	   "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "<s>", "type_id": 1}}, {"Sequence": {"id": "B", "type_id": 1}}],
	   "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}]}`
	for section, want := range map[string][2]string{
		roberta: {"<s> a </s>", "<s> a </s> </s> b </s>"},
		llama:   {"<s> a", "<s> a <s> b"},
		`{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false}`: {"a", "a b"},
	} {
		tok, err := tokenizer.Read([]byte(`{"version": "1.0", "post_processor": ` + section + model))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tokens(tok, tok.Encode("a", 0)), " "); got != want[0] {
			t.Errorf("one text: %q, want %q", got, want[0])
		}
		ids, _ := tok.EncodePair("a", "b", 0)
		if got := strings.Join(tokens(tok, ids), " "); got != want[1] {
			t.Errorf("two texts: %q, want %q", got, want[1])
		}
	}
	twice := `{"type": "Sequence", "processors": [` + roberta + `, ` + roberta + `]}`
	if _, err := tokenizer.Read([]byte(`{"version": "1.0", "post_processor": ` + twice + model)); err == nil {
		t.Error("two parts that add tokens: no error")
	}
}
