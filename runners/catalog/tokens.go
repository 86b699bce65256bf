package catalog

import (
	"encoding/json"
	"fmt"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/runners"
	"infbench/runners/codes"
	"infbench/training/encoder"
)

// Late-interaction and sparse models have no single vector per text. They find documents by
// themselves, and infbench cannot train them.

// hasTokens reports whether the model is one of them.
func (w *catalogWeights) hasTokens() bool {
	return encoder.IsMultiVector(w.path) || encoder.IsSparse(w.path)
}

// storageForm is the format in which vectors of document tokens are stored.
func (o *ModelOptions) storageForm() codes.Form {
	if o.Storage == "" {
		return codes.Float32
	}
	return codes.Form(o.Storage)
}

// checkTokens returns an error for invalid settings of storing and comparing token vectors.
func (o *ModelOptions) checkTokens() error {
	if err := nearest.OneOf("storage", string(o.storageForm()), string(codes.Float32), string(codes.Float16), string(codes.Int8)); err != nil {
		return usage.Error{Err: err}
	}
	if o.Similarity == string(runners.PaddedMaxSim) && (o.storageForm() != codes.Float32 || o.Precision == encoder.BFloat16) {
		return usage.Errorf("%s is for comparison with PyLate: it requires float32", runners.PaddedMaxSim)
	}
	return nil
}

// late opens a late-interaction model.
func (m *Opener) late(w *catalogWeights) (runners.Retriever, error) {
	scoring, err := runners.ParseLateScoring(m.Similarity)
	m.compared = m.compared || scoring == runners.PaddedMaxSim
	if err != nil {
		return nil, usage.Errorf("model %s uses late interaction: %w", w.name, err)
	}
	if err := m.openBackend(); err != nil {
		return nil, err
	}
	model, err := w.card.OpenMultiVector(w.path, m.backend)
	if err != nil {
		return nil, err
	}
	if err := model.SetPrecision(m.Precision); err != nil {
		return nil, err
	}
	model.SetBatching(m.Batching())
	text := model.Model().Config().Text
	form := m.storageForm()
	m.stored = true
	m.note(fmt.Sprintf("model %s: late interaction, %s of vectors of %d values, documents' stored in %s; queries of at most %d tokens, documents of %d",
		w.name, scoring, model.Dim(), form, text.MaxQuery, text.MaxDocument), model.Reading())
	keep, err := m.keepTokens(w, model.Remarks(), []*encoder.Encoder{model.Model()}, text, model.Reading(), "vectors of documents in "+string(form))
	if err != nil {
		return nil, err
	}
	retriever := func(by runners.LateEncoder) runners.Retriever {
		return runners.NewLate(w.name, by, m.Options.Late(scoring))
	}
	ranks := retriever(runners.StoredLate(model, form, keep))
	if scoring != runners.PaddedMaxSim { // its scores depend on the query's other candidates
		ranks = m.Divided(ranks)
	}
	return m.narrowTo(m.Precision, storedIn(form), ranks, retriever(model), model.SetPrecision)
}

// storedIn names a format that changes scores; "" for float32.
func storedIn(form codes.Form) string {
	if form == codes.Float32 {
		return ""
	}
	return "vectors stored in " + string(form)
}

// sparse opens a sparse model.
func (m *Opener) sparse(w *catalogWeights) (runners.Retriever, error) {
	m.compared = m.compared || !encoder.IsSparse(w.path)
	if m.Similarity != "" && m.Similarity != string(runners.Dot) && m.Similarity != encoder.Sparsely {
		return nil, usage.Errorf("model %s is sparse: its scores are inner products, not %s", w.name, m.Similarity)
	}
	if err := m.openBackend(); err != nil {
		return nil, err
	}
	model, err := w.card.OpenSparse(w.path, m.backend)
	if err != nil {
		return nil, err
	}
	if err := model.SetPrecision(m.Precision); err != nil {
		return nil, err
	}
	model.SetBatching(m.Batching())
	m.note(fmt.Sprintf("model %s: sparse, inner products of float32 weights of %d terms", w.name, model.Terms()), model.Reading())
	keep, err := m.keepTokens(w, model.Remarks(), model.Networks(), model.Text(), model.Reading(), "weights of terms")
	if err != nil {
		return nil, err
	}
	return m.Narrow(m.Precision, m.Divided(runners.NewSparse(w.name, runners.StoredSparse(model, keep), 0)), runners.NewSparse(w.name, model, 0), model.SetPrecision)
}

// note records how a model compares texts, for the user, and in provenance also how it reads
// them.
func (m *Opener) note(compares, reads string) {
	m.Remarks = append(m.Remarks, compares)
	m.Readings = append(m.Readings, compares+"; "+reads)
}

// keepTokens records an opened model and returns the cache for its outputs; nil without a
// cache.
func (m *Opener) keepTokens(w *catalogWeights, remarks []string, networks []*encoder.Encoder, text encoder.Text, reading ...string) (runners.Keeper, error) {
	if err := m.noteCard(w, remarks); err != nil {
		return nil, err
	}
	if err := m.readFolder(w); err != nil || m.CacheFolder() == "" {
		return nil, err
	}
	source, err := w.source()
	if err != nil {
		return nil, err
	}
	described, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	parts := append([]string{source, "text " + string(described)}, reading...)
	for _, network := range networks {
		of, err := fingerprint(source, network, m.Device)
		if err != nil {
			return nil, err
		}
		parts = append(parts, of)
	}
	kept, err := m.putTexts(m.CacheFolder(), strings.Join(parts, "\n"))
	if err != nil {
		return nil, err
	}
	return kept, nil
}
