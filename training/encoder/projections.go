package encoder

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/disk"
	"infbench/training/weights"
)

// The projections of the paper's cross-attention, in the store and in a separate file, because
// model.safetensors holds only the network.
const (
	projectionFile   = "cross_attention.safetensors"
	projectionScope  = "interaction."
	instructionLayer = projectionScope + "instruction" // W_i
	keyLayer         = projectionScope + "query_key"   // W_q1
	valueLayer       = projectionScope + "query_value" // W_q2
)

// projections lists the weights that cross-attention learns, [out,in] as in PyTorch's linear
// layers: the transposed matrices of the paper.
func (c Crossing) projections() []tensor {
	d := c.e.config.HiddenSize
	var list []tensor
	for _, layer := range []string{instructionLayer, keyLayer, valueLayer} {
		list = append(list, tensor{layer + ".weight", []int{d, d}, matrix})
	}
	return list
}

// setLearned creates missing weights if they are wanted, and deletes them if they are not.
func (c Crossing) setLearned(wanted bool) error {
	for _, t := range c.projections() {
		there := c.e.params.store.GetVariable("/"+t.name) != nil
		var err error
		switch {
		case wanted && !there:
			err = c.e.params.create(t.name, t.shape, identity(t.shape[0]))
		case !wanted && there:
			err = c.e.params.store.DeleteVariable("/" + t.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// identity returns the [n,n] identity matrix.
func identity(n int) []float32 {
	values := make([]float32, n*n)
	for i := range n {
		values[i*n+i] = 1
	}
	return values
}

// load reads the weights from a model's folder.
func (c Crossing) load(dir string) error {
	file, err := weights.OpenSafetensors(filepath.Join(dir, projectionFile))
	if err != nil {
		return err
	}
	defer file.Close()
	have := map[string]weights.Info{}
	for _, info := range file.Tensors() {
		have[info.Name] = info
	}
	list := c.projections()
	if len(have) != len(list) {
		return fmt.Errorf("%s: holds %d tensors, the interaction has %d", projectionFile, len(have), len(list))
	}
	for _, t := range list {
		info := have[t.name]
		if !slices.Equal(info.Shape, t.shape) {
			return fmt.Errorf("%s: tensor %q has shape %v, want %v", projectionFile, t.name, info.Shape, t.shape)
		}
		values, err := file.Float32(info)
		if err != nil {
			return err
		}
		if err := c.e.params.create(t.name, t.shape, values); err != nil {
			return err
		}
	}
	return nil
}

// save writes the weights to a model's folder.
func (c Crossing) save(fsys disk.FS, dir string) error {
	var out []weights.Tensor
	for _, t := range c.projections() {
		values, err := c.e.params.values(t.name)
		if err != nil {
			return err
		}
		out = append(out, weights.Tensor{Name: t.name, Shape: t.shape, Values: values})
	}
	return disk.WriteTo(fsys, filepath.Join(dir, projectionFile), func(w io.Writer) error {
		return weights.Write(w, out)
	})
}

// learned applies a projection, if the interaction has projections.
func (c Crossing) learned(layer string, x *graph.Node) *graph.Node {
	if !c.e.config.Text.Interaction.projected() {
		return x
	}
	return graph.DotGeneral(x, []int{-1}, nil, c.projection(layer, x.Graph()), []int{1}, nil)
}

// learnedTransposed applies the transposed projection, x W instead of x W^T.
func (c Crossing) learnedTransposed(layer string, x *graph.Node) *graph.Node {
	if !c.e.config.Text.Interaction.projected() {
		return x
	}
	return graph.DotGeneral(x, []int{-1}, nil, c.projection(layer, x.Graph()), []int{0}, nil)
}

// projection returns a weight in a graph.
func (c Crossing) projection(layer string, g *graph.Graph) *graph.Node {
	return c.e.params.store.GetVariable("/" + layer + ".weight").NodeValue(g)
}
