package tokenizer_test

import (
	"slices"
	"strings"
	"testing"

	"infbench/training/tokenizer"
)

// TestWithin: Gemma 3's tokenizer has a special token for images, for which its text models have no
// row; there it is ordinary text.
func TestWithin(t *testing.T) {
	const file = `{"model": {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1, "b": 2, "<image>": 3}, "unk_token": "<unk>"},
		"pre_tokenizer": {"type": "WhitespaceSplit"},
		"added_tokens": [{"id": 0, "content": "<unk>", "special": true}, {"id": 4, "content": "<soft>", "special": true}, {"id": 5, "content": "<normal>", "special": true, "normalized": true}]}`
	read := func(text string) *tokenizer.Tokenizer {
		t.Helper()
		tok, err := tokenizer.Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return tok
	}
	whole := read(file)
	bounded, err := whole.Within(4)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tok  *tokenizer.Tokenizer
		want []int32
	}{{whole, []int32{1, 4, 2, 5}}, {bounded, []int32{1, 0, 2, 0}}} {
		if got := c.tok.Tokenize("a <soft> b <normal>"); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
	if _, known := bounded.ID("<soft>"); known || bounded.VocabSize() != 4 || string(bounded.JSON()) != file {
		t.Errorf("<soft> is known: %t; %d tokens", known, bounded.VocabSize())
	}
	if same, err := whole.Within(6); err != nil || same != whole {
		t.Errorf("with room for all: %v, %v", same, err)
	}
	for _, c := range []struct {
		text string
		size int
	}{
		{file, 3}, // a word of the vocabulary
		{strings.Replace(file, `"<soft>", "special": true`, `"<soft>", "special": false`, 1), 4},
		{strings.Replace(file, `"added_tokens"`, `"padding": {"pad_id": 4}, "added_tokens"`, 1), 4},
		{strings.Replace(file, `"added_tokens"`, `"post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "<soft>", "type_id": 0}}],
			"pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {"<soft>": {"id": "<soft>", "ids": [4], "tokens": ["<soft>"]}}}, "added_tokens"`, 1), 4},
	} {
		if _, err := read(c.text).Within(c.size); err == nil || !strings.Contains(err.Error(), "tokens, the model only") {
			t.Errorf("%d rows for %s: %v", c.size, c.text, err)
		}
	}
}
