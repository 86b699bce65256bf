package tokenizer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/memory"
	"infbench/internal/testkit"
	"infbench/training/tokenizer"
)

// base is a small tokenizer.json; tests replace parts of it.
const base = `{
  "version": "1.0", "truncation": null, "padding": null,
  "added_tokens": [],
  "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
  "decoder": null,
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
    "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "b": 4, "##b": 5}}
}`

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"BertNormalizer"`, `"BertNormaliser"`, `normalizer: unknown normalizer type "BertNormaliser"; did you mean "BertNormalizer"?`},
		{`"BertPreTokenizer"`, `"Voodoo"`, `pre_tokenizer: unknown pre_tokenizer type "Voodoo"`},
		{`"BertProcessing"`, `"Magic"`, `post_processor: unknown post_processor type "Magic"`},
		{`"WordPiece"`, `"WordPeace"`, `model: unknown model type "WordPeace"; did you mean "WordPiece"?`},
		{`"lowercase": true`, `"lowercase": true, "shout": true`, `normalizer: BertNormalizer: json: unknown field "shout"`},
		{`"version": "1.0"`, `"version": "1.0", "surprise": 1`, `unknown field "surprise"`},
		{`"unk_token": "[UNK]"`, `"unk_token": "[unk]"`, `unk_token "[unk]" is not in the vocab`},
		{`"##b": 5`, `"##b": 4`, `share the id 4`},
		{`"##b": 5`, `"##b": -5`, `outside [0,`},
		{`["[SEP]", 2]`, `["[SEP]", 9]`, `no token has the id 9`},
		{`"padding": null`, `"padding": {"strategy": "BatchLongest", "direction": "Up", "pad_id": 0}`, `padding: unknown direction "Up"`},
		{`"model": {`, `"model": 3, "x": {`, `unknown field`},
		{base, `{}`, `model: missing`},
		{base, base + "{}", `data after the JSON value`},
		{base, ``, `EOF`},
	} {
		text := strings.Replace(base, c.old, c.new, 1)
		if text == base {
			t.Fatalf("%q is not in the base file", c.old)
		}
		_, err := tokenizer.Read([]byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s -> %s: error %v, want %q", c.old, c.new, err, c.want)
		}
	}
}

// TestAddedTokens checks the flags by hand from HuggingFace's
// added_vocabulary.rs.
func TestAddedTokens(t *testing.T) {
	for _, c := range []struct{ flags, text, want string }{
		{``, "a<x>b", "a <x> b"},
		{``, "a <X> b", "a [UNK] [UNK] [UNK] b"},
		{`"normalized": true`, "a <X> b", "a <x> b"},
		{`"single_word": true`, "a<x>b", "a [UNK] [UNK] [UNK] b"},
		{`"single_word": true`, "a <x>,b", "a <x> [UNK] b"},
		{`"lstrip": true, "rstrip": true`, "a  <x>  b", "a <x> b"},
		{``, "<x><x>", "<x> <x>"},
		{``, "<x<x>", "[UNK] [UNK] <x>"},
		{``, "<x>>", "<x>>"}, // the longest token wins
	} {
		flags := c.flags
		if flags != "" {
			flags = ", " + flags
		}
		added := `"added_tokens": [{"id": 6, "content": "<x>"` + flags + `}, {"id": 7, "content": "<x>>"}]`
		tok, err := tokenizer.Read([]byte(strings.Replace(base, `"added_tokens": []`, added, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tokens(tok, tok.Tokenize(c.text)), " "); got != c.want {
			t.Errorf("%s: %q = %q, want %q", c.flags, c.text, got, c.want)
		}
	}
}

// TestAddedIDs: the ids of HuggingFace tokenizers 0.23.3, which are those of the vocabulary or the
// next ones, regardless of the file.
func TestAddedIDs(t *testing.T) {
	words := func(vocab string) string {
		return `{"type": "WordLevel", "unk_token": "<unk>", "vocab": ` + vocab + `}`
	}
	five := words(`{"<unk>": 0, "a": 1, "b": 2, "hello": 3, "x": 4}`)
	for _, c := range []struct {
		model, added, text string
		ids                []int32
	}{
		{five, `{"id": 900, "content": "hello"}`, "helloa", []int32{3, 1}},
		{five, `{"id": 900, "content": "hello", "special": true, "normalized": true}`, "helloa", []int32{3, 1}},
		{five, `{"id": 3, "content": "<n>"}`, "a<n>", []int32{1, 5}},
		{five, `{"id": 5, "content": "<n>"}, {"id": 5, "content": "<m>"}`, "<n><m>", []int32{5, 6}},
		{five, `{"id": 9, "content": "<m>"}, {"id": 5, "content": "<n>"}`, "a<n>b<m>", []int32{1, 6, 2, 5}},
		{five, `{"id": 5, "content": ""}, {"id": 6, "content": "<n>"}`, "<n>", []int32{5}},
		{five, `{"id": 5, "content": "<n>"}, {"id": 6, "content": "<n>", "lstrip": true}`, "a <n>b", []int32{1, 5, 2}},
		{words(`{"<unk>": 0, "a": 1, "b": 7}`), `{"id": 8, "content": "<n>"}, {"id": 7, "content": "b"}, {"id": 9, "content": "<m>"}`, "a<n>b<m>", []int32{1, 3, 7, 4}},
		{`{"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1], ["b", -2], ["b", -3]]}`, `{"id": 2, "content": "<n>"}`, "a<n>b", []int32{1, 4, 3}},
	} {
		tok, err := tokenizer.Read([]byte(`{"version": "1.0", "added_tokens": [` + c.added + `], "pre_tokenizer": {"type": "WhitespaceSplit"}, "model": ` + c.model + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := tok.Tokenize(c.text); !slices.Equal(got, c.ids) {
			t.Errorf("%s: %q is %v, want %v", c.added, c.text, got, c.ids)
		}
	}
}

// TestAddedWhiteSpace: tokens of white space are found again in the text that the one before them
// includes, except that token itself, as in HuggingFace tokenizers 0.23.2.
func TestAddedWhiteSpace(t *testing.T) {
	for _, c := range []struct{ added, text, want string }{
		{`{"id": 4, "content": "q", "rstrip": true}, {"id": 3, "content": "  "}`, "q  a", "q|  |a"},
		{`{"id": 3, "content": "  ", "lstrip": true, "rstrip": true}`, "a    b", "a|  |b"},
		{`{"id": 4, "content": "q", "single_word": true}`, "Ⓐq a", "<unk>|a"},
	} {
		tok, err := tokenizer.Read([]byte(`{"version": "1.0", "added_tokens": [` + c.added + `], "pre_tokenizer": {"type": "WhitespaceSplit"},
		  "model": {"type": "WordLevel", "unk_token": "<unk>", "vocab": {"<unk>": 0, "a": 1, "b": 2, "  ": 3, "q": 4}}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tokens(tok, tok.Tokenize(c.text)), "|"); got != c.want {
			t.Errorf("%s: %q = %q, want %q", c.added, c.text, got, c.want)
		}
	}
}

// TestBertProcessing checks the older form of the post-processor.
func TestBertProcessing(t *testing.T) {
	tok, err := tokenizer.Read([]byte(base))
	if err != nil {
		t.Fatal(err)
	}
	ids, types := tok.EncodePair("ab", "b", 0)
	if !slices.Equal(ids, []int32{1, 3, 5, 2, 4, 2}) || !slices.Equal(types, []int32{0, 0, 0, 0, 1, 1}) {
		t.Errorf("pair = %v %v", ids, types)
	}
}

// TestSides reads truncation and padding.
func TestSides(t *testing.T) {
	text := strings.NewReplacer(
		`"truncation": null`, `"truncation": {"direction": "Left", "max_length": 7, "strategy": "LongestFirst", "stride": 0}`,
		`"padding": null`, `"padding": {"strategy": {"Fixed": 9}, "direction": "Left", "pad_to_multiple_of": null, "pad_id": 4, "pad_type_id": 0, "pad_token": "b"}`,
	).Replace(base)
	tok, err := tokenizer.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := tok.Encode("a b a b", 4); !slices.Equal(got, []int32{1, 3, 4, 2}) {
		t.Errorf("cut on the left: %v", got)
	}
	if id, ok := tok.PadID(); id != 4 || !ok || !tok.PadsLeft() || tok.MaxLength() != 7 {
		t.Errorf("pad %d %v, left %v, limit %d", id, ok, tok.PadsLeft(), tok.MaxLength())
	}
}

// TestJSONRoundTrip reads what JSON wrote.
func TestJSONRoundTrip(t *testing.T) {
	tok := toy(t)
	again, err := tokenizer.Read(tok.JSON())
	if err != nil {
		t.Fatal(err)
	}
	const text = "Unfriendly a! [SEP] x"
	if got, want := again.Encode(text, 0), tok.Encode(text, 0); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if _, err := tokenizer.Open(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("empty folder: %v", err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("vocab.txt", "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\n[MASK]\r\nA\r\na\r\n")
	write("tokenizer_config.json", `{"do_lower_case": false}`)
	tok, err := tokenizer.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := tok.Encode("A a", 0); !slices.Equal(got, []int32{2, 5, 6, 3}) {
		t.Errorf("cased: %v", got)
	}
	write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\na\n")
	if _, err := tokenizer.Open(dir); err == nil || !strings.Contains(err.Error(), `lines 5 and 6 are both "a"`) {
		t.Errorf("doubled line: %v", err)
	}
}

// FuzzRead reads broken files; accepted ones must encode without panicking to ids of the
// vocabulary.
func FuzzRead(f *testing.F) {
	f.Add([]byte(base), "a b <x> é")
	f.Add([]byte(strings.Replace(base, `"added_tokens": []`, `"added_tokens": [{"id": 6, "content": " ", "lstrip": true, "rstrip": true}]`, 1)), " a  b ")
	f.Add([]byte(`{"model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "": 1}}}`), "a")
	f.Add([]byte(`{"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Prepend", "prepend": "a"}]}, "pre_tokenizer": {"type": "Metaspace", "replacement": "_"},
	  "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": true, "vocab": [["?", 0], ["_a", -1], ["b", -2]]}}`), "a b\xff")
	f.Add([]byte(`{"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": true}, "model": {"type": "BPE", "fuse_unk": true, "unk_token": "a", "end_of_word_suffix": "a",
	  "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3}, "merges": ["a b"]}}`), "ab  ab'S 12\n ")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		testkit.Small.Within(t, len(data)+len(text), func() {
			tok, err := tokenizer.Read(data)
			if err != nil {
				return
			}
			for _, id := range tok.Encode(text, 16) {
				if id < 0 || int(id) >= tok.VocabSize() {
					t.Fatalf("id %d of %d", id, tok.VocabSize())
				}
			}
		})
	})
}

// FuzzOpen reads broken vocabulary files, each kind in its own folder; accepted ones must encode
// without panicking to ids of the vocabulary.
func FuzzOpen(f *testing.F) {
	f.Add(`{"a": 0, "b": 1, "ab": 2, "Ġ": 3}`, "#version: 0.2\na b\n", `{"add_prefix_space": true}`, "ab a")
	f.Add(`{"<s>": 0, "</s>": 1, "a": 2}`, "", `{}`, "a<s>")
	f.Add(`{"a": 0}`, "a a\n", `{"do_lower_case": null}`, "a")
	f.Add("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b", "", `{"do_lower_case": false}`, "ab A[MASK]")
	f.Add("[PAD]\r\n[UNK]\r\n\r\n", "", "{", "")
	f.Fuzz(func(t *testing.T, vocab, merges, config, text string) {
		testkit.Small.Within(t, len(vocab)+len(merges)+len(config)+len(text), func() {
			for _, files := range []map[string]string{
				{"vocab.json": vocab, "merges.txt": merges, "tokenizer_config.json": config},
				{"vocab.txt": vocab, "tokenizer_config.json": config},
			} {
				dir := t.TempDir()
				for name, content := range files {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				tok, err := tokenizer.Open(dir)
				if err != nil {
					continue
				}
				for _, id := range tok.Encode(text, 16) {
					if id < 0 || int(id) >= tok.VocabSize() {
						t.Fatalf("id %d of %d", id, tok.VocabSize())
					}
				}
			}
		})
	})
}

// TestOpenMerges: RoBERTa's special tokens surround a text, GPT-2 adds nothing; a vocab.json
// without its merges is an error that names them.
func TestOpenMerges(t *testing.T) {
	for _, c := range []struct{ vocab, merges, config, want string }{
		{`{"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġab": 4}`, "#version: 0.2\na b\nĠ ab\n", `{}`, "ab|Ġab"},
		{`{"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġab": 4}`, "a b\r\nĠ ab\r\n", `{"add_prefix_space": true}`, "Ġab|Ġab"},
		{`{"a": 0, "b": 1, "ab": 2, "Ġ": 3, "<s>": 4, "</s>": 5}`, "a b", `{}`, "<s>|ab|Ġ|ab|</s>"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"vocab.json": c.vocab, "merges.txt": c.merges, "tokenizer_config.json": c.config} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		tok, err := tokenizer.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tokens(tok, tok.Encode("ab ab", 0)), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.vocab, got, c.want)
		}
		if err := os.Remove(filepath.Join(dir, "merges.txt")); err != nil {
			t.Fatal(err)
		}
		if _, err := tokenizer.Open(dir); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "vocab.json needs merges.txt") {
			t.Errorf("no merges: %v", err)
		}
	}
}

// A vocabulary that does not fit into memory is an error before it is built.
func TestVocabularyThatDoesNotFit(t *testing.T) {
	const words = 1 << 20
	var text bytes.Buffer
	text.WriteString(`{"model": {"type": "WordLevel", "unk_token": "w0", "vocab": {"w0": 0`)
	for i := 1; i < words; i++ {
		fmt.Fprintf(&text, `, "w%d": %d`, i, i)
	}
	text.WriteString(`}}}`)
	defer memory.Limit(memory.Least)()
	_, err := tokenizer.Read(text.Bytes())
	if _, full := errors.AsType[*memory.Full](err); !full {
		t.Errorf("%v, want an error of memory", err)
	}
}
