package training

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
)

// uploaded is a batch as a program takes it. On a device with memory of its own it is there
// already: go-xla's uploads wait until they are done (v0.4.1, pjrt/buffers_from_host.go,
// Done), so that whoever prepares a step while another runs waits in its place.
type uploaded struct {
	inputs    []any             // of a graph that takes the whole batch
	sequences int               // of a batch in chunks,
	chunks    [][]chunk         // those of each part,
	states    []*tensors.Tensor // masks of parts that become states,
	beside    []any             // and what the loss takes beside them
}

// toDevice takes those arguments that are tensors to a device with memory of its own.
func toDevice(backend compute.Backend, arguments []any) error {
	if backend.HasSharedBuffers() {
		return nil
	}
	for _, a := range arguments {
		if t, ok := a.(*tensors.Tensor); ok {
			if err := t.MaterializeOnDevice(backend, false, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// free gives back at once what a batch has on devices; see release.
func (u uploaded) free() {
	list := append(with(u.states, u.inputs...), u.beside...)
	for _, chunks := range u.chunks {
		for _, c := range chunks {
			list = append(list, c.inputs()...)
		}
	}
	for _, a := range list {
		if t, ok := a.(*tensors.Tensor); ok {
			_ = t.InvalidateOnDevice()
		}
	}
}
