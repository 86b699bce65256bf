package encoder

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/gomlx/gomlx/core/graph"
)

// readTruncate reads the truncate_dim of config_sentence_transformers.json, to which
// SentenceTransformer.encode cuts vectors (sentence_transformers/sentence_transformer/model.py,
// 6.2): after all modules, a Normalize module included, and without giving them length 1 again.
// Training there reads whole vectors, and saving keeps the key.
func readTruncate(dir string) (int, error) {
	var file struct {
		Dim json.RawMessage `json:"truncate_dim"`
	}
	if _, err := readJSON(dir, promptsFile, &file); err != nil || file.Dim == nil {
		return 0, err
	}
	var n *int
	if err := json.Unmarshal(file.Dim, &n); err != nil || n != nil && *n < 1 {
		return 0, fmt.Errorf("%s: truncate_dim %s: want a number of values, at least 1, or null", filepath.Join(dir, promptsFile), file.Dim)
	}
	if n == nil {
		return 0, nil
	}
	return *n, nil
}

// Dim is the number of components of a vector, as many as the folder's truncate_dim says.
func (e *Encoder) Dim() int {
	if n := e.config.Text.dims; n > 0 && !e.whole {
		return min(n, e.Width())
	}
	return e.Width()
}

// Width is the number of components of a vector before it is cut: what is trained.
func (e *Encoder) Width() int { return e.params.width() }

// LeaveWhole gives vectors with all their values, whatever the folder's truncate_dim says; Save
// keeps the key.
// It must not be called while the encoder encodes.
func (e *Encoder) LeaveWhole() {
	e.whole = true
	e.passes.setWidth(e.Dim())
	e.passes.reset()
}

// cut is what encoding keeps of vectors [B,Width], which training takes whole.
func (e *Encoder) cut(vectors *graph.Node) *graph.Node {
	if e.Dim() == e.Width() {
		return vectors
	}
	return graph.SliceAxis(vectors, -1, graph.AxisRangeFromStart(e.Dim()))
}
