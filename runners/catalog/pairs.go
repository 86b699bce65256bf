package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/runners"
	"infbench/training/encoder"
)

// ScoresPairs reports whether name is the folder of a model that reads query and document
// together: a sequence classifier, a language model with a judge section in infbench.json, or a
// cross-encoder of sentence-transformers. It decides between encoder.Open and
// encoder.OpenCrossEncoder, which report errors in a folder.
func ScoresPairs(name string) (bool, error) {
	var config struct {
		Architectures []string `json:"architectures"`
	}
	if err := readModelFile(name, "config.json", &config); err != nil {
		return false, err
	}
	if len(config.Architectures) > 0 && strings.HasSuffix(config.Architectures[0], "ForSequenceClassification") {
		return true, nil
	}
	var own struct {
		Judge json.RawMessage `json:"judge"`
	}
	err := readModelFile(name, "infbench.json", &own)
	return len(own.Judge) > 0 || encoder.IsPairModel(name), err
}

// readModelFile decodes a file of a model folder into v. If the file or folder does not exist,
// v is unchanged.
func readModelFile(dir, name string, v any) error {
	path := filepath.Join(dir, name)
	data, err := disk.ReadText(path)
	if err != nil {
		if info, statErr := disk.Stat(dir); errors.Is(err, fs.ErrNotExist) || statErr == nil && !info.IsDir() {
			return nil
		}
		return fmt.Errorf("open model: %w", err)
	}
	if err = disk.StandIn(data); err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("open model: %s: %w", path, err)
	}
	return nil
}

// pairReranker reranks with a cross-encoder or judge.
type pairReranker struct {
	name  string
	model *encoder.CrossEncoder
}

var _ runners.Reranker = pairReranker{}

// reranker opens a HuggingFace folder that scores pairs.
func (m *Opener) reranker(w *catalogWeights) (*pairReranker, error) {
	if err := m.openBackend(); err != nil {
		return nil, err
	}
	var model *encoder.CrossEncoder
	var err error
	if w.base != nil {
		model, err = w.card.OpenAdaptedCrossEncoder(w.base.path, w.path, m.backend)
	} else {
		model, err = w.card.OpenCrossEncoder(w.path, m.backend)
	}
	if err != nil {
		return nil, err
	}
	if err := m.noteCard(w, model.Remarks()); err != nil {
		return nil, err
	}
	model.SetBatching(m.Batching())
	if err := m.readFolder(w); err != nil {
		return nil, err
	}
	return &pairReranker{w.name, model}, nil
}

// Name returns the name of the model in rows.
func (r pairReranker) Name() string { return r.name }

// Rerank implements runners.Reranker.
func (r pairReranker) Rerank(ctx context.Context, q datasets.Query, docs []datasets.Document, scores []float64) error {
	n := len(docs)
	if n == 0 {
		return nil
	}
	titles, texts, single := make([]string, n), make([]string, n), make([]float32, n)
	for i, d := range docs {
		titles[i], texts[i] = d.Title, d.Text
	}
	queries, instructions := slices.Repeat([]string{q.Text}, n), slices.Repeat([]string{q.Instruction}, n)
	if err := r.model.Score(ctx, queries, instructions, titles, texts, single); err != nil {
		return err
	}
	for i, s := range single {
		scores[i] = float64(s)
	}
	return nil
}
