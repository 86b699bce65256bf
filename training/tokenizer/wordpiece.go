package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// wordPiece segments a word greedily from the left into the longest pieces of its vocabulary
// (Devlin et al. 2018; HuggingFace tokenizers' WordPiece).
type wordPiece struct {
	vocab    map[string]int32
	starts   *trie // pieces that start a word
	rest     *trie // pieces that continue one, without the prefix
	unknown  int32
	maxRunes int // longer words are unknown
}

// wordPieceJSON is the model section of tokenizer.json.
type wordPieceJSON struct {
	Type     string           `json:"type"`
	Unknown  *string          `json:"unk_token"`
	Prefix   *string          `json:"continuing_subword_prefix"`
	MaxRunes *int             `json:"max_input_chars_per_word"`
	Vocab    map[string]int32 `json:"vocab"`
}

func readWordPiece(data json.RawMessage) (model, error) {
	section := wordPieceJSON{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	unknown, prefix, maxRunes := "[UNK]", "##", 100 // the library's defaults
	if section.Unknown != nil {
		unknown = *section.Unknown
	}
	if section.Prefix != nil {
		prefix = *section.Prefix
	}
	if section.MaxRunes != nil {
		maxRunes = *section.MaxRunes
	}
	if len(section.Vocab) == 0 {
		return nil, fmt.Errorf("WordPiece: empty vocab")
	}
	id, ok := section.Vocab[unknown]
	if !ok {
		return nil, fmt.Errorf("WordPiece: unk_token %q is not in the vocab", unknown)
	}
	rest := map[string]int32{}
	for token, id := range section.Vocab {
		if tail, ok := strings.CutPrefix(token, prefix); ok {
			rest[tail] = id
		}
	}
	return &wordPiece{section.Vocab, newTrie(section.Vocab), newTrie(rest), id, maxRunes}, nil
}

func (w *wordPiece) vocabulary() map[string]int32 { return w.vocab }

func (w *wordPiece) segment(ids []int32, word string) []int32 {
	if len(word) > w.maxRunes && utf8.RuneCountInString(word) > w.maxRunes {
		return append(ids, w.unknown)
	}
	before, pieces := len(ids), w.starts
	for len(word) > 0 {
		id, n := pieces.longest(word)
		if n == 0 {
			return append(ids[:before], w.unknown)
		}
		ids, word, pieces = append(ids, id), word[n:], w.rest
	}
	return ids
}
