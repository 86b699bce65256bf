package encoder

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/nearest"
	"infbench/training/weights"
)

// dense is a linear layer that some models apply to the pooled vector (sentence-transformers'
// Dense: Instructor, GTR). EmbeddingGemma has two in sequence. The weights are trainable and are
// in the store under "/dense.", those of the second layer under "/dense2.".
type dense struct {
	In         int    `json:"in_features"`
	Out        int    `json:"out_features"`
	Bias       bool   `json:"bias"`
	Activation string `json:"activation_function"`
	Input      string `json:"module_input_name,omitempty"` // written by later versions
}

// The names of the layer's input in later versions.
const (
	pooledVector = "sentence_embedding"
	tokenVectors = "token_embeddings"
)

// denseFolder is the folder into which Save writes the layer with that number, counted from 0.
func denseFolder(number int) string { return fmt.Sprintf("%d_Dense", 2+number) }

// denseScope is the prefix of the names of its weights in the store.
func denseScope(number int) string {
	if number == 0 {
		return "dense."
	}
	return fmt.Sprintf("dense%d.", 1+number)
}

// denseActivations maps PyTorch's classes to functions.
func denseActivations() map[string]func(*graph.Node) *graph.Node {
	return map[string]func(*graph.Node) *graph.Node{
		"torch.nn.modules.linear.Identity":    func(x *graph.Node) *graph.Node { return x },
		"torch.nn.modules.activation.Tanh":    graph.Tanh,
		"torch.nn.modules.activation.ReLU":    relu,
		"torch.nn.modules.activation.GELU":    gelu,
		"torch.nn.modules.activation.SiLU":    silu,
		"torch.nn.modules.activation.Sigmoid": graph.Logistic,
	}
}

// tensors lists the weights by the names in the module's file.
func (d dense) tensors() []tensor {
	return maybeLinearTensors("linear", d.Out, d.In, matrix, d.Bias)
}

// loadDense reads the folders of Dense modules on pooled vectors. Each module follows the one
// before.
func (p *parameters) loadDense(dir string, folders []string) error {
	for _, folder := range folders {
		if err := p.addDense(filepath.Join(dir, folder), pooledVector); err != nil {
			return err
		}
	}
	return nil
}

// addDense reads the folder of a Dense module on vectors of a kind.
func (p *parameters) addDense(dir, on string) error {
	d := dense{Bias: true, Activation: "torch.nn.modules.activation.Tanh"} // the defaults of sentence-transformers
	found, err := readJSON(dir, "config.json", &d)
	if err != nil {
		return err
	}
	if !found {
		return noModuleConfig(dir, modulesFile)
	}
	if d.In != p.width() || inRange("out_features", d.Out) != nil {
		return fmt.Errorf("%s: config.json must have in_features %d, but has in_features %d and out_features %d", dir, p.width(), d.In, d.Out)
	}
	if d.Input != "" && d.Input != on {
		return fmt.Errorf("%s: module_input_name %q is not supported (known: %s)", dir, d.Input, on)
	}
	if _, ok := denseActivations()[d.Activation]; !ok {
		return fmt.Errorf("%s: %w", dir, nearest.Unknown("activation_function", d.Activation, slices.Sorted(maps.Keys(denseActivations()))))
	}
	stored, err := weights.OpenFolder(dir)
	if err != nil {
		return err
	}
	defer stored.Close()
	if names := stored.Names(); len(names) > len(d.tensors()) {
		return fmt.Errorf("%s: holds %s, but the configuration needs %d tensors", dir, list(names), len(d.tensors()))
	}
	for _, t := range d.tensors() {
		info, ok := stored.Info(t.name)
		if !ok {
			return fmt.Errorf("%s: has no tensor %q (it holds %s)", dir, t.name, list(stored.Names()))
		}
		if !slices.Equal(info.Shape, t.shape) {
			return fmt.Errorf("%s: tensor %q has shape %v, but the configuration needs %v", dir, t.name, info.Shape, t.shape)
		}
		values, err := stored.Float32(t.name)
		if err != nil {
			return err
		}
		if err := p.create(denseScope(len(p.dense))+t.name, t.shape, values); err != nil {
			return err
		}
	}
	p.dense = append(p.dense, d)
	return nil
}

// denses are the layers of a model, in sequence.
type denses []dense

// tensors lists the weights of all layers by their names in the store.
func (all denses) tensors() []tensor {
	var list []tensor
	for i, d := range all {
		for _, t := range d.tensors() {
			t.name = denseScope(i) + t.name
			list = append(list, t)
		}
	}
	return list
}

// projected applies the layers to vectors [B,D].
func (n *network) projected(x *graph.Node) *graph.Node {
	for i, d := range n.dense {
		x = wide(denseActivations()[d.Activation](n.maybeLinear(denseScope(i)+"linear", x)))
	}
	return x
}
