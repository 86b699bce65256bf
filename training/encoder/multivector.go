package encoder

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
)

// MultiVector is a late-interaction model (ColBERT; Khattab and Zaharia 2020, arXiv 2004.12832):
// it returns a vector for each token of a text. EncodeQueryTokens and EncodeDocumentTokens are
// safe for concurrent use. It is for evaluation only: nothing here trains or writes it.
type MultiVector struct {
	model    *Encoder
	settings lateSettings
	tokens   lateTokens

	queries   batched
	documents batched
	notes     []string
}

// OpenMultiVector reads a late-interaction model from a local folder: PyLate's and
// sentence-transformers 6's (modules.json), or Stanford's (HF_ColBERT, with
// artifact.metadata). Tensors are as strict as Open's.
func OpenMultiVector(dir string, backend compute.Backend) (*MultiVector, error) {
	return (*Card)(nil).OpenMultiVector(dir, backend)
}

// OpenMultiVector is like the function OpenMultiVector, for a folder that holds the card's model;
// c may be nil.
func (c *Card) OpenMultiVector(dir string, backend compute.Backend) (*MultiVector, error) {
	m, err := readMultiVector(dir, c, backend)
	if err != nil {
		return nil, fmt.Errorf("open late-interaction model %s: %w", dir, err)
	}
	return m, nil
}

func readMultiVector(dir string, card *Card, backend compute.Backend) (*MultiVector, error) {
	folder, err := readLateFolder(dir)
	if err != nil {
		return nil, err
	}
	remarks := card.overSides(dir, &folder.text)
	e, err := folder.bodyIn(dir).open(backend)
	if err != nil {
		return nil, err
	}
	e.remarks = remarks
	if folder.dense != "" {
		if err := e.params.addDense(filepath.Join(dir, folder.dense), tokenVectors); err != nil {
			return nil, err
		}
	}
	return newMultiVector(e, folder.lateSettings)
}

// newMultiVector returns a model that encodes texts by settings.
func newMultiVector(e *Encoder, settings lateSettings) (*MultiVector, error) {
	tokens, err := settings.tokens(e)
	if err != nil {
		return nil, err
	}
	m := &MultiVector{model: e, settings: settings, tokens: tokens}
	if err := m.checkExpansion(); err != nil {
		return nil, err
	}
	m.queries = batched{model: e, longest: max(e.config.Text.MaxQuery, settings.expandTo), build: m.vectors}
	m.documents = batched{model: e, longest: e.config.Text.MaxDocument, build: m.vectors}
	return m, nil
}

// checkExpansion returns an error if vectors are undefined. It also notes a difference between
// libraries in the tokens that fill queries: in layers with local attention such a token may see
// no attended token. Then PyTorch's scaled_dot_product_attention mixes nothing (since 2.5), and
// transformers' eager attention mixes all tokens equally, as do older versions of both.
func (m *MultiVector) checkExpansion() error {
	by := m.settings
	if by.filled && m.model.tokens.tokenizer.PadsLeft() {
		return fmt.Errorf("processing_kwargs: padding on the left (%s: padding_side) moves documents in their rows: remove it from %s", tokenizerFile, lengthFile)
	}
	if beyond := m.model.tokens.tokenizer.Beyond(); by.pylate && len(beyond) > 0 {
		return fmt.Errorf("%s: special token %q: none of the network's %d rows is for it, and PyLate would give it random numbers: remove the token, or save the folder with PyLate once", tokenizerFile, beyond[0], m.model.config.VocabSize)
	}
	if by.expandTo == 0 || by.attend || by.attention == "sdpa" || by.attention == "eager" {
		return nil
	}
	arch, ok := m.model.params.arch.(modernbert)
	if ok && by.expandTo > m.model.config.LocalAttention/2+shortestQuery && arch.isLocal(&m.model.config) {
		m.notes = append(m.notes, fmt.Sprintf("queries are filled up to %d tokens, beyond the network's local_attention of %d: filling tokens that see no token of the query mix all tokens equally, as in transformers' eager attention; with \"model_args\": {\"attn_implementation\": \"sdpa\"} in %s they mix none, as in PyTorch", by.expandTo, m.model.config.LocalAttention, lengthFile))
	}
	return nil
}

// shortestQuery is the fewest tokens of a query with one word, a prefix and special tokens.
const shortestQuery = 4

// vectors builds the vector of each token, float32 [B,S,Dim].
func (m *MultiVector) vectors(in input) *graph.Node {
	n := m.model.network(Documents, in.ids.Graph())
	n.blank = m.settings.attention == "sdpa"
	states := n.arch.hidden(n, in)
	if h, ok := m.model.params.head.(projectionHead); ok {
		states = h.project(n, states)
	} else {
		states = n.projected(states)
	}
	states = wide(states)
	if m.settings.normalize {
		states = graph.L2Normalize(states, -1)
	}
	return states
}

// Dim is the number of components of a vector.
func (m *MultiVector) Dim() int {
	if h, ok := m.model.params.head.(projectionHead); ok {
		return h.dim
	}
	return m.model.Dim()
}

// MaxTokens is the largest number of vectors of a document.
func (m *MultiVector) MaxTokens() int { return m.model.config.Text.MaxDocument }

// Model returns the network with its tokenizer and configuration. Its single vector of a text has
// no meaning.
func (m *MultiVector) Model() *Encoder { return m.model }

// Remarks returns the remarks of the model, and notes on the expansion of queries.
func (m *MultiVector) Remarks() []string { return slices.Concat(m.model.Remarks(), m.notes) }

// Reading describes how texts become tokens and vectors: all settings, in addition to the model's
// Text, that determine a vector.
func (m *MultiVector) Reading() string { return m.settings.String() }

// SetBatching is like Encoder.SetBatching.
func (m *MultiVector) SetBatching(b Batching) { m.queries.batching, m.documents.batching = b, b }

// SetPrecision is like Encoder.SetPrecision.
func (m *MultiVector) SetPrecision(p Precision) error {
	m.queries.reset()
	m.documents.reset()
	return m.model.SetPrecision(p)
}

// EncodeQueryTokens returns the vectors of queries under instructions, one after the other, and
// the number of vectors of each query: one for each token, including special tokens and those of
// its expansion. Vectors do not depend on others in the same call beyond 1e-6.
func (m *MultiVector) EncodeQueryTokens(ctx context.Context, queries, instructions []string) (values []float32, counts []int, err error) {
	if len(queries) != len(instructions) {
		return nil, nil, fmt.Errorf("encode queries: %d queries, %d instructions", len(queries), len(instructions))
	}
	sequences := make([]sequence, len(queries))
	for i := range queries {
		sequences[i] = m.querySequence(m.model.config.Text.query(queries[i], instructions[i]))
	}
	values, counts, err = m.encode(ctx, &m.queries, sequences, func(int32) bool { return true })
	if err != nil {
		return nil, nil, fmt.Errorf("encode queries: %w", err)
	}
	return values, counts, nil
}

// EncodeDocumentTokens is EncodeQueryTokens for documents: one vector for each token that
// is not on the skip list.
func (m *MultiVector) EncodeDocumentTokens(ctx context.Context, titles, texts []string) (values []float32, counts []int, err error) {
	if len(titles) != len(texts) {
		return nil, nil, fmt.Errorf("encode documents: %d titles, %d texts", len(titles), len(texts))
	}
	sequences := make([]sequence, len(texts))
	for i := range texts {
		sequences[i] = m.documentSequence(m.model.config.Text.document(titles[i], texts[i]))
	}
	values, counts, err = m.encode(ctx, &m.documents, sequences, func(id int32) bool { return !m.tokens.skipped[id] })
	if err != nil {
		return nil, nil, fmt.Errorf("encode documents: %w", err)
	}
	return values, counts, nil
}

// encode returns the vectors of the kept tokens.
func (m *MultiVector) encode(ctx context.Context, by *batched, sequences []sequence, kept func(id int32) bool) (values []float32, counts []int, err error) {
	starts, total := make([]int, len(sequences)), 0
	counts = make([]int, len(sequences))
	for i, s := range sequences {
		for _, id := range s.ids {
			if kept(id) {
				counts[i]++
			}
		}
		starts[i] = total
		total += counts[i]
	}
	dim := m.Dim()
	values = make([]float32, total*dim)
	err = by.each(ctx, sequences, func(i int, rows []float32) {
		at := starts[i] * dim
		for k, id := range sequences[i].ids {
			if kept(id) {
				at += copy(values[at:], rows[k*dim:(k+1)*dim])
			}
		}
	})
	return values, counts, err
}

// querySequence returns the tokens of a query's text, expanded. If the tokenizer fills up on the
// left, the text moves, and PyLate puts the prefix after the first token of the row, whatever
// that is.
func (m *MultiVector) querySequence(text string) sequence {
	by, p, limit := m.settings, m.tokens.query, m.model.config.Text.MaxQuery
	onLeft := by.fixed && m.model.tokens.tokenizer.PadsLeft()
	last := onLeft && !by.prefixText && p.id >= 0 // the prefix comes after the tokens that fill
	if last {
		p, limit = prefix{id: -1}, max(1, limit-1)
	}
	s := sequence{ids: p.encode(m.model.tokens, by.read(text), limit)}
	s.attended = slices.Repeat([]bool{true}, len(s.ids))
	fill := func(n, at int) {
		n = max(0, n-len(s.ids))
		s.ids = slices.Insert(s.ids, at, slices.Repeat([]int32{m.tokens.fill}, n)...)
		s.attended = slices.Insert(s.attended, at, make([]bool, n)...)
	}
	if onLeft {
		fill(limit, 0)
	}
	if last {
		at := min(1, len(s.ids))
		s.ids, s.attended = slices.Insert(s.ids, at, m.tokens.query.id), slices.Insert(s.attended, at, true)
	}
	fill(by.expandTo, len(s.ids))
	if by.attend {
		s.attended = nil
	}
	return s
}

// documentSequence returns the tokens of a document's text.
func (m *MultiVector) documentSequence(text string) sequence {
	return sequence{ids: m.tokens.document.encode(m.model.tokens, m.settings.read(text), m.model.config.Text.MaxDocument)}
}
