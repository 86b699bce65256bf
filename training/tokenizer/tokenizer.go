// Package tokenizer turns text into the token ids that pretrained models were
// trained on, as described by a HuggingFace tokenizer.json, a SentencePiece model or
// older vocabulary files.
//
// A tokenizer is a pipeline: added tokens are cut out of the text, the rest is
// normalised, split into words, and each word is segmented by the model
// (WordPiece, BPE, Unigram). Every step takes time linear in the text. A
// component this package does not implement is an error that names it, never
// ignored. It is not a trainer of subword models, except for BuildWordPiece.
package tokenizer

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// Tokenizer maps texts to token ids. It is safe for concurrent use.
type Tokenizer struct {
	files []File // it was made from

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
	unpaired bool     // the network is not told which tokens are of the second of two texts
	beyond   []string // special tokens of the files that the network has no row for
	limit    int      // max_length of the file's truncation section, 0: none

	special map[int32]bool // tokens that are no text
	notes   []string       // on what of the folder's files counts
	changed bool           // its tokenizer.json is not the folder's
}

// normalizer rewrites a text before it is split.
type normalizer interface{ normalize(s string) string }

// preTokenizer splits a piece of text into words, appended to out. first says
// that the piece starts the text.
type preTokenizer interface {
	split(out []string, piece string, first bool) []string
}

// model segments one word into ids, appended to ids.
type model interface {
	segment(ids []int32, word string) []int32
	vocabulary() map[string]int32
}

// Encode returns the ids of text with the special tokens of the model around
// them, at most limit ids in all (limit <= 0: no limit). What is too long is
// cut on the side the tokenizer's file names, by default the right.
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

// EncodePair returns the ids and segment ids of two texts that a model reads
// together (a query and a document), at most limit ids in all (limit <= 0: no
// limit). Segment ids are zeros where the folder's tokenizer has none (LacksSegments). The
// longer text is shortened first, as HuggingFace tokenizers 0.23.3 do
// with LongestFirst.
func (t *Tokenizer) EncodePair(a, b string, limit int) (ids, types []int32) {
	x, y := t.Tokenize(a), t.Tokenize(b) // to the end: the longer one is not known before
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

// LacksSegments reports whether EncodePair gives segment 0 alone though the template of two
// texts has others: transformers hands a network token_type_ids where the tokenizer's class or
// model_input_names says so.
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

// tokenizeFor is Tokenize as far as a limit above 0 needs it: up to the word with
// which there are limit ids or more, from the end where the left is cut.
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

// tokenize appends the ids of one word after the other until more, which is told
// where they start and end, says no. Added tokens are not asked about.
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

// drops says that normalisation removes what a text begins with, so that what is
// left is not the start of the text to HuggingFace's library.
func (t *Tokenizer) drops(text string) bool {
	if t.normalizer == nil {
		return false
	}
	_, n := utf8.DecodeRuneInString(text)
	return t.normalizer.normalize(text[:n]) == ""
}

// cut shortens ids to n of them (n < 0: no limit) on the side that truncation
// takes from.
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

// longestFirst returns the lengths of two sequences shortened to room in all,
// as HuggingFace tokenizers' truncate_encodings with LongestFirst.
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

// Cutting returns the same tokenizer cutting what is too long on the left or the
// right, whatever its file says.
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

// Token returns the token with an id, or "" where there is none.
func (t *Tokenizer) Token(id int32) string { return t.tokens[id] }

// VocabSize is the largest id plus one: the rows an embedding table needs.
func (t *Tokenizer) VocabSize() int { return t.size }

// PadID returns the id that fills short sequences; ok is false where the
// tokenizer names none.
func (t *Tokenizer) PadID() (id int32, ok bool) { return t.pad, t.pad >= 0 }

// CutsLeft reports whether what is too long is cut on the left.
func (t *Tokenizer) CutsLeft() bool { return t.cutLeft }

// PadsLeft reports whether the file asks for padding on the left.
func (t *Tokenizer) PadsLeft() bool { return t.padsLeft }

// Beyond lists the special tokens of the files that the network has no row for; in a text
// they are text like any other.
func (t *Tokenizer) Beyond() []string { return t.beyond }

// MaxLength is the length to which the file asks texts to be cut, special
// tokens included; 0 where it does not say.
func (t *Tokenizer) MaxLength() int { return t.limit }

// File is a file of a model folder.
type File struct {
	Name string
	Data []byte
}

// Notes say where versions of transformers read the tokenizer's folder differently, and
// which is followed.
func (t *Tokenizer) Notes() []string { return t.notes }

// Rewritten reports whether the tokenizer is another than the folder's tokenizer.json alone
// makes.
func (t *Tokenizer) Rewritten() bool { return t.changed }

// JSON returns the tokenizer.json that the tokenizer was made from or would be written
// to; nil for one of a SentencePiece model.
func (t *Tokenizer) JSON() []byte {
	if t.files[0].Name != jsonFile {
		return nil
	}
	return t.files[0].Data
}

// Files returns the files from which Open makes the same tokenizer: tokenizer.json, or
// a SentencePiece model and what says how it is used.
func (t *Tokenizer) Files() []File { return t.files }

// String describes the tokenizer in a few words for logs.
func (t *Tokenizer) String() string {
	return fmt.Sprintf("tokenizer of %d tokens", t.size)
}
