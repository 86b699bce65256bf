package training

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
)

// uploaded is a batch as the arguments of a program. On a device with its own memory it is
// already uploaded: go-xla's uploads block until done (v0.4.1, pjrt/buffers_from_host.go, Done),
// so the goroutine that prepares a step waits while another step runs.
type uploaded struct {
	inputs    []any             // arguments of a graph for an undivided batch
	sequences int               // for a batch in chunks: its number of sequences,
	chunks    [][]chunk         // the chunks of each part,
	states    []*tensors.Tensor // the masks of parts that become states,
	extras    []any             // and the other arguments of the loss
}

// toDevice takes the arguments that are tensors to a device with its own memory.
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

// free releases the batch's device memory at once; see release.
func (u uploaded) free() {
	list := append(with(u.states, u.inputs...), u.extras...)
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
