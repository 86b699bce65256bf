package encoder

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/gomlx/compute"

	"infbench/training/weights"
)

// body is a network in a folder with its weights and its tokenizer, and the settings that turn
// texts into its input.
type body struct {
	root    string
	static  bool // a table of word vectors
	text    Text
	adapter *adapter // nil: none
	// choose selects the head to read with the weights (nil: none).
	choose func(*Config, architecture) (head, error)
}

// open reads the network.
func (b body) open(backend compute.Backend) (*Encoder, error) {
	weights, err := weights.OpenFolder(b.root)
	if err != nil {
		return nil, err
	}
	defer weights.Close()
	e, err := b.plan(weights)
	if err != nil {
		return nil, err
	}
	e.backend = backend
	return e, e.params.load(weights, b.adapter)
}

// plan returns the network of the weights without reading them.
func (b body) plan(weights *weights.Folder) (*Encoder, error) {
	config, err := inspectConfig(b.root, layout{static: b.static}, weights)
	if err != nil {
		return nil, err
	}
	config.ownOutput, config.held, config.Text = hasOutput(weights), shapesOf(config.ModelType, weights, b.text.prefix), b.text
	tok, err := b.text.tokenizerIn(b.root, b.static)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if tok != nil {
		config.remarks = tok.Notes()
	}
	e, err := build(config, tok)
	if err != nil || b.choose == nil {
		return e, err
	}
	e.params.head, err = b.choose(&e.config, e.params.arch)
	return e, err
}

// shapesOf lists the shapes of tensors by the names that a family gives them. Their names in the
// files may have a prefix.
func shapesOf(modelType string, weights *weights.Folder, prefix string) map[string][]int {
	shapes := map[string][]int{}
	arch, err := architectureOf(modelType)
	if err != nil {
		return shapes // build reports the error
	}
	for _, info := range infos(weights) {
		shapes[arch.canonical(strings.TrimPrefix(info.Name, prefix))] = info.Shape
	}
	return shapes
}
