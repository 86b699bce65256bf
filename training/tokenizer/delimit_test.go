package tokenizer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"infbench/training/tokenizer"
)

// regexSplit is a Split section with an expression.
func regexSplit(t *testing.T, expression, behavior string, invert bool) string {
	t.Helper()
	section, err := json.Marshal(map[string]any{
		"type": "Split", "pattern": map[string]string{"Regex": expression}, "behavior": behavior, "invert": invert,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(section)
}

// TestDelimiters: expected from HuggingFace tokenizers 0.23.2.
func TestDelimiters(t *testing.T) {
	const o200k = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
		`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	const bloom = ` ?[^(\s|[.,!?…。，、।۔،])]+`
	const words = `{"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": true}]}`
	inverted := func(behavior string) string {
		return `{"type": "Split", "pattern": {"String": "-"}, "behavior": "` + behavior + `", "invert": true}`
	}
	for _, c := range []struct{ section, text, want string }{
		{regexSplit(t, o200k, "Isolated", false), "HelloWorld it's  DON'T 12345 x\n\n  y", "Hello|World| it's| | DON'T| |123|45| x|\n\n| | y"},
		{regexSplit(t, bloom, "Isolated", false), "a b(c),d", "a| b|(|c|),|d"},
		{regexSplit(t, `[0-9][0-9][0-9]`, "Isolated", false), "12345678", "123|456|78"},
		{regexSplit(t, `\w+`, "Removed", false), "a²½_-b", "-"},
		{regexSplit(t, `[\w-]+`, "Removed", false), "a²-b½", "²|½"},
		{regexSplit(t, `\w+`, "Isolated", true), "ab cd!", "ab| |cd|!"},
		{regexSplit(t, `^a`, "Isolated", false), "ab\nab", "a|b\n|a|b"},
		{regexSplit(t, `\s`, "MergedWithNext", false), "a\u00a0 b", "a|\u00a0| b"},
		{inverted("Removed"), "a-b--c", "-|-|-"},
		{inverted("Contiguous"), "a-b--c", "a|-|b|--|c"},
		{inverted("MergedWithPrevious"), "a-b--c", "a|-b|-|-c"},
		{inverted("MergedWithNext"), "a-b--c", "a-|b-|-|c"},
		{`{"type": "CharDelimiterSplit", "delimiter": "-"}`, "a-b--c", "a|b|c"},
		{`{"type": "FixedLength", "length": 2}`, "aébcd", "aé|bc|d"},
		{`{"type": "Whitespace"}`, "aⒶ b", "aⒶ|b"}, // circled letters are alphabetic
		{words, "a b", "▁a|b"},
		{words, " a b", "a|b"}, // the blank was the start
	} {
		if got := split(t, c.section, c.text); got != c.want {
			t.Errorf("%s: %q = %q, want %q", c.section, c.text, got, c.want)
		}
	}
}

// TestExpressionsRefused: an expression that is not supported is an error that names it.
func TestExpressionsRefused(t *testing.T) {
	for expression, why := range map[string]string{
		`(a)\1`:       `\1`,
		`(?<=a+)b`:    "look behind whose length varies",
		`\p{Klingon}`: "unknown character property",
		`(`:           "not closed",
	} {
		section := regexSplit(t, expression, "Isolated", false)
		_, err := tokenizer.Read([]byte(`{"version": "1.0", "pre_tokenizer": ` + section +
			`, "model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0}}}`))
		if err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "is not supported") {
			t.Errorf("%s: error %v, want %q", expression, err, why)
		}
	}
	for _, section := range []string{
		`{"type": "CharDelimiterSplit", "delimiter": "ab"}`,
		`{"type": "FixedLength", "length": 0}`,
		`{"type": "Split", "pattern": {}, "behavior": "Isolated", "invert": false}`,
	} {
		_, err := tokenizer.Read([]byte(`{"version": "1.0", "pre_tokenizer": ` + section +
			`, "model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0}}}`))
		if err == nil {
			t.Errorf("%s: no error", section)
		}
	}
}
