package rehearsal

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Types of SentencePiece's pieces.
const (
	normalPiece  = 1
	unknownPiece = 2
	controlPiece = 3
)

// piece is an entry of a vocabulary of unigrams.
type piece struct {
	text  string
	score float32
	kind  uint64
}

// message is a protocol buffer as it grows.
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

// spieceModel is a spiece.model with the numbers of T5: <pad> 0, </s> 1, <unk> 2. Texts
// are not normalised but for blanks (sentencepiece_model.proto names the fields).
func spieceModel(pieces []piece) []byte {
	var m message
	for _, p := range pieces {
		var entry message
		entry.bytes(1, []byte(p.text))
		entry.float(2, p.score)
		if p.kind != normalPiece {
			entry.varint(3, p.kind)
		}
		m.bytes(1, entry)
	}
	var trainer message
	trainer.varint(3, 1) // unigram
	trainer.varint(4, uint64(len(pieces)))
	trainer.varint(40, 2)              // unk_id
	trainer.varint(41, math.MaxUint64) // bos_id -1
	trainer.varint(42, 1)              // eos_id
	trainer.varint(43, 0)              // pad_id
	trainer.bytes(48, []byte("<pad>"))
	m.bytes(2, trainer)
	var normalizer message
	normalizer.bytes(1, []byte("identity"))
	normalizer.varint(3, 1) // add_dummy_prefix
	normalizer.varint(4, 1) // remove_extra_whitespaces
	normalizer.varint(5, 1) // escape_whitespaces
	m.bytes(3, normalizer)
	return m
}
