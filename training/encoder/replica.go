package encoder

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Replica returns an encoder with copies of the weights, adapter included, on another backend.
// Changes to one encoder do not reach the other until CopyTrained.
func (e *Encoder) Replica(backend compute.Backend) (*Encoder, error) {
	r, err := build(e.config, e.tokens.tokenizer)
	if err != nil {
		return nil, fmt.Errorf("replicate model: %w", err)
	}
	r.config, r.backend, r.whole = e.config, backend, e.whole
	r.params.head, r.params.dense, r.params.separate = e.params.head, e.params.dense, e.params.separate
	if a := e.params.adapter; a != nil {
		r.params.adapter = &lowRank{LoRA: a.LoRA, of: r.params}
	}
	r.passes.setWidth(e.Dim())
	for v := range e.params.store.IterVariables() {
		value, err := copied(v)
		if err != nil {
			return nil, fmt.Errorf("replicate weight %s: %w", v.Path(), err)
		}
		w, err := r.params.store.CreateVariable(v.Path(), value)
		if err != nil {
			return nil, fmt.Errorf("replicate weight %s: %w", v.Path(), err)
		}
		w.SetTrainable(v.Trainable)
	}
	return r, nil
}

// CopyTrained copies the trainable weights of the original from to its replica.
func (e *Encoder) CopyTrained(from *Encoder) error {
	for v := range e.params.store.IterVariables() {
		if !v.Trainable {
			continue
		}
		value, err := copied(from.params.store.GetVariable(v.Path()))
		if err == nil {
			err = v.SetValue(value)
		}
		if err != nil {
			return fmt.Errorf("copy weight %s: %w", v.Path(), err)
		}
	}
	return nil
}

// copied returns a copy of a variable's value in memory, on no device.
func copied(v *model.Variable) (*tensors.Tensor, error) {
	value, err := v.Value()
	if err != nil {
		return nil, err
	}
	values, err := tensors.CopyFlatData[float32](value)
	if err != nil {
		return nil, err
	}
	return tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...), nil
}
