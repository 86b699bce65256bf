package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// bpe segments a word by merging neighbouring pieces, the pair learnt first
// before all others, the leftmost first among equals (Sennrich et al. 2016;
// HuggingFace tokenizers' BPE).
type bpe struct {
	vocab        map[string]int32
	merges       map[pair]merge
	unknown      int32 // -1: characters out of the vocabulary are dropped
	fuseUnknown  bool
	byteTokens   [256]int32 // -1: none
	byteFallback bool
	ignoreMerges bool
	prefix       string // of pieces that continue a word
	suffix       string // of the piece that ends it
}

type pair struct{ left, right int32 }

// merge is the order of a merge and the id it makes.
type merge struct{ rank, id int32 }

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
		vocab: section.Vocab, merges: make(map[pair]merge, len(section.Merges)), unknown: -1,
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
	for b := range m.byteTokens {
		id, ok := m.vocab[fmt.Sprintf("<0x%02X>", b)]
		if !ok {
			id = -1
		}
		m.byteTokens[b] = id
	}
	return m, m.addMerges(section.Merges)
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

// addMerges numbers the merges; a piece out of the vocabulary is an error.
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
		m.merges[pair{ids[0], ids[1]}] = merge{int32(rank), ids[2]}
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
	before := len(ids)
	ids = m.characters(ids, word)
	return ids[:before+m.mergeAll(ids[before:])]
}

// characters appends the ids of the characters of a word.
func (m *bpe) characters(ids []int32, word string) []int32 {
	fusing := false
	for at, r := range word {
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
			ids, fusing = append(ids, id), false
			continue
		}
		if bytes, ok := m.bytes(ids, text); ok {
			ids, fusing = bytes, false
			continue
		}
		if m.unknown >= 0 && !(fusing && m.fuseUnknown) {
			ids = append(ids, m.unknown)
		}
		fusing = true
	}
	return ids
}

// bytes appends the tokens of the bytes of text, if the model falls back to
// bytes and has them all.
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
