package encoder

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/weights"
)

// parameters are the weights of a model in one store: those of its network and head, of the
// layers after pooling, and of an adapter, for each side if these are separate.
type parameters struct {
	config *Config
	arch   architecture
	store  *model.Store

	head  head   // follows the network; nil: none, states are pooled
	dense denses // follow pooling

	adapter *lowRank // in training; nil: none

	separate bool // documents have their own weights
}

// tensors lists the weights of the network and its head.
func (p *parameters) tensors() []tensor {
	list := p.arch.tensors(p.config)
	if p.head != nil {
		list = append(list, p.head.tensors(p.config)...)
	}
	return list
}

// bothTensors lists the weights that each side has: those of the network and of the layers after
// pooling, by their names in the store.
func (p *parameters) bothTensors() []tensor {
	return append(p.tensors(), p.dense.tensors()...)
}

// sides lists the sides with their own weights.
func (p *parameters) sides() []Side {
	if p.separate {
		return []Side{Queries, Documents}
	}
	return []Side{Queries}
}

// width is the number of components of a vector.
func (p *parameters) width() int {
	if n := len(p.dense); n > 0 {
		return p.dense[n-1].Out
	}
	return p.config.HiddenSize
}

// network builds layers over the weights of a side in g, in a mode.
func (p *parameters) network(s Side, g *graph.Graph, m Mode) *network {
	n := &network{config: p.config, arch: p.arch, dense: p.dense, store: p.store, g: g, mode: m}
	if p.adapter != nil {
		n.adapter = &p.adapter.LoRA
	}
	if p.separate {
		n.prefix = string(s)
	}
	return n
}

// create makes a trainable weight.
func (p *parameters) create(name string, shape []int, values []float32) error {
	_, err := p.store.CreateVariable("/"+name, tensors.FromFlatDataAndDimensions(values, shape...))
	return err
}

// separateFrom gives documents their own weights, with the initial values of other, a model with
// the same weights.
func (p *parameters) separateFrom(other *parameters) error {
	for _, t := range other.bothTensors() {
		values, err := other.values(t.name)
		if err != nil {
			return err
		}
		if err := p.create(string(Documents)+t.name, t.shape, values); err != nil {
			return err
		}
	}
	p.separate = true
	return nil
}

// addLowRank adds s B A to the weight [out,in], with A [rank,in], B [out,rank].
func (p *parameters) addLowRank(name string, a, b []float32, rank int, s float64) error {
	variable := p.store.GetVariable("/" + name)
	value, err := variable.Value()
	if err != nil {
		return err
	}
	w, err := tensors.CopyFlatData[float32](value)
	if err != nil {
		return err
	}
	out, in := value.Shape().Dim(0), value.Shape().Dim(1)
	row := make([]float64, in)
	for o := range out {
		clear(row)
		for k := range rank {
			factor := s * float64(b[o*rank+k])
			for i, v := range a[k*in : (k+1)*in] {
				row[i] += factor * float64(v)
			}
		}
		for i, v := range row {
			w[o*in+i] = float32(float64(w[o*in+i]) + v)
		}
	}
	return variable.SetValue(tensors.FromFlatDataAndDimensions(w, out, in))
}

// setLengths scales the rows of the weight [out,in] to the given lengths (DoRA, Liu et al. 2024).
func (p *parameters) setLengths(name string, lengths []float32) error {
	w, err := p.values(name)
	if err != nil {
		return err
	}
	in := len(w) / len(lengths)
	for o, length := range lengths {
		row, sum := w[o*in:(o+1)*in], 0.0
		for _, v := range row {
			sum += float64(v) * float64(v)
		}
		if sum == 0 {
			return fmt.Errorf("tensor %q: row %d is zero and has no direction to scale", name, o)
		}
		for i, v := range row {
			row[i] = float32(float64(v) * float64(length) / math.Sqrt(sum))
		}
	}
	return p.store.GetVariable("/" + name).SetValue(tensors.FromFlatDataAndDimensions(w, len(lengths), in))
}

// sources returns the weights of a side's network, in the order of the architecture. Other
// variables (a trainer's) are not part of the model.
func (p *parameters) sources(s Side, reader *Reader) []weights.Source {
	var list []weights.Source
	for _, t := range p.tensors() {
		list = append(list, reader.Source(t.name, p.store.GetVariable("/"+string(s)+t.name)))
	}
	return list
}

// values copies a weight out of the store.
func (p *parameters) values(name string) ([]float32, error) {
	value, err := p.store.GetVariable("/" + name).Value()
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", name, err)
	}
	values, err := tensors.CopyFlatData[float32](value)
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", name, err)
	}
	return values, nil
}
