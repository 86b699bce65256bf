package encoder

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/weights"
)

// Reader returns the values of float32 variables, one at a time. Values in the memory of this
// process are returned in place; others go through one buffer of the size of the largest
// variable, so that saving needs no more memory than that. Tensor.CopyFlatData would keep a copy
// of every weight in addition to the device's.
type Reader struct {
	backend compute.Backend // its device has the values
	largest int             // values of the largest variable so far
	buffer  []float32
}

// NewReader reads variables of a backend's device; nil: values are in memory.
func NewReader(backend compute.Backend) *Reader { return &Reader{backend: backend} }

// Source returns a variable under a name; it must be written before another is read.
func (r *Reader) Source(name string, v *model.Variable) weights.Source {
	r.largest = max(r.largest, v.Shape().Size())
	return weights.Source{
		Name: name, Shape: v.Shape().Dimensions,
		Values: func(use func([]float32) error) error { return r.read(v, use) },
	}
}

// read calls use with the values of a variable.
func (r *Reader) read(v *model.Variable, use func([]float32) error) error {
	value, err := v.Value()
	if err != nil {
		return err
	}
	if r.backend == nil || r.backend.HasSharedBuffers() || value.HasLocal() {
		var failed error
		if err := tensors.ConstFlatData(value, func(values []float32) { failed = use(values) }); err != nil {
			return err
		}
		return failed
	}
	from, err := value.Buffer(r.backend, 0)
	if err != nil {
		return err
	}
	if r.buffer == nil {
		r.buffer = make([]float32, r.largest)
	}
	values := r.buffer[:value.Size()]
	if err := from.ToFlatData(values); err != nil {
		return fmt.Errorf("read from device: %w", err)
	}
	return use(values)
}
