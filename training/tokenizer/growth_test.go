package tokenizer_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/training/tokenizer"
)

// replaceBy is a Replace section.
func replaceBy(kind, pattern, content string) string {
	p, _ := json.Marshal(map[string]string{kind: pattern})
	c, _ := json.Marshal(content)
	return fmt.Sprintf(`{"type": "Replace", "pattern": %s, "content": %s}`, p, c)
}

// times is a Sequence that repeats a section n times.
func times(n int, section, list string) string {
	return `{"type": "Sequence", "` + list + `": [` + strings.TrimSuffix(strings.Repeat(section+",", n), ",") + `]}`
}

// TestGrowth: sections that can make a text too long are rejected before any text is read; others
// are accepted, in any number.
func TestGrowth(t *testing.T) {
	es := strings.Repeat("e", 1000)
	var symbols []string
	for i, r := range "%&$#@+*=<>~^|\\/{}[]()" {
		symbols = append(symbols, replaceBy("String", string(r), fmt.Sprintf(" symbol number %d ", i)))
	}
	for _, c := range []struct {
		normalizer, words string
		refused           bool
	}{
		{times(1, replaceBy("String", "e", es), "normalizers"), "null", true},
		{times(9, replaceBy("String", "e", es), "normalizers"), "null", true},
		{times(9, replaceBy("String", "ee", es[:20]), "normalizers"), "null", true},
		{times(9, replaceBy("Regex", `\p{Ll}`, "eeee"), "normalizers"), "null", true},
		{times(9, replaceBy("Regex", `(?=\w)`, "eeee"), "normalizers"), "null", true},
		{times(9, replaceBy("String", "", "eeee"), "normalizers"), "null", true},
		{times(9, `{"type": "Sequence", "normalizers": [{"type": "Lowercase"}, `+replaceBy("String", "e", "EEEE")+`]}`, "normalizers"), "null", true},
		{times(9, `{"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "eee"}, `+replaceBy("String", "e", "eeee")+`]}`, "normalizers"), "null", true},
		{times(12, `{"type": "ByteLevel"}`, "normalizers"), "null", true},
		{times(201, `{"type": "Lowercase"}`, "normalizers"), "null", true},
		{`{"type": "Prepend", "prepend": "` + es + `"}`, "null", true},
		{"null", times(12, `{"type": "ByteLevel", "add_prefix_space": false}`, "pretokenizers"), true},
		{"null", times(12, `{"type": "Metaspace", "replacement": "▁"}, {"type": "FixedLength", "length": 1}`, "pretokenizers"), true},

		{`{"type": "Sequence", "normalizers": [` + strings.Join(symbols, ",") + `]}`, `{"type": "ByteLevel"}`, false},
		{times(50, replaceBy("Regex", `\s+`, " "), "normalizers"), `{"type": "Metaspace", "replacement": "▁"}`, false},
		{times(20, replaceBy("Regex", ` {2,}`, "▁"), "normalizers"), "null", false},
		{`{"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}, {"type": "NFKC"}, {"type": "Prepend", "prepend": "▁"}, ` + replaceBy("String", " ", "▁") + `]}`, `{"type": "Metaspace", "replacement": "▁"}`, false},
		{`{"type": "Precompiled", "precompiled_charsmap": "` + charsmap() + `"}`, times(2, `{"type": "ByteLevel"}`, "pretokenizers"), false},
	} {
		_, err := tokenizer.Read([]byte(`{"version": "1.0", "normalizer": ` + c.normalizer + `, "pre_tokenizer": ` + c.words +
			`, "added_tokens": [{"id": 1, "content": "hello", "normalized": true}], "model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0}}}`))
		if (err != nil) != c.refused {
			t.Errorf("%.120s, %.120s: error %v, refused should be %t", c.normalizer, c.words, err, c.refused)
		}
	}
}

// FuzzSections: no accepted normalizer and pre-tokenizer makes tokenizing slow or large.
func FuzzSections(f *testing.F) {
	f.Add(times(3, replaceBy("String", "e", "eee"), "normalizers"), `{"type": "ByteLevel"}`, "hello ")
	f.Add(times(3, replaceBy("Regex", "e|l*", "ele"), "normalizers"), `{"type": "Metaspace", "replacement": "_"}`, "hello ")
	f.Add(`{"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Prepend", "prepend": "ﷺ"}, {"type": "Lowercase"}]}`, `{"type": "UnicodeScripts"}`, "ﷺa漢")
	f.Add(`{"type": "Strip", "strip_left": true}`, `{"type": "Split", "pattern": {"Regex": "a*b|."}, "behavior": "MergedWithNext", "invert": true}`, "aaaa")
	f.Add("null", times(3, `{"type": "FixedLength", "length": 1}, {"type": "ByteLevel", "add_prefix_space": true}`, "pretokenizers"), "é")
	f.Add(`{"type": "BertNormalizer"}`, `{"type": "Sequence", "pretokenizers": [{"type": "Punctuation"}, {"type": "Digits"}, {"type": "CharDelimiterSplit", "delimiter": "a"}]}`, "a1.漢")
	f.Fuzz(func(t *testing.T, normalizer, words, part string) {
		testkit.Small.Within(t, len(normalizer)+len(words)+len(part), func() {
			if len(normalizer)+len(words) > 1<<13 || len(part) > 1<<10 {
				return
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			tok, err := tokenizer.Read([]byte(`{"version": "1.0", "normalizer": ` + normalizer + `, "pre_tokenizer": ` + words + `, "model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0}}}`))
			if err == nil {
				tok.Tokenize(strings.Repeat(part, 4096/max(1, len(part))))
			}
			runtime.ReadMemStats(&after)
			if spent := time.Since(start); spent > 20*time.Second {
				t.Errorf("%v for 4 kB", spent)
			}
			if size := after.TotalAlloc - before.TotalAlloc; size > 1<<30 {
				t.Errorf("%d bytes for 4 kB", size)
			}
		})
	})
}
