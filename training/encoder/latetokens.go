package encoder

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// lateSettings define how a late-interaction model turns texts into tokens and vectors, in
// addition to Text.
type lateSettings struct {
	queryPrefix, documentPrefix string // "": none; else a token of the vocabulary
	prefixText                  bool   // prefixes that are not tokens are text
	pylate                      bool   // texts lose white space at their ends
	lower                       bool   // texts are lower-cased
	expandTo                    int    // tokens that queries are filled up to; 0: no filling
	fixed                       bool   // the tokenizer fills, on its side, up to the length of queries
	fill                        string // the token to fill with; "": the tokenizer's mask
	attend                      bool   // the network attends to the tokens that fill
	attention                   string // attn_implementation; "": not set
	filled                      bool   // documents are filled up, too
	skip                        []string
	unknown                     string // the token to skip for words outside the vocabulary; "": nothing is skipped
	normalize                   bool   // vectors have length 1
}

// String describes all settings.
func (s lateSettings) String() string {
	text := fmt.Sprintf("query prefix %q, document prefix %q, queries filled up to %d tokens by %q (attended %t), skipped in documents %q (for none of the vocabulary %q), length 1 %t",
		s.queryPrefix, s.documentPrefix, s.expandTo, s.fill, s.attend, s.skip, s.unknown, s.normalize)
	if s.pylate {
		text += ", no white space at the ends of texts"
	}
	if s.lower {
		text += ", lower case"
	}
	if s.attention != "" {
		text += ", attention " + s.attention
	}
	return text
}

// read returns the text that the tokenizer gets.
func (s lateSettings) read(text string) string {
	if s.pylate {
		text = strings.TrimFunc(text, pythonSpace)
	}
	if s.lower {
		text = cases.Lower(language.Und).String(text) // as str.lower of Python
	}
	return text
}

// pythonSpace reports whether Python's str.strip removes a rune.
func pythonSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// lateTokens are the tokens that the settings name.
type lateTokens struct {
	query, document prefix
	fill            int32
	skipped         map[int32]bool
}

// prefix comes before the texts of a side: as a token after the first, or as text if it is not a
// token.
type prefix struct {
	id   int32 // -1: none
	text string
}

// tokens finds the tokens in the model's vocabulary.
func (s lateSettings) tokens(e *Encoder) (lateTokens, error) {
	if e.tokens.tokenizer == nil {
		return lateTokens{}, errNoTokenizer
	}
	t := lateTokens{skipped: map[int32]bool{}}
	for _, side := range []struct {
		prefix *prefix
		text   string
	}{{&t.query, s.queryPrefix}, {&t.document, s.documentPrefix}} {
		id, ok := e.tokens.tokenizer.ID(side.text)
		switch {
		case ok && side.text != "":
			*side.prefix = prefix{id: id}
		case side.text == "" || s.prefixText:
			*side.prefix = prefix{id: -1, text: side.text}
		default:
			return lateTokens{}, fmt.Errorf("the prefix %q is not a token of the vocabulary", side.text)
		}
	}
	if s.expandTo > 0 {
		id, ok := e.tokens.tokenizer.ID(s.fill)
		if !ok {
			return lateTokens{}, fmt.Errorf("queries are filled up with %q, which is not a token of the vocabulary", s.fill)
		}
		t.fill = id
	}
	for _, word := range s.skip {
		if id, ok := e.tokens.tokenizer.ID(word); ok {
			t.skipped[id] = true
		} else if id, ok := e.tokens.tokenizer.ID(s.unknown); ok {
			t.skipped[id] = true
		}
	}
	return t, nil
}

// encode returns the tokens of a text with its prefix and special tokens, at most limit.
func (p prefix) encode(t *Tokens, text string, limit int) []int32 {
	if p.id < 0 {
		return t.of(p.text+text, limit)
	}
	return p.into(t.of(text, max(1, limit-1)))
}

// into inserts a prefix that is a token after the first token.
func (p prefix) into(ids []int32) []int32 { return slices.Insert(ids, min(1, len(ids)), p.id) }

// specialToken returns the spelling of one of a tokenizer's tokens, by its key in the tokenizer's
// files; usual if they do not have the key.
func specialToken(root, key, usual string) (string, error) {
	for _, name := range []string{"tokenizer_config.json", "special_tokens_map.json"} {
		var file map[string]json.RawMessage
		if _, err := readJSON(root, name, &file); err != nil {
			return "", err
		}
		var text string
		var whole struct{ Content string }
		if json.Unmarshal(file[key], &text) == nil && text != "" {
			return text, nil
		}
		if json.Unmarshal(file[key], &whole) == nil && whole.Content != "" {
			return whole.Content, nil
		}
	}
	return usual, nil
}
