package tokenizer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"infbench/training/tokenizer/sentencepiece"
)

// newPieces returns the two steps by which SentencePiece cuts a text into pieces: one that makes
// words of a text, and the model that segments them.
func newPieces(m *sentencepiece.Model) (*blanks, model, error) {
	rules, err := newCharMap(m.CharMap)
	if err != nil {
		return nil, nil, err
	}
	b := &blanks{rules: rules, symbols: newTrie(piecesOf(m, sentencepiece.UserDefined)), prefix: m.DummyPrefix, atEnd: m.BlankAsEnd, remove: m.RemoveBlanks, sign: " "}
	if m.EscapeBlanks {
		b.sign = wordSign
	}
	switch m.Algorithm {
	case sentencepiece.Unigram:
		return b, unigramOf(m), nil
	case sentencepiece.BPE:
		b.cuts = true
		segments, err := bpeOf(m)
		return b, segments, err
	}
	return nil, nil, fmt.Errorf("model_type %d is not supported (known: 1, unigram, and 2, bpe)", m.Algorithm)
}

// piecesOf lists the pieces of some types with their ids; without types it lists all.
func piecesOf(m *sentencepiece.Model, types ...sentencepiece.Type) map[string]int32 {
	pieces := map[string]int32{}
	for id, p := range m.Pieces {
		if len(types) == 0 || slices.Contains(types, p.Type) {
			pieces[p.Text] = int32(id)
		}
	}
	return pieces
}

// unigramOf returns SentencePiece's unigram model. Its sums have single precision, which decides
// between segmentations that differ only by rounding. A user-defined symbol costs a tenth: its
// "highest score" starts at the least positive number, and scores are negative.
func unigramOf(m *sentencepiece.Model) *unigram {
	u := &unigram{
		vocab: piecesOf(m), unknown: int32(m.Unknown), byteFallback: m.ByteFallback, single: true,
		pieces: newTrie(piecesOf(m, sentencepiece.Normal, sentencepiece.UserDefined)),
	}
	worst, highest := float32(math.MaxFloat32), math.Float32frombits(0x00800000)
	for _, p := range m.Pieces {
		if p.Type == sentencepiece.Normal {
			worst, highest = min(worst, p.Score), max(highest, p.Score)
		}
	}
	for _, p := range m.Pieces {
		score := float64(p.Score)
		if p.Type == sentencepiece.UserDefined {
			score = float64(float32(len(p.Text))*highest) - 0.1
		}
		u.scores = append(u.scores, score)
	}
	u.unknownScore = float64(worst - unknownPenalty)
	u.byteTokens = byteTokens(u.vocab)
	return u
}

// bpeOf returns SentencePiece's BPE. It merges first the neighbours whose joined text is a piece
// with the best score. Every way to split a piece in two is therefore a merge, with the rank of the
// score.
func bpeOf(m *sentencepiece.Model) (model, error) {
	if unused := piecesOf(m, sentencepiece.Unused); len(unused) > 0 {
		return nil, fmt.Errorf("%d unused pieces in a BPE model are not supported", len(unused))
	}
	b := &bpe{vocab: piecesOf(m), unknown: int32(m.Unknown), fuseUnknown: true, byteFallback: m.ByteFallback}
	b.byteTokens = byteTokens(b.vocab)
	b.addLetters()
	b.addHalves(m)
	b.cuts = b.keepsWords()
	return symbols{b, piecesOf(m, sentencepiece.UserDefined)}, nil
}

// addHalves fills the merges from the scores of pieces.
func (b *bpe) addHalves(m *sentencepiece.Model) {
	made := piecesOf(m, sentencepiece.Normal)
	order := slices.Sorted(func(yield func(float32) bool) {
		for _, id := range made {
			if !yield(-m.Pieces[id].Score) {
				return
			}
		}
	})
	order = slices.Compact(order)
	halves := map[pair]merge{}
	for text, id := range made {
		rank, _ := slices.BinarySearchFunc(order, -m.Pieces[id].Score, cmp.Compare[float32])
		for at := range text {
			left, isLeft := made[text[:at]]
			right, isRight := made[text[at:]]
			if at > 0 && isLeft && isRight {
				halves[pair{left, right}] = merge{int32(rank), id}
			}
		}
	}
	b.merges = newPairs(len(halves))
	for p, m := range halves {
		b.merges.add(p, m)
	}
}

// symbols is a model in which some words have ids themselves, regardless of other segmentations.
type symbols struct {
	model
	ids map[string]int32
}

func (s symbols) segment(ids []int32, word string) []int32 {
	if id, ok := s.ids[word]; ok {
		return append(ids, id)
	}
	return s.model.segment(ids, word)
}

// blanks is SentencePiece's normalizer, which here also makes words: a text is one word, except for
// user-defined symbols if cuts is set.
type blanks struct {
	rules   charMap
	symbols *trie // user-defined
	prefix  bool  // a sign before the text (atEnd: after it)
	once    bool  // only if the piece starts the text; blanks at the start of other pieces are kept
	atEnd   bool
	remove  bool   // removes blanks at the ends and after blanks
	sign    string // replacement of a blank
	cuts    bool
}

func (b *blanks) split(out []string, piece string, first bool) []string {
	text := b.normalize(piece, first || !b.once)
	if !b.cuts {
		return appendWord(out, text)
	}
	done := 0
	for at := 0; at < len(text); {
		if _, n := b.symbols.longest(text[at:]); n > 0 {
			out = append(appendWord(out, text[done:at]), text[at:at+n])
			at += n
			done = at
			continue
		}
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return appendWord(out, text[done:])
}

// appendWord appends a word unless it is empty.
func appendWord(out []string, word string) []string {
	if word == "" {
		return out
	}
	return append(out, word)
}

// normalize rewrites a text; starts reports whether a text may begin there.
func (b *blanks) normalize(text string, starts bool) string {
	for b.remove && starts {
		value, n := b.next(text)
		if n == 0 || value != " " {
			break
		}
		text = text[n:]
	}
	if text == "" {
		return ""
	}
	var s strings.Builder
	s.Grow(len(text) + len(text)/4 + len(b.sign))
	if b.prefix && starts && !b.atEnd {
		s.WriteString(b.sign)
	}
	afterBlank := b.remove && starts
	for text != "" {
		value, n := b.next(text)
		text = text[n:]
		if afterBlank {
			value = strings.TrimLeft(value, " ")
		}
		if value != "" {
			s.WriteString(strings.ReplaceAll(value, " ", b.sign))
			afterBlank = b.remove && strings.HasSuffix(value, " ")
		}
	}
	out := s.String()
	if b.remove {
		for strings.HasSuffix(out, b.sign) {
			out = strings.TrimSuffix(out, b.sign)
		}
	}
	if b.prefix && b.atEnd {
		out += b.sign
	}
	return out
}

// next returns the replacement of the start of a text, and its length: a symbol is unchanged, then
// the longest rule applies, then a character is unchanged. A byte that is not UTF-8 becomes U+FFFD.
func (b *blanks) next(text string) (value string, n int) {
	if text == "" {
		return "", 0
	}
	if _, n := b.symbols.longest(text); n > 0 {
		return text[:n], n
	}
	if value, n := b.rules.longest(text); n > 0 {
		return value, n
	}
	r, n := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && n == 1 {
		return "\uFFFD", 1
	}
	return text[:n], n
}
