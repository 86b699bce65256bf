package encoder

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Replica returns an encoder with copies of the weights, adapter included, on
// another backend. What happens to the one is not seen by the other until
// CopyTrained.
func (e *Encoder) Replica(backend compute.Backend) (*Encoder, error) {
	r, err := build(e.config, e.tokenizer)
	if err != nil {
		return nil, fmt.Errorf("replicate model: %w", err)
	}
	r.config, r.backend, r.head, r.dense, r.adapter = e.config, backend, e.head, e.dense, e.adapter
	r.separate = e.separate
	r.vectors.width, r.queries.width, r.pairs.width = e.Dim(), e.Dim(), e.Dim()
	for v := range e.store.IterVariables() {
		value, err := copied(v)
		if err != nil {
			return nil, fmt.Errorf("replicate weight %s: %w", v.Path(), err)
		}
		w, err := r.store.CreateVariable(v.Path(), value)
		if err != nil {
			return nil, fmt.Errorf("replicate weight %s: %w", v.Path(), err)
		}
		w.SetTrainable(v.Trainable)
	}
	return r, nil
}

// CopyTrained gives a replica the trainable weights of its original.
func (e *Encoder) CopyTrained(from *Encoder) error {
	for v := range e.store.IterVariables() {
		if !v.Trainable {
			continue
		}
		value, err := copied(from.store.GetVariable(v.Path()))
		if err == nil {
			err = v.SetValue(value)
		}
		if err != nil {
			return fmt.Errorf("copy weight %s: %w", v.Path(), err)
		}
	}
	return nil
}

// copied is a variable's value in memory of its own, on no device.
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
