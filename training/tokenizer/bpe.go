package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// bpe segments a word by merging neighbouring pieces. The pair learnt first is merged first, and
// the leftmost of equal pairs (Sennrich et al. 2016; HuggingFace tokenizers' BPE).
type bpe struct {
	vocab        map[string]int32
	letters      []int32 // by character: the id of its token, -1: none; empty if pieces have a prefix or suffix
	merges       *pairs
	unknown      int32 // -1: characters outside the vocabulary are dropped
	fuseUnknown  bool
	byteTokens   [256]int32 // -1: none
	byteFallback bool
	ignoreMerges bool
	prefix       string // of pieces that continue a word
	suffix       string // of the piece that ends it
	cuts         bool   // no merge crosses the start of a word marked by U+2581
}

func readBPE(data json.RawMessage) (model, error) {
	section := struct {
		Type         string           `json:"type"`
		Dropout      *float64         `json:"dropout"`
		Unknown      *string          `json:"unk_token"`
		Prefix       *string          `json:"continuing_subword_prefix"`
		Suffix       *string          `json:"end_of_word_suffix"`
		FuseUnknown  bool             `json:"fuse_unk"`
		ByteFallback bool             `json:"byte_fallback"`
		IgnoreMerges bool             `json:"ignore_merges"`
		Vocab        map[string]int32 `json:"vocab"`
		Merges       []mergeJSON      `json:"merges"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	if section.Dropout != nil && *section.Dropout != 0 {
		return nil, errors.New("dropout is not supported")
	}
	m := &bpe{
		vocab: section.Vocab, merges: newPairs(len(section.Merges)), unknown: -1,
		fuseUnknown: section.FuseUnknown, byteFallback: section.ByteFallback, ignoreMerges: section.IgnoreMerges,
	}
	if section.Prefix != nil {
		m.prefix = *section.Prefix
	}
	if section.Suffix != nil {
		m.suffix = *section.Suffix
	}
	if section.Unknown != nil {
		id, ok := m.vocab[*section.Unknown]
		if !ok {
			return nil, fmt.Errorf("unk_token %q is not in the vocab", *section.Unknown)
		}
		m.unknown = id
	}
	m.byteTokens = byteTokens(m.vocab)
	m.addLetters()
	if err := m.addMerges(section.Merges); err != nil {
		return nil, err
	}
	m.cuts = m.keepsWords()
	return m, nil
}

// manyLetters is the size of the table of characters, which has those that stand for bytes, the
// alphabets, and U+2581.
const manyLetters = 0x3000

// addLetters fills the table of characters.
func (m *bpe) addLetters() {
	if m.prefix+m.suffix != "" {
		return
	}
	m.letters = slices.Repeat([]int32{-1}, manyLetters)
	for token, id := range m.vocab {
		if r, n := utf8.DecodeRuneInString(token); n == len(token) && n > 0 && r < manyLetters {
			m.letters[r] = id
		}
	}
}

// keepsWords reports whether the words of a text, each with the U+2581 before it, can be segmented
// separately, as in SentencePiece models trained to split at white space: no merge makes a token in
// which a word starts after the first character, and the sign itself is a token.
func (m *bpe) keepsWords() bool {
	if _, ok := m.vocab[wordSign]; !ok || m.prefix+m.suffix != "" {
		return false
	}
	tokens := make(map[int32]string, len(m.vocab))
	for token, id := range m.vocab {
		tokens[id] = token
	}
	for _, slot := range m.merges.slots {
		if made := tokens[slot.id]; slot.rank != noMerge && wordEnd(made) < len(made) {
			return false
		}
	}
	return true
}

// wordSign represents the blank before a word in SentencePiece models.
const wordSign = "\u2581"

// wordEnd returns the length of the first word of text: the signs at its start and the text up to
// the next sign.
func wordEnd(text string) int {
	signs := 0
	for strings.HasPrefix(text[signs:], wordSign) {
		signs += len(wordSign)
	}
	if end := strings.Index(text[signs:], wordSign); end >= 0 {
		return signs + end
	}
	return len(text)
}

// mergeJSON is "a b", or ["a", "b"] in later versions.
type mergeJSON [2]string

// UnmarshalJSON reads either form.
func (m *mergeJSON) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, (*[2]string)(m))
	}
	var line string
	if err := json.Unmarshal(data, &line); err != nil {
		return err
	}
	left, right, ok := strings.Cut(line, " ")
	if !ok || strings.Contains(right, " ") {
		return fmt.Errorf("merge %q is not a pair", line)
	}
	*m = mergeJSON{left, right}
	return nil
}

// addMerges numbers the merges; a piece outside the vocabulary is an error.
func (m *bpe) addMerges(merges []mergeJSON) error {
	for rank, pieces := range merges {
		joined := pieces[0] + strings.TrimPrefix(pieces[1], m.prefix)
		var ids [3]int32
		for i, piece := range []string{pieces[0], pieces[1], joined} {
			id, ok := m.vocab[piece]
			if !ok {
				return fmt.Errorf("merge %d, %q and %q: %q is not in the vocab", rank+1, pieces[0], pieces[1], piece)
			}
			ids[i] = id
		}
		m.merges.add(pair{ids[0], ids[1]}, merge{int32(rank), ids[2]})
	}
	return nil
}

func (m *bpe) vocabulary() map[string]int32 { return m.vocab }

func (m *bpe) segment(ids []int32, word string) []int32 {
	if m.ignoreMerges {
		if id, ok := m.vocab[word]; ok {
			return append(ids, id)
		}
	}
	for m.cuts {
		end := wordEnd(word)
		if end == len(word) {
			break
		}
		ids, word = m.mergeWord(ids, word[:end]), word[end:]
	}
	return m.mergeWord(ids, word)
}

// mergeWord appends the ids of the characters of a word, merged.
func (m *bpe) mergeWord(ids []int32, word string) []int32 {
	before := len(ids)
	ids = m.characters(ids, word)
	return ids[:before+m.mergeAll(ids[before:])]
}

// characters appends the ids of the characters of a word. As in HuggingFace's merge_word, an
// unknown character is held back until a known one follows: bytes come before it if only some
// characters have byte tokens.
func (m *bpe) characters(ids []int32, word string) []int32 {
	held := false
	for at, r := range word {
		if int(r) < len(m.letters) && m.letters[r] >= 0 {
			ids, held = m.known(ids, held, m.letters[r]), false
			continue
		}
		n := len(string(r))
		if r == '\uFFFD' && !strings.HasPrefix(word[at:], "\uFFFD") {
			n = 1 // an invalid byte
		}
		text := word[at : at+n]
		if at > 0 {
			text = m.prefix + text
		}
		if at+n == len(word) {
			text += m.suffix
		}
		if id, ok := m.vocab[text]; ok {
			ids, held = m.known(ids, held, id), false
			continue
		}
		if bytes, ok := m.bytes(ids, text); ok {
			ids = bytes
			continue
		}
		if held && !m.fuseUnknown {
			ids = append(ids, m.unknown)
		}
		held = m.unknown >= 0
	}
	if held {
		ids = append(ids, m.unknown)
	}
	return ids
}

// known appends a character's token, after an unknown one that was held back. (With a closure
// instead, segmentation took about twice as long.)
func (m *bpe) known(ids []int32, held bool, id int32) []int32 {
	if held {
		ids = append(ids, m.unknown)
	}
	return append(ids, id)
}

// bytes appends the tokens of the bytes of text, if the model falls back to bytes and has all of
// them.
func (m *bpe) bytes(ids []int32, text string) ([]int32, bool) {
	if !m.byteFallback {
		return ids, false
	}
	for i := range len(text) {
		if m.byteTokens[text[i]] < 0 {
			return ids, false
		}
		ids = append(ids, m.byteTokens[text[i]])
	}
	return ids, true
}
