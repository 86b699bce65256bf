package tokenizer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"infbench/training/tokenizer"
)

// TestClasses: a tokenizer.json in a folder gives the IDs of transformers 5.24, by tokenizer_class,
// model_type and the files next to it. testdata/classes.py wrote the IDs.
func TestClasses(t *testing.T) {
	data, err := os.ReadFile("testdata/classes.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Texts      []string
		Tokenizers map[string]json.RawMessage
		Cases      []struct {
			Tokenizer string
			Files     map[string]json.RawMessage
			IDs       [][]int32
			Pair, Cut []int32
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden.Cases) < 45 {
		t.Fatalf("%d cases, %v", len(golden.Cases), err)
	}
	for _, c := range golden.Cases {
		name := fmt.Sprintf("%s %s %s", c.Tokenizer, c.Files["config.json"], c.Files["tokenizer_config.json"])
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"tokenizer.json": string(golden.Tokenizers[c.Tokenizer])}
			for file, text := range c.Files {
				files[file] = string(text)
			}
			check := func(tok *tokenizer.Tokenizer, err error) *tokenizer.Tokenizer {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				for i, text := range golden.Texts {
					if got := tok.Encode(text, 0); !slices.Equal(got, c.IDs[i]) {
						t.Errorf("%q: %v, want %v", text, got, c.IDs[i])
					}
				}
				if got, _ := tok.EncodePair(golden.Texts[0], golden.Texts[1], 0); !slices.Equal(got, c.Pair) {
					t.Errorf("pair %v, want %v", got, c.Pair)
				}
				if got := tok.Encode(golden.Texts[0], 4); !slices.Equal(got, c.Cut) {
					t.Errorf("cut %v, want %v", got, c.Cut)
				}
				return tok
			}
			tok := check(tokenizer.Open(folderOf(t, files)))
			own := map[string]string{"tokenizer_config.json": `{"tokenizer_class": "PreTrainedTokenizerFast"}`}
			for _, f := range tok.Files() {
				own[f.Name] = string(f.Data)
			}
			check(tokenizer.Open(folderOf(t, own)))
		})
	}
}

// wordLevel is a tokenizer.json of complete words.
const wordLevel = `{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": %s,
	"pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": null, "post_processor": null,
	"model": {"type": "WordLevel", "vocab": {"<u>": 0, "<s>": 1, "</s>": 2, "a": 3, "A": 4, "B": 5, "b": 6}, "unk_token": "<u>"}}`

// TestReadings: if versions of transformers differ, the requested one is followed, with a note.
// Classes that do not fit the file are errors.
func TestReadings(t *testing.T) {
	bert := fmt.Sprintf(wordLevel, `{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}`)
	plain := fmt.Sprintf(wordLevel, "null")
	for _, c := range []struct {
		name, json, config string
		as                 tokenizer.Reading
		ids                []int32 // of "A b"
		note, wrong        string
	}{
		{"the file alone", bert, `{"tokenizer_class": "BertTokenizer", "do_lower_case": false}`, tokenizer.AsFile, []int32{3, 6}, "", ""},
		{"transformers 4", bert, `{"tokenizer_class": "BertTokenizer", "do_lower_case": false}`, tokenizer.Transformers4, []int32{4, 6}, "", ""},
		{"transformers 5 cannot open it", bert, `{"tokenizer_class": "BertTokenizer", "do_lower_case": false}`, "", []int32{4, 6}, `needs a token "[UNK]"`, ""},
		{"nor by the class of model_type, which nobody stated", bert, `{"do_lower_case": false}`, "", []int32{4, 6}, "", ""},
		{"no such class", plain, `{"tokenizer_class": "MyTokenizer"}`, "", []int32{4, 6}, "tokenizer_class MyTokenizer is not known here", ""},
		{"a class of another model", plain, `{"tokenizer_class": "LlamaTokenizer", "add_eos_token": true}`, "", nil, "", `tokenizer_class LlamaTokenizer builds a BPE tokenizer, and the model of tokenizer.json is WordLevel: write`},
		{"which transformers 4 opens", plain, `{"tokenizer_class": "LlamaTokenizer", "add_eos_token": true}`, tokenizer.Transformers4, []int32{1, 4, 6, 2}, "", ""},
		{"without bos", plain, `{"tokenizer_class": "LlamaTokenizerFast", "add_bos_token": false, "add_eos_token": true}`, tokenizer.Transformers4, []int32{4, 6, 2}, "", ""},
		{"a side", plain, `{"truncation_side": "rihgt"}`, "", nil, "", `did you mean "right"?`},
		{"split special tokens", plain, `{"split_special_tokens": true}`, "", nil, "", "split_special_tokens true is not supported"},
		{"broken", plain, `{"added_tokens_decoder": {"x": {"content": "a"}}}`, "", nil, "", `added_tokens_decoder: "x"`},
		{"a token that is none", plain, `{"pad_token": 3}`, "", nil, "", "pad_token is not a token"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"tokenizer.json": c.json, "tokenizer_config.json": c.config, "config.json": `{"model_type": "bert"}`}
			if strings.Contains(c.config, "Llama") {
				files["config.json"] = `{"model_type": "llama"}`
			}
			tok, err := tokenizer.OpenAs(folderOf(t, files), c.as)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("error %v, want %q", err, c.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if ids := tok.Encode("A b", 0); !slices.Equal(ids, c.ids) {
				t.Errorf("%v, want %v", ids, c.ids)
			}
			if notes := strings.Join(tok.Notes(), "; "); c.note == "" && notes != "" || !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

// Classes of transformers pad on the left unless a file names a side (padding_side of
// LlamaTokenizer in 4 and 5), and special tokens without a row are reported.
func TestClassSides(t *testing.T) {
	plain := fmt.Sprintf(wordLevel, "null")
	for config, left := range map[string]bool{
		`{"tokenizer_class": "LlamaTokenizerFast"}`:                           true,
		`{"tokenizer_class": "LlamaTokenizer", "padding_side": "right"}`:      false,
		`{"tokenizer_class": "PreTrainedTokenizerFast"}`:                      false,
		`{"padding_side": "left", "tokenizer_class": "TokenizersBackend"}`:    true,
		`{"tokenizer_class": "BertTokenizer", "extra_special_tokens": ["x"]}`: false,
	} {
		files := map[string]string{"tokenizer.json": plain, "tokenizer_config.json": config, "config.json": `{"model_type": "other", "vocab_size": 7}`}
		tok, err := tokenizer.OpenAs(folderOf(t, files), tokenizer.Transformers4)
		if err != nil {
			t.Fatal(err)
		}
		if tok.PadsLeft() != left {
			t.Errorf("%s: left %t, want %t", config, tok.PadsLeft(), left)
		}
		if want := strings.Contains(config, "extra"); want != slices.Equal(tok.Beyond(), []string{"x"}) {
			t.Errorf("%s: beyond %q", config, tok.Beyond())
		}
	}
}

// TestSegments: only some classes tell a network the segments of two texts. Expected values are the
// token_type_ids of AutoTokenizer in transformers 5.24 for "a" and "b a", zeros if it gives none.
// For transformers 4 they follow model_input_names of the classes of 4.57.
func TestSegments(t *testing.T) {
	file := `{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "decoder": null,
	"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
	"pre_tokenizer": {"type": "BertPreTokenizer"},
	"post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
		"pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
		"special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}, "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}},
	"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
		"vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "a": 5, "b": 6}}}`
	two, none := []int32{0, 0, 0, 1, 1, 1}, []int32{0, 0, 0, 0, 0, 0}
	for _, c := range []struct {
		config string
		as     tokenizer.Reading
		types  []int32
	}{
		{`{"tokenizer_class": "BertTokenizer"}`, "", two},
		{`{"tokenizer_class": "BertTokenizerFast"}`, "", two},
		{`{}`, "", two}, // the class of model_type
		{`{"tokenizer_class": "ElectraTokenizerFast"}`, "", two},
		{`{"tokenizer_class": "MobileBertTokenizer"}`, "", two},
		{`{"tokenizer_class": "PreTrainedTokenizerFast"}`, "", none},
		{`{"tokenizer_class": "TokenizersBackend"}`, "", none},
		{`{"tokenizer_class": "DistilBertTokenizer"}`, "", none},
		{`{"tokenizer_class": "DistilBertTokenizerFast"}`, "", none},
		{`{"tokenizer_class": "BertTokenizer", "model_input_names": ["input_ids", "attention_mask"]}`, "", none},
		{`{"tokenizer_class": "PreTrainedTokenizerFast", "model_input_names": ["input_ids", "token_type_ids", "attention_mask"]}`, "", two},
		{`{"tokenizer_class": "PreTrainedTokenizerFast"}`, tokenizer.Transformers4, two},
		{`{"tokenizer_class": "BertTokenizer"}`, tokenizer.Transformers4, two},
		{`{"tokenizer_class": "DistilBertTokenizerFast"}`, tokenizer.Transformers4, none},
		{`{"tokenizer_class": "PreTrainedTokenizerFast"}`, tokenizer.AsFile, two},
	} {
		tok, err := tokenizer.OpenAs(folderOf(t, map[string]string{"tokenizer.json": file, "tokenizer_config.json": c.config, "config.json": `{"model_type": "bert"}`}), c.as)
		if err != nil {
			t.Fatal(err)
		}
		for _, tok := range []*tokenizer.Tokenizer{tok, tok.Cutting(true)} {
			ids, types := tok.EncodePair("a", "b a", 0)
			if !slices.Equal(ids, []int32{2, 5, 3, 6, 5, 3}) || !slices.Equal(types, c.types) {
				t.Errorf("%s %s: %v %v, want %v", c.config, c.as, ids, types, c.types)
			}
			if lacks := tok.LacksSegments(); lacks == slices.Equal(c.types, two) {
				t.Errorf("%s %s: lacks segments: %v", c.config, c.as, lacks)
			}
		}
	}
}

// TestLowered: sentence-transformers' do_lower_case comes before all other normalisation, also with
// a vocabulary without English words.
func TestLowered(t *testing.T) {
	for _, c := range []struct {
		normalizer string
		ids        []int32 // of "A B"
		same       bool
	}{
		{"null", []int32{3, 6}, false},
		{`{"type": "NFC"}`, []int32{3, 6}, false},
		{`{"type": "Sequence", "normalizers": [{"type": "Replace", "pattern": {"String": "a"}, "content": "b"}]}`, []int32{6, 6}, false},
		{`{"type": "Lowercase"}`, []int32{3, 6}, true},
		{`{"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]}`, []int32{3, 6}, true},
		{`{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}`, []int32{3, 6}, true},
	} {
		tok, err := tokenizer.Read([]byte(fmt.Sprintf(wordLevel, c.normalizer)))
		if err != nil {
			t.Fatal(err)
		}
		lowered, err := tok.Lowered()
		if err != nil {
			t.Fatal(err)
		}
		if ids := lowered.Encode("A B", 0); !slices.Equal(ids, c.ids) || (lowered == tok) != c.same {
			t.Errorf("%s: %v, want %v", c.normalizer, ids, c.ids)
		}
		again, err := tokenizer.Read(lowered.JSON())
		if err != nil || !slices.Equal(again.Encode("A B", 0), c.ids) {
			t.Errorf("%s: written %s, %v", c.normalizer, lowered.JSON(), err)
		}
	}
}
