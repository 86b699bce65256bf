package runners

import (
	"context"
	"encoding/binary"
	"fmt"

	"infbench/runners/codes"
)

// lateStoring is an encoder whose document vectors are stored in a format, and which encodes
// each text once if it has a keeper.
type lateStoring struct {
	LateEncoder
	form codes.Form
	keep Keeper
}

// StoredLate returns an encoder that stores vectors: those of documents in a format, whose
// rounding affects their scores, those of queries unchanged. keep stores them (nil: nothing
// does); scores are the same with and without it.
func StoredLate(encoder LateEncoder, form codes.Form, keep Keeper) LateEncoder {
	if keep == nil {
		if form == "" || form == codes.Float32 {
			return encoder
		}
		keep = forgetful{}
	}
	return &lateStoring{encoder, form, keep}
}

// forgetful is a Keeper that keeps nothing.
type forgetful struct{}

func (forgetful) Data(ctx context.Context, _ string, a, b []string, encode func(context.Context, []string, []string) ([][]byte, error)) ([][]byte, error) {
	return encode(ctx, a, b)
}

// The kinds of text, as they are stored.
const (
	queryTokens    = "query tokens"
	documentTokens = "document tokens"
)

// EncodeQueryTokens implements LateEncoder.
func (s *lateStoring) EncodeQueryTokens(ctx context.Context, queries, instructions []string) ([]float32, []int, error) {
	return s.stored(ctx, queryTokens, codes.Float32, queries, instructions, s.LateEncoder.EncodeQueryTokens)
}

// EncodeDocumentTokens implements LateEncoder.
func (s *lateStoring) EncodeDocumentTokens(ctx context.Context, titles, texts []string) ([]float32, []int, error) {
	return s.stored(ctx, documentTokens, s.form, titles, texts, s.LateEncoder.EncodeDocumentTokens)
}

func (s *lateStoring) stored(ctx context.Context, kind string, form codes.Form, a, b []string,
	encode func(ctx context.Context, a, b []string) ([]float32, []int, error)) (values []float32, counts []int, err error) {
	dim := s.Dim()
	kept, err := s.keep.Data(ctx, kind, a, b, func(ctx context.Context, a, b []string) ([][]byte, error) {
		values, counts, err := encode(ctx, a, b)
		if err == nil {
			err = checkTokens(values, counts, dim, func(i int) string { return fmt.Sprintf("%s of text %d", kind, i) })
		}
		if err != nil {
			return nil, err
		}
		return packVectors(values, counts, dim, form), nil
	})
	if err != nil {
		return nil, nil, err
	}
	for i, data := range kept {
		rows, ok := unpackVectors(data, form.RowBytes(dim))
		if !ok {
			return nil, nil, fmt.Errorf("the stored data of text %d have %d bytes, which are not vectors of %d values in %s", i, len(data), dim, form)
		}
		counts = append(counts, len(rows)/form.RowBytes(dim))
	}
	return s.values(kept, counts, form), counts, nil
}

// rowsHead is the size in bytes of the number of vectors, which precedes the rows of a text.
const rowsHead = 4

// packVectors packs the vectors of each text into rows.
func packVectors(values []float32, counts []int, dim int, form codes.Form) [][]byte {
	all := make([][]byte, len(counts))
	for i, n := range counts {
		rows := make([]byte, 0, rowsHead+n*form.RowBytes(dim))
		rows = binary.LittleEndian.AppendUint32(rows, uint32(n))
		for range n {
			rows = form.AppendRow(rows, values[:dim])
			values = values[dim:]
		}
		all[i] = rows
	}
	return all
}

// unpackVectors returns the rows of a text; ok reports whether their number matches the header.
func unpackVectors(data []byte, row int) (rows []byte, ok bool) {
	if len(data) < rowsHead {
		return nil, false
	}
	n, rows := binary.LittleEndian.Uint32(data), data[rowsHead:]
	return rows, uint64(len(rows)) == uint64(n)*uint64(row)
}

// values decodes the rows of all texts.
func (s *lateStoring) values(kept [][]byte, counts []int, form codes.Form) []float32 {
	dim, total := s.Dim(), 0
	for _, n := range counts {
		total += n
	}
	values := make([]float32, total*dim)
	at := 0
	for i, data := range kept {
		rows := data[rowsHead:]
		for range counts[i] {
			form.ReadRow(values[at:at+dim], rows[:form.RowBytes(dim)])
			rows, at = rows[form.RowBytes(dim):], at+dim
		}
	}
	return values
}
