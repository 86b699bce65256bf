package catalog

import (
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/runners"
)

// OpenEncoder opens the model for its vectors; it is an error if the model has none.
func (m *Opener) OpenEncoder() (runners.Encoder, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.Model == remoteModel {
		return m.remoteEncoder()
	}
	if isWeightless(m.Model) {
		return nil, usage.Errorf("model %s: want a HuggingFace model folder, a model of the hub, or %s", m.Model, remoteModel)
	}
	w, err := findWeights(m.Model)
	if err != nil {
		return nil, err
	}
	if info, err := disk.Stat(w.path); err != nil || !info.IsDir() {
		return nil, usage.Errorf("model %s: want a HuggingFace model folder, a model of the hub, or %s", m.Model, remoteModel)
	}
	if pairs, err := w.scoresPairs(); err != nil || pairs {
		if err == nil {
			err = usage.Errorf("model %s scores pairs of query and document: it has no vectors", m.Model)
		}
		return nil, err
	}
	if w.hasTokens() {
		return nil, usage.Errorf("model %s does not give a single vector for a text", m.Model)
	}
	_, kept, err := m.encoder(&w, runners.Cosine)
	return kept, err
}
