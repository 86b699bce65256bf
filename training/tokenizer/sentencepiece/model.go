// Package sentencepiece reads the model files of Google's SentencePiece (spiece.model,
// tokenizer.model): a protobuf message of pieces with scores and of the normalisation of texts. It
// segments nothing; package tokenizer does.
package sentencepiece

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Algorithm is the way pieces are chosen.
type Algorithm int

// The algorithms, by their numbers in TrainerSpec.
const (
	Unigram Algorithm = 1
	BPE     Algorithm = 2
	Word    Algorithm = 3
	Char    Algorithm = 4
)

// Type is the purpose of a piece.
type Type int

// The types, by their numbers in SentencePiece.
const (
	Normal      Type = 1
	Unknown     Type = 2
	Control     Type = 3 // never matched in a text
	UserDefined Type = 4 // always matched as a unit, and not normalised
	Unused      Type = 5
	Byte        Type = 6 // "<0x41>"
)

// Piece is one entry of the vocabulary; its index is its id.
type Piece struct {
	Text  string
	Score float32
	Type  Type
}

// Model is the part of a model file on which ids depend.
type Model struct {
	Pieces       []Piece
	Unknown      int // the piece of type Unknown
	Algorithm    Algorithm
	ByteFallback bool // unknown characters become bytes

	CharMap      []byte // the compiled rules of normalisation; empty: none
	DummyPrefix  bool   // a blank before a text, or after it
	BlankAsEnd   bool   // words end with their blank, instead of beginning with it
	RemoveBlanks bool   // at both ends, and all but one elsewhere
	EscapeBlanks bool   // as U+2581
}

// Parse reads a model file. It rejects what SentencePiece rejects: empty or duplicate pieces, none
// or two of type Unknown, and an incomplete set of bytes.
func Parse(data []byte) (*Model, error) {
	m := &Model{Algorithm: Unigram, DummyPrefix: true, RemoveBlanks: true, EscapeBlanks: true, Unknown: -1}
	err := eachField(data, map[protowire.Number]func(value) error{
		1: m.addPiece,
		2: m.readTrainer,
		3: m.readNormalizer,
	})
	if err != nil {
		return nil, err
	}
	return m, m.check()
}

func (m *Model) addPiece(v value) error {
	p := Piece{Type: Normal}
	err := v.message(map[protowire.Number]func(value) error{
		1: func(v value) error { p.Text = string(v.bytes); return v.want(protowire.BytesType) },
		2: func(v value) error {
			p.Score = math.Float32frombits(uint32(v.number))
			return v.want(protowire.Fixed32Type)
		},
		3: func(v value) error { p.Type = Type(v.number); return v.want(protowire.VarintType) },
	})
	if p.Type == Unknown {
		if m.Unknown >= 0 {
			return errors.New("two pieces are of type unknown")
		}
		m.Unknown = len(m.Pieces)
	}
	m.Pieces = append(m.Pieces, p)
	return err
}

func (m *Model) readTrainer(v value) error {
	return v.message(map[protowire.Number]func(value) error{
		3:  func(v value) error { m.Algorithm = Algorithm(v.number); return v.want(protowire.VarintType) },
		24: flag(&m.BlankAsEnd),
		35: flag(&m.ByteFallback),
	})
}

func (m *Model) readNormalizer(v value) error {
	return v.message(map[protowire.Number]func(value) error{
		2: func(v value) error { m.CharMap = v.bytes; return v.want(protowire.BytesType) },
		3: flag(&m.DummyPrefix),
		4: flag(&m.RemoveBlanks),
		5: flag(&m.EscapeBlanks),
	})
}

// maxPiece is SentencePiece's limit on a piece, in bytes.
const maxPiece = 8000

// check checks the pieces against SentencePiece's rules.
func (m *Model) check() error {
	if m.Unknown < 0 {
		return errors.New("no piece is of type unknown: the file is not a SentencePiece model, or is damaged")
	}
	first, bytes := map[string]int{}, 0
	for id, p := range m.Pieces {
		if len(p.Text) > maxPiece {
			return fmt.Errorf("piece %d has %d bytes, more than %d", id, len(p.Text), maxPiece)
		}
		if p.Text == "" || strings.Contains(p.Text, "\x00") || p.Type < Normal || p.Type > Byte {
			return fmt.Errorf("piece %d is %q of type %d", id, p.Text, p.Type)
		}
		if math.IsNaN(float64(p.Score)) || math.IsInf(float64(p.Score), 0) {
			return fmt.Errorf("piece %q has the score %v", p.Text, p.Score)
		}
		if other, ok := first[p.Text]; ok {
			return fmt.Errorf("pieces %d and %d are both %q", other, id, p.Text)
		}
		first[p.Text] = id
		if p.Type == Byte {
			bytes++
		}
	}
	if m.ByteFallback != (bytes > 0) || bytes%256 != 0 {
		return fmt.Errorf("byte_fallback %t with %d pieces for bytes", m.ByteFallback, bytes)
	}
	for b := range 256 {
		if id, ok := first[fmt.Sprintf("<0x%02X>", b)]; m.ByteFallback && (!ok || m.Pieces[id].Type != Byte) {
			return fmt.Errorf("byte_fallback without a piece for byte %#02x", b)
		}
	}
	return nil
}
