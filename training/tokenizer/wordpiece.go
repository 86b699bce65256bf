package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// wordPiece segments a word greedily from the left into the longest pieces of
// its vocabulary (Devlin et al. 2018; HuggingFace tokenizers' WordPiece).
type wordPiece struct {
	vocab    map[string]int32
	starts   map[string]int32 // pieces that start a word
	rest     map[string]int32 // pieces that continue one, without the prefix
	longest  int              // bytes of the longest piece of either kind
	unknown  int32
	maxRunes int // words longer than this are unknown
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
	w := &wordPiece{vocab: section.Vocab, unknown: id, maxRunes: maxRunes, starts: section.Vocab, rest: map[string]int32{}}
	for token, id := range section.Vocab {
		w.longest = max(w.longest, len(token))
		if tail, ok := strings.CutPrefix(token, prefix); ok {
			w.rest[tail] = id
		}
	}
	return w, nil
}

func (w *wordPiece) vocabulary() map[string]int32 { return w.vocab }

func (w *wordPiece) segment(ids []int32, word string) []int32 {
	if id, ok := w.starts[word]; ok && utf8.RuneCountInString(word) <= w.maxRunes {
		return append(ids, id)
	}
	if utf8.RuneCountInString(word) > w.maxRunes {
		return append(ids, w.unknown)
	}
	before, pieces := len(ids), w.starts
	for len(word) > 0 {
		id, n := longestPiece(pieces, word, w.longest)
		if n == 0 {
			return append(ids[:before], w.unknown)
		}
		ids, word, pieces = append(ids, id), word[n:], w.rest
	}
	return ids
}

// longestPiece returns the id and byte length of the longest prefix of word
// among the pieces; length 0 where there is none.
func longestPiece(pieces map[string]int32, word string, longest int) (id int32, n int) {
	for n = min(len(word), longest); n > 0; n-- {
		if n < len(word) && !utf8.RuneStart(word[n]) {
			continue
		}
		if id, ok := pieces[word[:n]]; ok {
			return id, n
		}
	}
	return 0, 0
}
