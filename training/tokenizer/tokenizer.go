// Package tokenizer turns text into the token ids on which pretrained models were trained, as
// described by a HuggingFace tokenizer.json, a SentencePiece model or older vocabulary files.
//
// A tokenizer is a pipeline: added tokens are cut out of the text, the rest is normalised and split
// into words, and the model segments each word (WordPiece, BPE, Unigram). Every step takes time
// linear in the text. A component that this package does not implement is an error that names it;
// it is never ignored. The package does not train subword models, except for BuildWordPiece.
package tokenizer

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// Tokenizer maps texts to token ids. It is safe for concurrent use.
type Tokenizer struct {
	files []File // the files that it was made from

	raw        matcher // added tokens matched in the text as given
	normalised matcher // added tokens matched in the normalised text
	normalizer normalizer
	words      preTokenizer
	model      model
	template   template

	ids      map[string]int32 // model vocabulary and added tokens
	tokens   map[int32]string
	size     int   // largest id + 1
	pad      int32 // -1: none
	cutLeft  bool  // truncation removes tokens at the start
	padsLeft bool
	unpaired bool     // the network does not get the segments of two texts
	beyond   []string // special tokens of the files for which the network has no row
	limit    int      // max_length of the file's truncation section, 0: none

	special map[int32]bool // tokens that are not text
	notes   []string       // on conflicting files of the folder
	changed bool           // its tokenizer.json differs from the folder's
}

// normalizer rewrites a text before it is split.
type normalizer interface{ normalize(s string) string }

// preTokenizer splits a piece of text into words, appended to out. first reports whether the piece
// starts the text.
type preTokenizer interface {
	split(out []string, piece string, first bool) []string
}

// model segments one word into ids, appended to ids.
type model interface {
	segment(ids []int32, word string) []int32
	vocabulary() map[string]int32
}

// Encode returns the ids of text with the special tokens of the model around them, at most limit
// ids in all (limit <= 0: no limit). A longer text is cut on the side that the tokenizer's file
// names, by default the right.
func (t *Tokenizer) Encode(text string, limit int) []int32 {
	room := -1
	if limit > 0 {
		room = max(0, limit-t.template.single.specials)
	}
	ids := t.cut(t.tokenizeFor(text, limit), room)
	out, _ := t.template.single.fill(ids, nil)
	if limit > 0 && len(out) > limit { // a limit below the number of special tokens
		out = out[:limit]
	}
	return out
}

// EncodePair returns the ids and segment ids of two texts that a model reads together (a query and
// a document), at most limit ids in all (limit <= 0: no limit). Segment ids are zeros if the
// folder's tokenizer has none (LacksSegments). The longer text is shortened first, as by
// LongestFirst in HuggingFace tokenizers 0.23.3.
func (t *Tokenizer) EncodePair(a, b string, limit int) (ids, types []int32) {
	x, y := t.Tokenize(a), t.Tokenize(b) // to the end: only then is the longer one known
	if limit > 0 {
		n, m := longestFirst(len(x), len(y), max(0, limit-t.template.pair.specials))
		x, y = t.cut(x, n), t.cut(y, m)
	}
	ids, types = t.template.pair.fill(x, y)
	if limit > 0 && len(ids) > limit {
		ids, types = ids[:limit], types[:limit]
	}
	if t.unpaired {
		clear(types)
	}
	return ids, types
}

// LacksSegments reports whether EncodePair gives only segment 0 although the template of two texts
// has others. transformers passes token_type_ids to a network only if the tokenizer's class or
// model_input_names asks for them.
func (t *Tokenizer) LacksSegments() bool {
	return t.unpaired && slices.ContainsFunc(t.template.pair.places, func(p place) bool { return p.typeID != 0 })
}

// EncodeBare is Encode without special tokens.
func (t *Tokenizer) EncodeBare(text string, limit int) []int32 {
	room := -1
	if limit > 0 {
		room = limit
	}
	return t.cut(t.tokenizeFor(text, limit), room)
}

// Tokenize returns the ids of text without special tokens and without limit.
func (t *Tokenizer) Tokenize(text string) []int32 {
	return t.tokenize(text, func(int, int) bool { return true })
}

// tokenizeFor is Tokenize as far as a limit above 0 needs: up to the word with which there are
// limit ids or more, counted from the end if the left is cut.
func (t *Tokenizer) tokenizeFor(text string, limit int) []int32 {
	if limit <= 0 {
		return t.Tokenize(text)
	}
	if !t.cutLeft {
		return t.tokenize(text, func(_, end int) bool { return end < limit })
	}
	var starts []int
	ids := t.tokenize(text, func(start, _ int) bool {
		starts = append(starts, start)
		return true
	})
	for _, start := range slices.Backward(starts) {
		if len(ids)-start >= limit {
			return ids[start:]
		}
	}
	return ids
}

// tokenize appends the ids of one word after the other until more, called with their start and end,
// returns false. It is not called for added tokens.
func (t *Tokenizer) tokenize(text string, more func(start, end int) bool) []int32 {
	ids := make([]int32, 0, len(text)/4+2)
	var words []string
	for start, outer := range t.raw.segments(text) {
		if outer.id >= 0 {
			ids = append(ids, outer.id)
			continue
		}
		first := start == 0 && !t.drops(outer.text)
		normal := outer.text
		if t.normalizer != nil {
			normal = t.normalizer.normalize(normal)
		}
		for at, inner := range t.normalised.segments(normal) {
			if inner.id >= 0 {
				ids = append(ids, inner.id)
				continue
			}
			words = t.words.split(words[:0], inner.text, first && at == 0)
			for _, word := range words {
				start := len(ids)
				ids = t.model.segment(ids, word)
				if !more(start, len(ids)) {
					return ids
				}
			}
		}
	}
	return ids
}

// drops reports whether normalisation removes the beginning of a text. HuggingFace's library then
// does not treat the rest as the start of the text.
func (t *Tokenizer) drops(text string) bool {
	if t.normalizer == nil {
		return false
	}
	_, n := utf8.DecodeRuneInString(text)
	return t.normalizer.normalize(text[:n]) == ""
}

// cut shortens ids to n of them (n < 0: no limit) on the side that truncation cuts.
func (t *Tokenizer) cut(ids []int32, n int) []int32 {
	switch {
	case n < 0 || len(ids) <= n:
		return ids
	case t.cutLeft:
		return ids[len(ids)-n:]
	default:
		return ids[:n]
	}
}

// longestFirst returns the lengths of two sequences shortened to room in all, like HuggingFace
// tokenizers' truncate_encodings with LongestFirst.
func longestFirst(n, m, room int) (int, int) {
	if n+m <= room {
		return n, m
	}
	short := min(n, m)
	long := max(short, room-short)
	if short+long > room {
		short = room / 2
		long = short + room%2
	}
	if n > m {
		return long, short
	}
	return short, long
}

// Cutting returns the same tokenizer cutting texts on the left or the right, regardless of its
// file.
func (t *Tokenizer) Cutting(left bool) *Tokenizer {
	other := *t
	other.cutLeft = left
	return &other
}

// ID returns the id of a token of the vocabulary or of an added token.
func (t *Tokenizer) ID(token string) (id int32, ok bool) {
	id, ok = t.ids[token]
	return id, ok
}

// Token returns the token with an id, or "" if there is none.
func (t *Tokenizer) Token(id int32) string { return t.tokens[id] }

// VocabSize returns the largest id plus one: the rows that an embedding table needs.
func (t *Tokenizer) VocabSize() int { return t.size }

// PadID returns the id that fills short sequences; ok is false if the tokenizer names none.
func (t *Tokenizer) PadID() (id int32, ok bool) { return t.pad, t.pad >= 0 }

// CutsLeft reports whether long texts are cut on the left.
func (t *Tokenizer) CutsLeft() bool { return t.cutLeft }

// PadsLeft reports whether the file asks for padding on the left.
func (t *Tokenizer) PadsLeft() bool { return t.padsLeft }

// Beyond lists the special tokens of the files for which the network has no row; in a text they are
// ordinary text.
func (t *Tokenizer) Beyond() []string { return t.beyond }

// MaxLength returns the length to which the file asks to cut texts, including special tokens; 0 if
// it names none.
func (t *Tokenizer) MaxLength() int { return t.limit }

// File is a file of a model folder.
type File struct {
	Name string
	Data []byte
}

// Notes describes differences between versions of transformers in reading the tokenizer's folder,
// and which version is followed.
func (t *Tokenizer) Notes() []string { return t.notes }

// Rewritten reports whether the tokenizer differs from that of the folder's tokenizer.json alone.
func (t *Tokenizer) Rewritten() bool { return t.changed }

// JSON returns the tokenizer.json of the tokenizer; nil for a SentencePiece model.
func (t *Tokenizer) JSON() []byte {
	if t.files[0].Name != jsonFile {
		return nil
	}
	return t.files[0].Data
}

// Files returns the files from which Open makes the same tokenizer: tokenizer.json, or a
// SentencePiece model and the files with its settings.
func (t *Tokenizer) Files() []File { return t.files }

// String describes the tokenizer in a few words for logs.
func (t *Tokenizer) String() string {
	return fmt.Sprintf("tokenizer of %d tokens", t.size)
}
