package encoder

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute"
)

// Sparse is a model that gives a text weights for some tokens of its vocabulary: SPLADE (Formal
// et al. 2021, arXiv 2107.05720), or a model that reads only documents that way and takes the
// weights of a query's tokens from a table, without a network. EncodeQueryTerms and
// EncodeDocumentTerms are safe for concurrent use. It is for evaluation only: nothing here trains
// or writes it.
type Sparse struct {
	text            Text // defines how queries and documents are joined
	query, document sparseSide
	remarks         []string
}

// sparseSide reads the texts of queries or documents.
type sparseSide interface {
	// encode returns the weights of the tokens of texts, one text after the other, each text's in
	// ascending order of tokens, and the number of weights of each text.
	encode(ctx context.Context, texts []string) (terms []int32, weights []float32, counts []int, err error)
	terms() int
	// reading describes all settings that determine weights.
	reading() string
	networkOf() *Encoder // nil: none
	setBatching(Batching)
	setPrecision(Precision) error
}

// OpenSparse reads a sparse model from a local folder of sentence-transformers: an
// MLMTransformer with SpladePooling, a SparseStaticEmbedding, or a Router with one of them
// for queries and one for documents; or a masked language model without modules.json, whose
// weights are the largest of log(1 + relu(logit)). Tensors are as strict as Open's.
func OpenSparse(dir string, backend compute.Backend) (*Sparse, error) {
	return (*Card)(nil).OpenSparse(dir, backend)
}

// OpenSparse is like the function OpenSparse, for a folder that holds the card's model; c may be
// nil.
func (c *Card) OpenSparse(dir string, backend compute.Backend) (*Sparse, error) {
	s, err := readSparse(dir, c, backend)
	if err != nil {
		return nil, fmt.Errorf("open sparse model %s: %w", dir, err)
	}
	return s, nil
}

func readSparse(dir string, card *Card, backend compute.Backend) (*Sparse, error) {
	folder, err := readSparseFolder(dir)
	if err != nil {
		return nil, err
	}
	s := &Sparse{remarks: card.overSides(dir, &folder.text)}
	if s.document, err = folder.document.open(folder.text, backend); err != nil {
		return nil, err
	}
	if s.query = s.document; folder.query != folder.document {
		if s.query, err = folder.query.open(folder.text, backend); err != nil {
			return nil, err
		}
	}
	if q, d := s.query.terms(), s.document.terms(); q != d {
		return nil, fmt.Errorf("queries have weights for %d tokens, but documents for %d", q, d)
	}
	s.text = folder.text
	s.text.setDefaults(0)
	return s, s.text.check(0)
}

// Terms is the number of tokens that can have a weight.
func (s *Sparse) Terms() int { return s.document.terms() }

// Text defines how texts are read; its lengths may be longer than a side's own.
func (s *Sparse) Text() Text { return s.text }

// Remarks is like Encoder.Remarks.
func (s *Sparse) Remarks() []string {
	all := s.remarks
	for _, e := range s.Networks() {
		all = slices.Concat(all, e.Remarks())
	}
	return all
}

// Networks are the networks that read queries and documents; none if weights come from a table.
func (s *Sparse) Networks() []*Encoder {
	var list []*Encoder
	for _, side := range s.sides() {
		if e := side.networkOf(); e != nil {
			list = append(list, e)
		}
	}
	return list
}

// Reading describes all settings, in addition to Text, that determine weights.
func (s *Sparse) Reading() string {
	return fmt.Sprintf("queries by %s, documents by %s", s.query.reading(), s.document.reading())
}

// sides lists the different sides.
func (s *Sparse) sides() []sparseSide {
	if s.query == s.document {
		return []sparseSide{s.document}
	}
	return []sparseSide{s.query, s.document}
}

// SetBatching is like Encoder.SetBatching.
func (s *Sparse) SetBatching(b Batching) {
	for _, side := range s.sides() {
		side.setBatching(b)
	}
}

// SetPrecision is like Encoder.SetPrecision.
func (s *Sparse) SetPrecision(p Precision) error {
	var all error
	for _, side := range s.sides() {
		all = errors.Join(all, side.setPrecision(p))
	}
	return all
}

// EncodeQueryTerms returns the weights of queries under instructions, one query after the other,
// each query's in ascending order of tokens, and the number of weights of each. Weights of 0 are
// left out. They do not depend on the other texts beyond float32 rounding.
func (s *Sparse) EncodeQueryTerms(ctx context.Context, queries, instructions []string) (terms []int32, weights []float32, counts []int, err error) {
	if len(queries) != len(instructions) {
		return nil, nil, nil, fmt.Errorf("encode queries: %d queries, %d instructions", len(queries), len(instructions))
	}
	texts := make([]string, len(queries))
	for i := range texts {
		texts[i] = s.text.query(queries[i], instructions[i])
	}
	if terms, weights, counts, err = s.query.encode(ctx, texts); err != nil {
		return nil, nil, nil, fmt.Errorf("encode queries: %w", err)
	}
	return terms, weights, counts, nil
}

// EncodeDocumentTerms is EncodeQueryTerms for documents.
func (s *Sparse) EncodeDocumentTerms(ctx context.Context, titles, texts []string) (terms []int32, weights []float32, counts []int, err error) {
	if len(titles) != len(texts) {
		return nil, nil, nil, fmt.Errorf("encode documents: %d titles, %d texts", len(titles), len(texts))
	}
	joined := make([]string, len(texts))
	for i := range joined {
		joined[i] = s.text.document(titles[i], texts[i])
	}
	if terms, weights, counts, err = s.document.encode(ctx, joined); err != nil {
		return nil, nil, nil, fmt.Errorf("encode documents: %w", err)
	}
	return terms, weights, counts, nil
}
