package encoder

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/datasets/atomicfile"
	"infbench/metrics/nearest"
	"infbench/training/encoder/safetensors"
	"infbench/training/encoder/weightfiles"
)

// dense is the linear layer that some models put on the pooled vector
// (sentence-transformers' Dense: Instructor, GTR). Its weights are trainable and
// lie in the store under "/dense.".
type dense struct {
	In         int    `json:"in_features"`
	Out        int    `json:"out_features"`
	Bias       bool   `json:"bias"`
	Activation string `json:"activation_function"`
}

const (
	denseFolder = "2_Dense" // where Save writes it
	denseScope  = "dense."  // before the names of its weights in the store
	denseLayer  = denseScope + "linear"
)

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
func (d *dense) tensors() []tensor {
	both := linearTensors("linear", d.Out, d.In, matrix)
	if !d.Bias {
		return both[:1]
	}
	return both
}

// loadDense reads a Dense module's folder.
func (e *Encoder) loadDense(dir string) error {
	d := &dense{Bias: true, Activation: "torch.nn.modules.activation.Tanh"} // the defaults of sentence-transformers
	found, err := readJSON(dir, "config.json", d)
	if err != nil {
		return err
	}
	if !found || d.In != e.config.HiddenSize || inRange("out_features", d.Out) != nil {
		return fmt.Errorf("%s: a config.json with in_features %d is needed, it has %d, and out_features %d", dir, e.config.HiddenSize, d.In, d.Out)
	}
	if _, ok := denseActivations()[d.Activation]; !ok {
		return fmt.Errorf("%s: %w", dir, nearest.Unknown("activation_function", d.Activation, slices.Sorted(maps.Keys(denseActivations()))))
	}
	weights, err := weightfiles.OpenFolder(dir)
	if err != nil {
		return err
	}
	defer weights.Close()
	if names := weights.Names(); len(names) != len(d.tensors()) {
		return fmt.Errorf("%s: holds %s, the configuration asks for %d tensors", dir, list(names), len(d.tensors()))
	}
	for _, t := range d.tensors() {
		info, _ := weights.Info(t.name)
		if !slices.Equal(info.Shape, t.shape) {
			return fmt.Errorf("%s: tensor %q has shape %v, the configuration asks for %v", dir, t.name, info.Shape, t.shape)
		}
		values, err := weights.Float32(t.name)
		if err != nil {
			return err
		}
		if err := e.variable(denseScope+t.name, t.shape, values); err != nil {
			return err
		}
	}
	e.dense = d
	return nil
}

// project applies the layer to vectors [B,In].
func (d *dense) project(n *network, x *graph.Node) *graph.Node {
	return denseActivations()[d.Activation](n.maybeLinear(denseLayer, x))
}

// saveDense writes the module's weights of a side to a folder.
func (e *Encoder) saveDense(fsys atomicfile.FS, dir string, s Side) error {
	var weights []safetensors.Tensor
	for _, t := range e.dense.tensors() {
		values, err := e.values(string(s) + denseScope + t.name)
		if err != nil {
			return err
		}
		weights = append(weights, safetensors.Tensor{Name: t.name, Shape: t.shape, Values: values})
	}
	return atomicfile.WriteTo(fsys, filepath.Join(dir, "model.safetensors"), func(w io.Writer) error {
		return safetensors.Write(w, weights)
	})
}
