package minihub

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Types of SentencePiece's pieces.
const (
	normalPiece  = 1
	unknownPiece = 2
	controlPiece = 3
	bytePiece    = 6
)

// piece is an entry of a unigram vocabulary.
type piece struct {
	text  string
	score float32
	kind  uint64
}

// message is a protocol buffer under construction.
type message []byte

func (m *message) varint(field protowire.Number, v uint64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), v)
}

func (m *message) bytes(field protowire.Number, content []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), content)
}

func (m *message) float(field protowire.Number, v float32) {
	*m = protowire.AppendFixed32(protowire.AppendTag(*m, field, protowire.Fixed32Type), math.Float32bits(v))
}

// modelFile returns a SentencePiece model (sentencepiece_model.proto names the fields) with
// the ids of its special tokens, -1 for none. With removeBlanks, line ends and tabs are
// treated as blanks, as in T5's rules; there are no other rules.
func modelFile(pieces []piece, algorithm uint64, unk, bos, eos, pad int, removeBlanks bool) []byte {
	var m message
	bytesToo := uint64(0)
	for _, p := range pieces {
		var entry message
		entry.bytes(1, []byte(p.text))
		entry.float(2, p.score)
		if p.kind != normalPiece {
			entry.varint(3, p.kind)
		}
		if p.kind == bytePiece {
			bytesToo = 1
		}
		m.bytes(1, entry)
	}
	var trainer message
	trainer.varint(3, algorithm)
	trainer.varint(4, uint64(len(pieces)))
	trainer.varint(35, bytesToo) // byte_fallback
	trainer.varint(40, uint64(unk))
	trainer.varint(41, uint64(bos))
	trainer.varint(42, uint64(eos))
	trainer.varint(43, uint64(pad))
	if pad >= 0 {
		trainer.bytes(48, []byte(pieces[pad].text))
	}
	m.bytes(2, trainer)
	var normalizer message
	normalizer.bytes(1, []byte("identity"))
	if removeBlanks {
		normalizer.bytes(2, blankRules("\t\n\r"))
	}
	normalizer.varint(3, 1) // add_dummy_prefix
	normalizer.varint(4, map[bool]uint64{true: 1}[removeBlanks])
	normalizer.varint(5, 1) // escape_whitespaces
	m.bytes(3, normalizer)
	return m
}

// spieceModel returns a spiece.model with T5's ids: <pad> 0, </s> 1, <unk> 2.
func spieceModel(pieces []piece) []byte { return modelFile(pieces, unigrams, 2, -1, 1, 0, true) }

// tokenizerModel returns a tokenizer.model with Llama 2's ids: <unk> 0, <s> 1, </s> 2, bytes,
// then pieces; earlier pieces are merged first.
func tokenizerModel(v *vocabulary) []byte {
	pieces := make([]piece, len(v.ids))
	for text, id := range v.ids {
		p := piece{text, float32(firstPiece - id), normalPiece}
		switch {
		case id == 0:
			p = piece{text, 0, unknownPiece}
		case id < 3:
			p = piece{text, 0, controlPiece}
		case id < firstPiece:
			p = piece{text, 0, bytePiece}
		}
		pieces[id] = p
	}
	return modelFile(pieces, pairs, 0, 1, 2, -1, false)
}

// firstPiece is the id after the special tokens and bytes of Llama 2.
const firstPiece = 3 + 256

// The algorithms of SentencePiece.
const (
	unigrams = 1
	pairs    = 2
)

// blankRules returns a precompiled_charsmap with rules that replace each of some one-byte
// characters by a blank: the size of a trie in the format of Darts (an array in which the
// next node's position is this one's offset XOR the byte), the trie, and the text that its
// values point to.
func blankRules(characters string) []byte {
	const below, leaves = 256, 512 // positions of the root's children, and of theirs
	trie := make([]uint32, leaves+len(characters))
	trie[0] = below << 10
	for i := range len(characters) {
		at, leaf := below^uint32(characters[i]), uint32(leaves+i)
		trie[at] = (at^leaf)<<10 | 1<<8 | uint32(characters[i]) // offset, "a value is there", label
		trie[leaf] = 1 << 31                                    // the value 0
	}
	rules := binary.LittleEndian.AppendUint32(nil, uint32(4*len(trie)))
	for _, unit := range trie {
		rules = binary.LittleEndian.AppendUint32(rules, unit)
	}
	return append(rules, " \x00"...)
}
