package catalog

import (
	"fmt"

	"infbench/bench/device"
	"infbench/bench/spec"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
	"infbench/datasets/room"
	"infbench/training/encoder"
	"infbench/training/generate"
)

// LocalChat is a language model of local files that answers questions.
type LocalChat struct {
	*generate.Chat
	Revision string // the commit of what was fetched, else the hash of the files
}

// OpenChat opens a *ForCausalLM folder, or ORG/NAME of one that was fetched, as a model
// that answers questions. One whose weights or shortest texts do not fit into memory is
// refused with what they take.
func OpenChat(name string, o device.Options, p encoder.Precision) (*LocalChat, error) {
	if isWeightless(name) {
		return nil, usage.Errorf("model %s writes no texts: want a folder with a language model, or ORG/NAME of one that was fetched", name)
	}
	w, err := findWeights(name)
	if err != nil {
		return nil, err
	}
	if info, err := atomicfile.Stat(w.path); err != nil || !info.IsDir() {
		return nil, usage.Errorf("model %s writes no texts: it is no folder with a language model", name)
	}
	if err := w.fitsMemory(o.Device, room.Bound()); err != nil {
		return nil, err
	}
	backend, err := o.Open()
	if err != nil {
		return nil, err
	}
	c, err := generate.OpenChat(w.name, w.path, backend, generate.Options{Memory: o.Batching().Memory, Precision: p})
	if err != nil {
		return nil, err
	}
	revision, err := w.revision()
	return &LocalChat{c, revision}, err
}

// fitsMemory refuses weights for which the machine has too little memory, where it is the
// machine's: how much a card has is known when it computes.
func (w *weights) fitsMemory(on string, have int64) error {
	found, err := encoder.Inspect(w.path)
	if err != nil {
		return err
	}
	const float32Bytes = 4
	takes := found.Parameters * float32Bytes
	if takes > have && device.OnHost(on) {
		return fmt.Errorf("model %s: its %d weights take %s in float32, this machine has %s: it needs an accelerator with more",
			w.name, found.Parameters, spec.Bytes(takes), spec.Bytes(have))
	}
	return nil
}
