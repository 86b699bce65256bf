package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// unigram segments a word into the pieces with the largest sum of scores
// (Kudo 2018; HuggingFace tokenizers' Unigram).
type unigram struct {
	vocab        map[string]int32
	scores       []float64
	pieces       *trie
	unknown      int32
	unknownScore float64
	byteFallback bool
	byteTokens   [256]int32 // -1: none
	single       bool       // sums have single precision, as in SentencePiece itself
}

// unknownPenalty is the cost of an unknown character in addition to that of the worst piece.
const unknownPenalty = 10

// scored is a piece and its score, written as ["piece", -3.2].
type scored struct {
	piece string
	score float64
}

// UnmarshalJSON reads the two-element array.
func (s *scored) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&s.piece, &s.score})
}

func readUnigram(data json.RawMessage) (model, error) {
	section := struct {
		Type         string   `json:"type"`
		Unknown      *int32   `json:"unk_id"`
		Vocab        []scored `json:"vocab"`
		ByteFallback bool     `json:"byte_fallback"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	if section.Unknown == nil {
		return nil, errors.New("no unk_id")
	}
	if *section.Unknown < 0 || int(*section.Unknown) >= len(section.Vocab) {
		return nil, fmt.Errorf("unk_id %d is not one of %d pieces", *section.Unknown, len(section.Vocab))
	}
	u := &unigram{vocab: map[string]int32{}, unknown: *section.Unknown, byteFallback: section.ByteFallback}
	worst := math.Inf(1)
	for id, s := range section.Vocab { // the later one of duplicate pieces counts
		u.vocab[s.piece] = int32(id)
		u.scores = append(u.scores, s.score)
		worst = min(worst, s.score)
	}
	u.pieces = newTrie(u.vocab)
	u.unknownScore = worst - unknownPenalty
	u.byteTokens = byteTokens(u.vocab)
	return u, nil
}

// byteTokens lists the ids of the tokens for bytes, -1: none.
func byteTokens(vocab map[string]int32) (ids [256]int32) {
	for b := range ids {
		id, ok := vocab[fmt.Sprintf("<0x%02X>", b)]
		if !ok {
			id = -1
		}
		ids[b] = id
	}
	return ids
}

func (u *unigram) vocabulary() map[string]int32 { return u.vocab }

// best is the best way to reach a byte of the word: its last piece, the start of that piece, and
// the score. from is -1 if no way is known.
type best struct {
	id, from int32
	score    float64
}

func (u *unigram) segment(ids []int32, word string) []int32 {
	var short [48]best // most words need no more
	ways := u.ways(short[:0], word)
	before, end := len(ids), int32(len(word))
	for end > 0 {
		way := ways[end]
		if way.id != u.unknown {
			ids, end = append(ids, way.id), way.from
			continue
		}
		start := way.from // neighbouring unknown characters are one piece
		for start > 0 && ways[start].id == u.unknown {
			start = ways[start].from
		}
		ids = u.appendUnknown(ids, word[start:end])
		end = start
	}
	slices.Reverse(ids[before:])
	return ids
}

// appendUnknown appends, in reverse order, the bytes of text or the unknown token.
func (u *unigram) appendUnknown(ids []int32, text string) []int32 {
	if !u.byteFallback {
		return append(ids, u.unknown)
	}
	before := len(ids)
	for i := len(text) - 1; i >= 0; i-- {
		id := u.byteTokens[text[i]]
		if id < 0 {
			return append(ids[:before], u.unknown)
		}
		ids = append(ids, id)
	}
	return ids
}

// ways is the forward pass of Viterbi's algorithm: shorter pieces first, a later way only if it is
// better, as in SentencePiece's and HuggingFace's encode_optimized. In single precision sums are
// compared exactly and rounded when stored; that of an unknown character is rounded before. The
// result is appended to ways, which is empty.
func (u *unigram) ways(ways []best, word string) []best {
	ways = slices.Grow(ways, len(word)+1)
	for range len(word) + 1 {
		ways = append(ways, best{from: -1})
	}
	reach := func(start, end int, id int32, score float64) {
		if ways[end].from < 0 || score > ways[end].score {
			ways[end] = best{id, int32(start), u.kept(score)}
		}
	}
	for start := 0; start < len(word); {
		_, size := utf8.DecodeRuneInString(word[start:])
		single := false
		for end, node := start, int32(0); end < len(word); {
			if node = u.pieces.child(node, word[end]); node < 0 {
				break
			}
			end++
			if id := u.pieces.token[node]; id >= 0 {
				reach(start, end, id, ways[start].score+u.scores[id])
				single = single || end == start+size
			}
		}
		if !single {
			reach(start, start+size, u.unknown, u.kept(ways[start].score+u.unknownScore))
		}
		start += size
	}
	return ways
}

// kept returns a sum in the model's precision.
func (u *unigram) kept(score float64) float64 {
	if u.single {
		return float64(float32(score))
	}
	return score
}
