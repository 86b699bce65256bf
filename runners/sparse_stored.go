package runners

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// sparseStoring is an encoder that encodes each text once.
type sparseStoring struct {
	SparseEncoder
	keep Keeper
}

// StoredSparse returns an encoder that stores vectors unchanged; without a keeper (nil) it is
// the encoder itself.
func StoredSparse(encoder SparseEncoder, keep Keeper) SparseEncoder {
	if keep == nil {
		return encoder
	}
	return &sparseStoring{encoder, keep}
}

// The kinds of text, as they are stored.
const (
	queryTerms    = "query terms"
	documentTerms = "document terms"
)

// EncodeQueryTerms implements SparseEncoder.
func (s *sparseStoring) EncodeQueryTerms(ctx context.Context, queries, instructions []string) ([]int32, []float32, []int, error) {
	return s.stored(ctx, queryTerms, queries, instructions, s.SparseEncoder.EncodeQueryTerms)
}

// EncodeDocumentTerms implements SparseEncoder.
func (s *sparseStoring) EncodeDocumentTerms(ctx context.Context, titles, texts []string) ([]int32, []float32, []int, error) {
	return s.stored(ctx, documentTerms, titles, texts, s.SparseEncoder.EncodeDocumentTerms)
}

// entryBytes is the size of a term and its weight.
const entryBytes = 8

func (s *sparseStoring) stored(ctx context.Context, kind string, a, b []string,
	encode func(ctx context.Context, a, b []string) ([]int32, []float32, []int, error)) (terms []int32, weights []float32, counts []int, err error) {
	kept, err := s.keep.Data(ctx, kind, a, b, func(ctx context.Context, a, b []string) ([][]byte, error) {
		terms, weights, counts, err := encode(ctx, a, b)
		if err != nil {
			return nil, err
		}
		return packTerms(terms, weights, counts)
	})
	if err != nil {
		return nil, nil, nil, err
	}
	for i, data := range kept {
		if len(data)%entryBytes != 0 {
			return nil, nil, nil, fmt.Errorf("the stored data of text %d have %d bytes, which are not terms and weights", i, len(data))
		}
		counts = append(counts, len(data)/entryBytes)
		for ; len(data) > 0; data = data[entryBytes:] {
			terms = append(terms, int32(binary.LittleEndian.Uint32(data)))
			weights = append(weights, math.Float32frombits(binary.LittleEndian.Uint32(data[4:])))
		}
	}
	return terms, weights, counts, nil
}

// packTerms writes the terms and weights of each text one after the other.
func packTerms(terms []int32, weights []float32, counts []int) ([][]byte, error) {
	all := make([][]byte, len(counts))
	for i, n := range counts {
		if n > len(terms) || n > len(weights) {
			return nil, errors.New("the encoder gave fewer terms or weights than it counts")
		}
		data := make([]byte, 0, n*entryBytes)
		for k, term := range terms[:n] {
			data = binary.LittleEndian.AppendUint32(data, uint32(term))
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(weights[k]))
		}
		all[i], terms, weights = data, terms[n:], weights[n:]
	}
	return all, nil
}
