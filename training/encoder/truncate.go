package encoder

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/gomlx/gomlx/core/graph"
)

// readTruncate reads the truncate_dim of config_sentence_transformers.json, to which
// SentenceTransformer.encode cuts vectors (sentence_transformers/sentence_transformer/model.py,
// 6.2): after all modules, including a Normalize module, without scaling them to length 1 again.
// Training there uses uncut vectors, and saving keeps the key.
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

// Dim is the number of components of a vector, after the cut of the folder's truncate_dim.
func (e *Encoder) Dim() int {
	if n := e.config.Text.dims; n > 0 && !e.whole {
		return min(n, e.Width())
	}
	return e.Width()
}

// Width is the number of components of a vector before it is cut. Training uses this width.
func (e *Encoder) Width() int { return e.params.width() }

// LeaveWhole keeps all values of vectors, whatever the folder's truncate_dim; Save keeps the key.
// It must not be called while the encoder encodes.
func (e *Encoder) LeaveWhole() {
	e.whole = true
	e.passes.setWidth(e.Dim())
	e.passes.reset()
}

// cut returns the part of vectors [B,Width] that encoding keeps; training uses all of it.
func (e *Encoder) cut(vectors *graph.Node) *graph.Node {
	if e.Dim() == e.Width() {
		return vectors
	}
	return graph.SliceAxis(vectors, -1, graph.AxisRangeFromStart(e.Dim()))
}
