package tokenizer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"infbench/training/tokenizer"
)

// split returns the words that a pre_tokenizer section makes of text, joined by "|". The model is a
// WordLevel one; its vocabulary has all stretches of the texts, to recognise the words.
func split(t *testing.T, section, text string) string {
	t.Helper()
	vocab := map[string]int32{"<unk>": 0}
	for _, s := range []string{text, strings.ReplaceAll(text, " ", "▁"), "▁" + strings.ReplaceAll(text, " ", "▁")} {
		for i := range len(s) + 1 {
			for j := i + 1; j <= len(s); j++ {
				if _, ok := vocab[s[i:j]]; !ok {
					vocab[s[i:j]] = int32(len(vocab))
				}
			}
		}
	}
	words, err := json.Marshal(vocab)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Read([]byte(`{"version": "1.0", "pre_tokenizer": ` + section +
		`, "model": {"type": "WordLevel", "unk_token": "<unk>", "vocab": ` + string(words) + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(tokens(tok, tok.Tokenize(text)), "|")
}

// TestSplits: the Split cases follow the regular expressions (worked out alternative by
// alternative), the behaviours those of HuggingFace's documentation of SplitDelimiterBehavior.
func TestSplits(t *testing.T) {
	regex := func(expression string) string {
		text, err := json.Marshal(expression)
		if err != nil {
			t.Fatal(err)
		}
		return `{"type": "Split", "pattern": {"Regex": ` + string(text) + `}, "behavior": "Isolated", "invert": false}`
	}
	gpt2 := regex(`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`)
	llama3 := regex(`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`)
	qwen2 := regex(`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`)
	text := func(behavior string) string {
		return `{"type": "Split", "pattern": {"String": "-"}, "behavior": "` + behavior + `", "invert": false}`
	}
	for _, c := range []struct{ section, text, want string }{
		{gpt2, "it's IT'S 12345", "it|'s| IT|'|S| 12345"},
		{gpt2, "a   b", "a|  | b"},
		{gpt2, "a \n\nb ", "a| \n|\n|b| "},
		{gpt2, "(a) ?!", "(|a|)| ?!"},
		{llama3, "it's IT'S 12345", "it|'s| IT|'S| |123|45"},
		{llama3, "(a) ?!\n\nx", "(a|)| ?!\n\n|x"},
		{llama3, "a \n\n  b", "a| \n\n| | b"},
		{llama3, "a\tb  ", "a|\tb|  "},
		{llama3, "x'ſy", "x|'ſ|y"},
		{qwen2, "12 3", "1|2| |3"},
		{text("Isolated"), "a-b--c", "a|-|b|-|-|c"},
		{text("Removed"), "a-b--c", "a|b|c"},
		{text("MergedWithPrevious"), "a-b--c", "a-|b-|-|c"},
		{text("MergedWithNext"), "a-b--c", "a|-b|-|-c"},
		{text("Contiguous"), "a-b--c", "a|-|b|--|c"},
		{`{"type": "Whitespace"}`, "it's a_b.", "it|'|s|a_b|."},
		{`{"type": "WhitespaceSplit"}`, " it's  a ", "it's|a"},
		{`{"type": "Punctuation", "behavior": "Isolated"}`, "a,b!!", "a|,|b|!|!"},
		{`{"type": "Digits", "individual_digits": true}`, "a12b", "a|1|2|b"},
		{`{"type": "Digits", "individual_digits": false}`, "a12b", "a|12|b"},
		// HuggingFace tokenizers 0.23.3; U+10D50 is a letter since Unicode 16.
		{`{"type": "Whitespace"}`, "a\U00010d50.", "a\U00010d50|."},
		{gpt2, "a\U00010d50.", "a\U00010d50|."},
		{regex(`(?=[A-Z])|-`), "ab-CdEf-", "ab|-|Cd|Ef|-"},
		{`{"type": "Split", "pattern": {"Regex": "(?=[A-Z])|-"}, "behavior": "MergedWithPrevious", "invert": false}`, "ab-CdEf-", "ab-|Cd|Ef-"},
		{`{"type": "Split", "pattern": {"Regex": "(?=[A-Z])|-"}, "behavior": "MergedWithPrevious", "invert": true}`, "ab-CdEf-", "ab|-Cd|Ef|-"},
		{`{"type": "Split", "pattern": {"Regex": "(?=[A-Z])|-"}, "behavior": "Removed", "invert": true}`, "ab-CdEf-", "-|-"},
		{`{"type": "Split", "pattern": {"String": ""}, "behavior": "Isolated", "invert": false}`, "abc", "a|b|c"},
		{`{"type": "UnicodeScripts"}`, " ab", "ab"},
		{`{"type": "UnicodeScripts"}`, "  漢a b ", "漢|a b "},
		{`{"type": "UnicodeScripts"}`, "あ カー漢", "あ カー漢"},
		{`{"type": "UnicodeScripts"}`, "1a.b\n漢", "1|a|.|b|\n|漢"},
		{`{"type": "UnicodeScripts"}`, "é\u0301", "é|\u0301"},
		{`{"type": "UnicodeScripts"}`, "\u0378a\u0588b", "a\u0588b"},
		{`{"type": "UnicodeScripts"}`, "\u0531\u0589.\u0905\u0953", "\u0531|\u0589.|\u0905\u0953"},
		{`{"type": "Metaspace", "replacement": "▁", "add_prefix_space": true}`, "Hey   you", "▁Hey|▁|▁|▁you"},
		{`{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": true}`, "Hey you", "Hey|▁you"},
		{`{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false}`, "Hey you", "▁Hey▁you"},
		{`{"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Digits", "individual_digits": true}]}`, "a1 2", "a|1|2"},
	} {
		if got := split(t, c.section, c.text); got != c.want {
			t.Errorf("%s: %q = %q, want %q", c.section, c.text, got, c.want)
		}
	}
}
